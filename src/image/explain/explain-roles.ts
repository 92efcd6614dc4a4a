// Why roles in the tenant allow or deny (D4: roles in tenants), each with its path over `extends`.
import type { Kernel } from '../../kernel/kernel.ts'
import { findGrant, grantRoles, grantRoleUntil, listTenantGrants } from '../records/grant.ts'
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
  const deny = (code: RbacCode, roles: readonly string[] = []) => ({ code, roles, because: [] })
  if (listTenantGrants(kernel, user).length === 0) return deny('no_user_roles')
  const grant = findGrant(kernel, user, tenant)
  if (grant === 0) return deny('no_role_in_tenant')
  const held = grantRoles(kernel, grant)
  const name = (role: number): string => roleKey(kernel, role)
  const because = held
    .filter((role) => kernel.calls.holds(role, permission) === 1)
    .map(
      (role): Because => ({
        source: 'rbac',
        role: name(role),
        ...named,
        path: pathTo(kernel, role, named.permission).map(name),
        ...endsAt(grantRoleUntil(kernel, grant, role)),
      }),
    )
  const roles = held.map(name).sort()
  return because.length === 0 ? deny('no_permission', roles) : { code: 'allow', roles, because }
}

/** The shortest way over `extends` from a role to one that has the permission attached. */
export function pathTo(kernel: Kernel, from: number, permission: string): number[] {
  const before = new Map<number, number>([[from, 0]])
  for (const role of before.keys()) {
    if (rolePermissions(kernel, role).includes(permission)) {
      const path: number[] = []
      for (let at = role; at !== 0; at = before.get(at)!) path.unshift(at)
      return path
    }
    for (const parent of roleParents(kernel, role)) if (!before.has(parent)) before.set(parent, role)
  }
  return [from]
}
