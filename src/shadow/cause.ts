// Why the new engine answered as it did, in one word to group by, and in a sentence. Codes of explanations:
// docs/semantics.md.
import type { Because, Explanation } from '../image/image.ts'
import { sayBecause, sayMiss } from '../pdp/explain-text.ts'
import type { Cause, Difference } from './difference.ts'

/** A sentence for each cause; those of a deny say what the new policy lacks. */
export const CAUSES: Readonly<Record<Cause, string>> = {
  role: 'a role allows it',
  instance_role: 'a role on an instance allows it',
  everyone: 'a role of everyone allows it',
  access_rule: 'an access rule allows it',
  unknown_user: 'unknown user',
  unknown_resource: 'unknown resource type',
  unknown_action: 'unknown action',
  unknown_tenant: 'unknown tenant',
  unknown_instance: 'unknown instance',
  other_tenant: 'the instance is in another tenant',
  suspended: 'the user is suspended',
  not_in_force: 'a role has ended, or begins later',
  condition: 'a condition is not met',
  role_missing: 'no role in the tenant',
  permission_missing: 'no role with the permission',
  failed: 'no answer',
}

export type Explained = Pick<Difference, 'cause' | 'detail'> & { readonly reason: string }

/** The cause of the answer that is explained. @param asked the names of the question */
export function findCause(explanation: Explanation, asked: Pick<Difference, 'action' | 'resource'>): Explained {
  const [because] = explanation.because
  if (explanation.allow && because !== undefined) return { ...findGrant(because), reason: sayBecause(because) }
  return findDenial(explanation, asked)
}

function findGrant({
  source,
  everybody,
  role,
  resource_set,
  permission,
}: Because): Pick<Explained, 'cause' | 'detail'> {
  if (source === 'abac') return { cause: 'access_rule', detail: `${role} on ${resource_set ?? ''}: ${permission}` }
  const held = source === 'rebac' ? 'instance_role' : 'role'
  return { cause: everybody ? 'everyone' : held, detail: `${role}: ${permission}` }
}

function findDenial(
  explanation: Explanation,
  { action, resource }: Pick<Difference, 'action' | 'resource'>,
): Explained {
  const permission = `${resource.type}:${action}`
  const say = (cause: Cause, detail: string, reason = CAUSES[cause]): Explained => ({ cause, detail, reason })
  switch (explanation.code) {
    case 'user_not_synced':
      return say('unknown_user', '')
    case 'user_suspended':
      return say('suspended', '')
    case 'no_such_resource':
      return say('unknown_resource', resource.type)
    case 'no_such_action':
      return say('unknown_action', permission)
    case 'no_such_tenant':
      return say('unknown_tenant', explanation.tenant)
  }
  if (explanation.rebac === 'instance_in_other_tenant') return say('other_tenant', resource.type)
  const [late] = explanation.not_in_force
  if (late !== undefined) return say('not_in_force', 'role' in late ? late.role : late.relation)
  const miss = explanation.misses.find(({ failed }) => failed.some(({ reason }) => reason === 'conditions'))
  if (miss !== undefined)
    return say('condition', `${miss.user_set} on ${miss.resource_set}: ${permission}`, sayMiss(miss))
  if (explanation.rebac === 'no_such_instance' && resource.key !== undefined)
    return say('unknown_instance', resource.type)
  return say(explanation.code === 'no_permission' ? 'permission_missing' : 'role_missing', permission)
}
