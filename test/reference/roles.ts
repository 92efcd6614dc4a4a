// The definition: roles in tenants (D4).
import { holdersFor } from './everybody.ts'
import type { Policy } from './policy.ts'
import { type Request, resolveTenant } from './request.ts'

/** D4. D1: an instance that is not stored takes nothing away: `resource.key` plays no part but for the tenant of D2. */
export function byRoles(policy: Policy, request: Request): boolean {
  const permission = `${request.resource.type}:${request.action}`
  const tenant = resolveTenant(policy, request)
  const held = holdersFor(request.user).flatMap((holder) => rolesIn(policy, holder, tenant)) // D16
  return held.some((role) => grants(policy, role, permission))
}

/** D4: the roles assigned in exactly this tenant. What is assigned in another one gives nothing here. */
export function rolesIn(policy: Policy, user: string, tenant: string): string[] {
  return [...policy.role.keys()].filter((role) => policy.role_assignment.has(`${user}/${role}/${tenant}`))
}

/** D4: the role, or one that it extends over any number of steps, has the permission. */
export function grants(policy: Policy, role: string, permission: string): boolean {
  return [...withAncestors(policy, role)].some((each) => policy.role.get(each)!.permissions.includes(permission))
}

function withAncestors(policy: Policy, role: string): Set<string> {
  const reached = new Set([role])
  for (const each of reached) {
    for (const parent of policy.role.get(each)!.extends) reached.add(parent) // a Set also walks what is added on the way
  }
  return reached
}
