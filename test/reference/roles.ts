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

/**
 * D4: the roles assigned in exactly this tenant. What is assigned in another one gives nothing here. D18: so are those that
 * the tenant made, by their whole keys.
 */
export function rolesIn(policy: Policy, user: string, tenant: string): string[] {
  const own = [...policy.tenant_role].filter(([, role]) => role.tenant === tenant).map(([key]) => key)
  const roles = [...policy.role.keys(), ...own]
  return roles.filter((role) => policy.role_assignment.has(`${user}/${role}/${tenant}`))
}

/** A role in tenants: of the environment, or by its whole key of a tenant (D18). */
const findRole = (policy: Policy, key: string) => policy.role.get(key) ?? policy.tenant_role.get(key)!

/** D4: the role, or one that it extends over any number of steps, has the permission. */
export function grants(policy: Policy, role: string, permission: string): boolean {
  return [...withAncestors(policy, role)].some((each) => findRole(policy, each).permissions.includes(permission))
}

function withAncestors(policy: Policy, role: string): Set<string> {
  const reached = new Set([role])
  for (const each of reached) {
    for (const parent of findRole(policy, each).extends) reached.add(parent) // a Set also walks what is added on the way
  }
  return reached
}
