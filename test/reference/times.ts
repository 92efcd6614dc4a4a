// The definition: grants for a time (D15). The policy at an instant has those grants, and those suspensions of users (D16),
// alone that are in force then; all other rules are about such a policy, and know no time.
import type { PolicyObjects } from '../../src/kinds/index.ts'
import { EXPLAIN_MISSES_MAX } from '../../src/model/limits.ts'
import { check } from './check.ts'
import type { Policy } from './policy.ts'
import { byRelations } from './relations.ts'
import { isElsewhere, isKnown, type Request } from './request.ts'
import { byRoles } from './roles.ts'
import { hasResource, hasUser, rulesFor } from './sets.ts'
import { isSuspended } from './suspensions.ts'

interface Times {
  readonly valid_from?: number
  readonly valid_until?: number
}

/** D15: from its start on, and not at its end. */
function isInForce({ valid_from, valid_until }: Times, t: number): boolean {
  return (valid_from === undefined || valid_from <= t) && (valid_until === undefined || t < valid_until)
}

/** D10: what a decision at this instant depends on, beside the request. Itself when everything is in force. */
export function policyAt(policy: Policy, t: number): Policy {
  const role_assignment = inForce(policy.role_assignment, t)
  const relationship_tuple = inForce(policy.relationship_tuple, t)
  const user = suspendedAt(policy.user, t)
  const isWhole =
    role_assignment.size === policy.role_assignment.size &&
    relationship_tuple.size === policy.relationship_tuple.size &&
    user === policy.user
  return isWhole ? policy : { ...policy, role_assignment, relationship_tuple, user }
}

/** D16: the users, each with the suspension that is in force then. Itself when all of them are, at every instant. */
function suspendedAt(users: Policy['user'], t: number): Policy['user'] {
  const isTimed = ({ suspension = {} }: PolicyObjects['user']) => Object.keys(suspension).length > 0
  if (![...users.values()].some(isTimed)) return users
  return new Map(
    [...users].map(([key, { suspension, ...user }]) => [
      key,
      suspension !== undefined && isInForce(suspension, t) ? { ...user, suspension: {} } : user,
    ]),
  )
}

const inForce = <T extends Times>(grants: ReadonlyMap<string, T>, t: number): Map<string, T> =>
  new Map([...grants].filter(([, grant]) => isInForce(grant, t)))

type Assignment = PolicyObjects['role_assignment']
type Tuple = PolicyObjects['relationship_tuple']

/** A grant with which alone, beside what is in force, roles or relations would allow. */
export type NotInForce = (Assignment | Tuple) & { readonly state: 'ended' | 'scheduled' }

/** D17: a set rule whose resource set is true, and whose user set is a role on instances that the user then holds. */
function byHeldRole(beside: Policy, now: Policy, request: Request): boolean {
  if (!now.user.has(request.user) || isElsewhere(now, request)) return false
  return rulesFor(now, request).some(
    ({ user_set, resource_set }) =>
      user_set.includes('#') && hasUser(beside, request, user_set) && hasResource(now, request, resource_set),
  )
}

/** What is denied at an instant: the grants that are stored and would allow, those nearest in time first. */
export function listNotInForce(policy: Policy, request: Request, t: number): NotInForce[] {
  const now = policyAt(policy, t)
  if (check(now, request) || isSuspended(now, request.user) || !isKnown(policy, request)) return [] // D16: nothing would allow
  const found: { readonly grant: NotInForce; readonly distance: number; readonly name: string }[] = []
  for (const kind of ['role_assignment', 'relationship_tuple'] as const) {
    for (const [name, grant] of policy[kind]) {
      if (isInForce(grant, t)) continue
      const beside: Policy = { ...now, [kind]: new Map<string, unknown>([...now[kind], [name, grant]]) }
      if (!byRoles(beside, request) && !byRelations(beside, request) && !byHeldRole(beside, now, request)) continue
      const hasEnded = grant.valid_until !== undefined && grant.valid_until <= t
      const distance = hasEnded ? t - grant.valid_until! : grant.valid_from! - t
      found.push({ grant: { ...grant, state: hasEnded ? 'ended' : 'scheduled' }, distance, name })
    }
  }
  found.sort((a, b) => a.distance - b.distance || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
  return found.slice(0, EXPLAIN_MISSES_MAX).map(({ grant }) => grant)
}
