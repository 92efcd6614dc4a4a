// The definition: what a user may do, tenant by tenant. D12: a listing is the set of questions that `check` allows, so it is found
// by asking all of them.
import { check } from './check.ts'
import type { Policy } from './policy.ts'
import { rolesIn } from './roles.ts'

export interface TenantPermissions {
  readonly tenant: string
  readonly roles: readonly string[]
  readonly permissions: readonly string[]
}

/** Every tenant in which the user has a role, with those roles and all that is allowed there; each list sorted. */
export function permissionsOf(policy: Policy, user: string): TenantPermissions[] {
  if (!policy.user.has(user)) return [] // D1
  return [...policy.tenant.keys()]
    .map((tenant) => ({
      tenant,
      roles: rolesIn(policy, user, tenant).sort(),
      permissions: allowed(policy, user, tenant),
    }))
    .filter(({ roles }) => roles.length > 0)
    .sort((a, b) => (a.tenant < b.tenant ? -1 : 1))
}

function allowed(policy: Policy, user: string, tenant: string): string[] {
  const permissions: string[] = []
  for (const [type, { actions }] of policy.resource) {
    for (const action of actions) {
      if (check(policy, { user, action, resource: { type, tenant } })) permissions.push(`${type}:${action}`) // D12
    }
  }
  return permissions.sort()
}
