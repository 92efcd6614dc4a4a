// The rules for how a role is given (D15, D16).
import type { Giving } from '../../kinds/giving.ts'
import { roleKeyIn, typeOfInstance } from '../../kinds/kind.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import { ZerohopError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { parseTenantRole, partKey } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import type { SentGiving } from '../schemas/field-members.ts'
import { type Path, settleFlag } from './fields.ts'
import { settleRequestable } from './requestable.ts'
import { settleDurations } from './times.ts'

type RoleKind = 'role' | 'resource_role'
type OfRole = Pick<RoleAssignment, 'role' | 'resource_instance'>

/**
 * How a role is given after a write; what is not sent stays, also in PUT, and null resets it.
 * @param key as the store has it
 * @throws INPUT_INVALID; OBJECT_IN_USE when a role that everybody has would no longer be for everybody
 */
export function settleGiving(
  view: View,
  { kind, key }: { readonly kind: RoleKind; readonly key: string },
  stored: Giving | undefined,
  sent: SentGiving,
  path: Path,
): Giving {
  const everybody = settleFlag(sent.everybody, stored?.everybody ?? null)
  if (stored?.everybody && everybody === null && view.countBy('assignments_of_everybody', key) > 0) {
    const by = `assignments to everyone (\`${EVERYBODY}\`), which need its \`everybody\`: end them first`
    throw new ZerohopError('OBJECT_IN_USE', { kind, key, by }, { path: [...path, 'everybody'] })
  }
  const assignable_by_tenants = settleFlag(sent.assignable_by_tenants, stored?.assignable_by_tenants ?? null)
  const requestable = settleRequestable(view, sent.requestable, stored?.requestable ?? null, readName(kind, key), [
    ...path,
    'requestable',
  ])
  return {
    ...settleDurations(stored, sent, path),
    ...(everybody === null ? {} : { everybody }),
    ...(assignable_by_tenants === null ? {} : { assignable_by_tenants }),
    ...(requestable === null ? {} : { requestable }),
  }
}

/** A role by the resource type that it is of, if any, and its key there. */
function readName(kind: RoleKind, key: string): { readonly of: string; readonly key: string } {
  const slash = kind === 'resource_role' ? key.indexOf('/') : -1
  return slash < 0 ? { of: '', key } : { of: key.slice(0, slash), key: key.slice(slash + 1) }
}

/** How the role of an assignment is given. */
export function findGiving(view: View, { role, resource_instance: instance }: OfRole): Giving {
  if (instance === null && parseTenantRole(role) !== undefined) {
    // never for everyone, and no longer or shorter than what is sent
    const { requestable } = view.get('tenant_role', role) ?? {}
    return { assignable_by_tenants: true, ...(requestable === undefined ? {} : { requestable }) }
  }
  const found =
    instance === null ? view.get('role', role) : view.get('resource_role', partKey(typeOfInstance(instance), role))
  return found ?? {}
}

/** @throws NOT_FOR_EVERYBODY when the role of an assignment to everybody does not say that it may be given so */
export function requireForEverybody(view: View, of: OfRole & { readonly user: string }, path: Path): void {
  if (of.user !== EVERYBODY || findGiving(view, of).everybody) return
  const kind: RoleKind = of.resource_instance === null ? 'role' : 'resource_role'
  throw new ZerohopError('NOT_FOR_EVERYBODY', { kind, role: roleKeyIn(of.role, of.resource_instance) }, { path })
}
