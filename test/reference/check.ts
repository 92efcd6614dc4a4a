// The definition: what one check means. Part 1 of the rules of docs/semantics.md: roles in tenants. Each rule is named where it
// stands. D10: these functions read the policy and the request, nothing else.
import type { Policy } from './policy.ts'

export interface Request {
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly key?: string; readonly tenant?: string }
}

export function check(policy: Policy, request: Request): boolean {
  return rbac(policy, request) // D3: any part that allows is enough; this is the only part so far
}

/** D12: the answers of a bulk are the answers of its checks, in their order. */
export function bulkCheck(policy: Policy, requests: readonly Request[]): boolean[] {
  return requests.map((request) => check(policy, request))
}

/** D2: the tenant that was sent, else `default`. No instance is stored yet whose tenant could stand between. */
export function tenantOf(request: Request): string {
  return request.resource.tenant ?? 'default'
}

// D1: an instance that is not stored takes nothing away: `resource.key` plays no part in roles.
function rbac(policy: Policy, request: Request): boolean {
  if (!isKnown(policy, request)) return false // D1
  const permission = `${request.resource.type}:${request.action}`
  return rolesIn(policy, request.user, tenantOf(request)).some((role) => grants(policy, role, permission)) // D4
}

/** D1: user, tenant, resource type and action must exist. D9: the same key is the same string, unfolded and not normalised. */
function isKnown(policy: Policy, request: Request): boolean {
  return (
    policy.user.has(request.user) &&
    policy.tenant.has(tenantOf(request)) &&
    hasAction(policy, request.resource.type, request.action)
  )
}

export function hasAction(policy: Policy, type: string, action: string): boolean {
  return policy.resource.has(type) && policy.resource.get(type)!.actions.includes(action)
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
