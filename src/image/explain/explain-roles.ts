// Why roles in the tenant allow or deny (D4: roles in tenants), each with its path over `extends`.
import type { Kernel } from '../../kernel/kernel.ts'
import { findGrant, findSharedGrant, grantRoles, grantRoleUntil, listTenantGrants } from '../records/grant.ts'
import { roleKey, roleParents, rolePermissions } from '../records/role.ts'
import { type Because, endsAt, type RbacCode } from './explanation.ts'

interface Asked {
  readonly user: number
  readonly tenant: number
  readonly permission: number
}

export function explainRoles(
  kernel: Kernel,
  { user, tenant, permission }: Asked,
  named: { readonly tenant: string; readonly permission: string },
): { code: RbacCode; roles: readonly string[]; because: Because[] } {
  const name = (role: number): string => roleKey(kernel, role)
  const reasons = (of: number, whose: Pick<Because, 'everybody'>): Because[] =>
    grantRoles(kernel, of)
      .filter((role) => kernel.calls.holds(role, permission) === 1)
      .map((role) => ({
        source: 'rbac',
        ...whose,
        role: name(role),
        ...named,
        path: pathTo(kernel, role, hasAttached(kernel, named.permission)).map(name),
        ...endsAt(grantRoleUntil(kernel, of, role)),
      }))
  const grant = user === 0 ? 0 : findGrant(kernel, user, tenant)
  const roles = grantRoles(kernel, grant).map(name).sort()
  const because = [
    ...reasons(grant, {}),
    .../* canary: shared-reasons */ reasons(findSharedGrant(kernel, tenant), { everybody: true }),
  ]
  if (because.length > 0) return { code: 'allow', roles, because }
  if (grant !== 0) return { code: 'no_permission', roles, because }
  const code = listTenantGrants(kernel, user).length === 0 ? 'no_user_roles' : 'no_role_in_tenant'
  return { code, roles, because }
}

/** Whether a role has a permission itself, and not by one that it extends. */
export const hasAttached =
  (kernel: Kernel, permission: string) =>
  (role: number): boolean =>
    rolePermissions(kernel, role).includes(permission)

/** The shortest way over `extends` from a role to one that is wanted. */
export function pathTo(kernel: Kernel, from: number, isWanted: (role: number) => boolean): number[] {
  const before = new Map<number, number>([[from, 0]])
  for (const role of before.keys()) {
    if (isWanted(role)) {
      const path: number[] = []
      for (let at = role; at !== 0; at = before.get(at)!) path.unshift(at)
      return path
    }
    for (const parent of roleParents(kernel, role)) if (!before.has(parent)) before.set(parent, role)
  }
  return [from]
}
