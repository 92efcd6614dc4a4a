// The definition: what one check means. Each rule of docs/semantics.md is named where it stands: roles in tenants (D4) are here, roles on
// instances (D5) in relations.ts. D10: these functions read the policy and the request, nothing else.
import type { Policy } from './policy.ts'
import { byRelations } from './relations.ts'
import { isKnown, type Request, tenantOf } from './request.ts'

export function check(policy: Policy, request: Request): boolean {
  if (!isKnown(policy, request)) return false // D1
  return byRoles(policy, request) || byRelations(policy, request) // D3: any part that allows is enough
}

/** D12: the answers of a bulk are the answers of its checks, in their order. */
export function bulkCheck(policy: Policy, requests: readonly Request[]): boolean[] {
  return requests.map((request) => check(policy, request))
}

/** D4. D1: an instance that is not stored takes nothing away: `resource.key` plays no part but for the tenant of D2. */
export function byRoles(policy: Policy, request: Request): boolean {
  const permission = `${request.resource.type}:${request.action}`
  return rolesIn(policy, request.user, tenantOf(policy, request)).some((role) => grants(policy, role, permission))
}

/** D4: the roles assigned in exactly this tenant. What is assigned in another one gives nothing here. */
export function rolesIn(policy: Policy, user: string, tenant: string): string[] {
  return [...policy.role.keys()].filter((role) => policy.role_assignment.has(`${user}/${role}/${tenant}`))
}

/** D4: the role, or one that it extends over any number of steps, has the permission. */
function grants(policy: Policy, role: string, permission: string): boolean {
  return [...withAncestors(policy, role)].some((each) => policy.role.get(each)!.permissions.includes(permission))
}

function withAncestors(policy: Policy, role: string): Set<string> {
  const reached = new Set([role])
  for (const each of reached) {
    for (const parent of policy.role.get(each)!.extends) reached.add(parent) // a Set also walks what is added on the way
  }
  return reached
}
