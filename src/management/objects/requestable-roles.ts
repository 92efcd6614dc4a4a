// The roles that may be asked for in a tenant (docs/access-requests.md), as the use case that takes a request sees them.
import type { Requestable } from '../../kinds/fields.ts'
import type { ResourceRole } from '../../kinds/resource-role.ts'
import type { Role } from '../../kinds/role.ts'
import type { TenantRole } from '../../kinds/tenant-role.ts'
import type { View } from '../../store/view.ts'
import { mayAsk } from './access-requests.ts'
import { requireActor } from './approvers.ts'

/** A role, and how it may be asked for. */
export interface RoleOnRequest {
  readonly role: Role | TenantRole | ResourceRole
  readonly requestable: Requestable
  /** seconds, the shorter one of what may be asked for and what the role is given for */
  readonly max_duration: number
}

export interface WhoAsks {
  /** key of the tenant */
  readonly tenant: string
  /** key or id of the user; without one, all roles that anyone may ask for there */
  readonly as?: string | undefined
}

/**
 * The roles that a user may ask for in a tenant, also its own (D18), or on its instances, first those in the tenant.
 * @throws OBJECT_NOT_FOUND for an unknown user, REQUEST_REFUSED for one that is suspended
 */
export function listRequestable(view: View, { tenant, as }: WhoAsks, now: number): RoleOnRequest[] {
  const user = as === undefined ? undefined : requireActor(view, { as }, now, ['query', 'as']).key
  const inTenant = [...view.list('role'), ...view.by('roles_of_tenant', tenant)]
  return [...inTenant, ...view.list('resource_role')].flatMap((role) => {
    const { requestable, max_duration } = { max_duration: undefined, ...role }
    if (requestable === undefined) return []
    if (user !== undefined && !mayAsk(view, { user, tenant }, requestable)) return []
    return [{ role, requestable, max_duration: Math.min(requestable.max_duration, max_duration ?? Infinity) }]
  })
}
