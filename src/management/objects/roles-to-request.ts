// The roles that a user who was denied can ask for (docs/access-requests.md): those with the permission, in the tenant of
// the question or on its instance. A derivation, a group or a rule may give the permission, too: these are not looked at.
import { type AccessRequest, requestIdentity, requestState } from '../../kinds/access-request.ts'
import type { Requestable } from '../../kinds/fields.ts'
import type { Giving } from '../../kinds/giving.ts'
import { REQUESTABLE_SHOWN_MAX } from '../../model/limits.ts'
import type { View } from '../../store/view.ts'
import { isPermitted } from '../rules/permitted.ts'
import { listPermissions } from '../rules/tenant-roles.ts'
import { mayAsk } from './access-requests.ts'
import { isSuspended } from './approvers.ts'

/** What was denied. */
interface Denied {
  /** key */
  readonly user: string
  readonly action: string
  /** key of the type */
  readonly type: string
  readonly instance?: string | undefined
  readonly tenant: string
}

export interface RoleToRequest {
  readonly role: string
  readonly resource_instance: string | null
  /** seconds for which it may be asked for, and is given, at most */
  readonly max_duration: number
  readonly reason: Requestable['reason']
  readonly auto?: true
  /** id of the request for it that is pending */
  readonly request?: string
}

/** The first roles that the user can ask for; none for a user who is not stored, or is suspended. */
export function listRolesToRequest(view: View, { user, action, type, instance, tenant }: Denied, now: number) {
  const stored = view.get('user', user)
  if (stored === undefined || isSuspended(stored, now) || view.get('tenant', tenant) === undefined) return []
  const permission = `${type}:${action}`
  const found: RoleToRequest[] = []
  const add = (giving: Giving, role: string, resource_instance: string | null): void => {
    const { requestable, max_duration: given = requestable?.max_duration } = giving
    if (requestable === undefined || !mayAsk(view, { user, tenant }, requestable)) return
    const { max_duration, reason, auto } = requestable
    const request = findPending(view, { user, role, tenant, resource_instance }, now)
    found.push({
      ...{ role, resource_instance, max_duration: Math.min(max_duration, given ?? max_duration), reason },
      ...(auto && { auto }),
      ...(request && { request: request.id }),
    })
  }
  for (const role of view.list('role')) {
    if (role.requestable === undefined || !listPermissions(view, [role.key]).has(permission)) continue
    add(role, role.key, null)
    if (found.length >= REQUESTABLE_SHOWN_MAX) return found
  }
  const key = `${type}:${instance}`
  if (instance === undefined || view.get('resource_instance', key)?.tenant !== tenant) return found
  for (const role of view.by('resource_roles_of_resource', type)) {
    if (role.requestable === undefined || !isPermitted(view, role, permission)) continue
    add(role, role.role, key)
    if (found.length >= REQUESTABLE_SHOWN_MAX) break
  }
  return found
}

type Wanted = Pick<AccessRequest, 'user' | 'role' | 'tenant' | 'resource_instance'>
const findPending = (view: View, wanted: Wanted, now: number): AccessRequest | undefined =>
  [...view.by('pending_request', requestIdentity(wanted))].find((one) => requestState(one, now) === 'pending')
