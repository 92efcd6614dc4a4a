// The definition: the one word that says why a check is answered as it is. The words are those of the PDP's debug answer; when
// several would fit, the first of this order is given: the question's own names first, then what the user has.
import { check, hasAction, type Request, rolesIn, tenantOf } from './check.ts'
import type { Policy } from './policy.ts'

export type Code =
  | 'allow'
  | 'no_such_resource'
  | 'no_such_action'
  | 'no_such_tenant'
  | 'user_not_synced'
  | 'no_user_roles'
  | 'no_role_in_tenant'
  | 'no_permission'

export function explain(policy: Policy, request: Request): Code {
  const { user, action, resource } = request
  if (!policy.resource.has(resource.type)) return 'no_such_resource' // D1
  if (!hasAction(policy, resource.type, action)) return 'no_such_action' // D1
  if (!policy.tenant.has(tenantOf(request))) return 'no_such_tenant' // D1
  if (!policy.user.has(user)) return 'user_not_synced' // D1
  const tenants = [...policy.tenant.keys()].filter((tenant) => rolesIn(policy, user, tenant).length > 0)
  if (tenants.length === 0) return 'no_user_roles'
  if (!tenants.includes(tenantOf(request))) return 'no_role_in_tenant' // D4
  return check(policy, request) ? 'allow' : 'no_permission'
}
