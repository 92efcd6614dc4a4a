// The roles in tenants, those of the environment apart from those of each tenant (D18), which may be a hundred thousand:
// what is about the environment, or about one tenant, does not walk them. Found once for a kernel. A record stays that of
// its key for ever and none is given back, so what was found is good until the table has more.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { principalKey } from './principal.ts'
import { roleTenant, roleType } from './role.ts'
import { recordsStored, tableCount } from './tables.ts'

/** Records, also of roles that were deleted since. */
interface RolesInTenants {
  /** of how many records it was made */
  readonly count: number
  readonly ofEnvironment: readonly number[]
  /** by the key of the tenant */
  readonly ofTenants: ReadonlyMap<string, readonly number[]>
}

const FOUND = new WeakMap<Kernel, RolesInTenants>()

/** The live roles in tenants that are the environment's. */
export function* rolesOfEnvironment(kernel: Kernel): Iterable<number> {
  for (const role of findRoles(kernel).ofEnvironment) if (kernel.isLive(role)) yield role
}

/** The live roles that are a tenant's own. */
export function* rolesOfTenant(kernel: Kernel, tenant: number): Iterable<number> {
  const own = findRoles(kernel).ofTenants.get(principalKey(kernel, tenant)) ?? []
  for (const role of own) if (kernel.isLive(role)) yield role
}

function findRoles(kernel: Kernel): RolesInTenants {
  const known = FOUND.get(kernel)
  const count = tableCount(kernel, Table.Roles)
  if (known?.count === count) return known
  const ofEnvironment: number[] = []
  const ofTenants = new Map<string, number[]>()
  for (const role of recordsStored(kernel, Table.Roles)) {
    if (roleType(kernel, role) !== 0) continue
    const tenant = roleTenant(kernel, role)
    const own = tenant === undefined ? ofEnvironment : ofTenants.get(tenant)
    if (own === undefined) ofTenants.set(tenant!, [role])
    else own.push(role)
  }
  const found = { count, ofEnvironment, ofTenants }
  FOUND.set(kernel, found)
  return found
}
