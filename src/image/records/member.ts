// A membership: a user belongs to a tenant without a role in it. assembly/abi.ts draws the record.
import { Member, Principal } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { eachGrantOfUser, grantScope, grantsOfUser } from './grant.ts'
import { tenantOfScope } from './instance.ts'

export const memberTenant = (kernel: Kernel, member: number): number => kernel.word(member + Member.Tenant)

/** The memberships of a user; of who is not stored (0) none. */
export const eachMembershipOfUser = (kernel: Kernel, user: number): Iterable<number> =>
  user === 0 ? [] : kernel.chain(kernel.word(user + Principal.Members), Member.NextOfUser)

/** The tenants to which the user belongs (D6): with a role there or on an instance there, or with a membership. */
export function tenantsOfUser(kernel: Kernel, user: number): Set<number> {
  const tenants = new Set<number>()
  for (const grant of eachGrantOfUser(kernel, user)) tenants.add(tenantOfScope(kernel, grantScope(kernel, grant)))
  for (const member of eachMembershipOfUser(kernel, user)) tenants.add(memberTenant(kernel, member))
  return tenants
}

/** Whether the user has a role in the tenant, one on an instance of it, or a membership (D6). */
export function belongsTo(kernel: Kernel, user: number, tenant: number): boolean {
  if (user === 0 || tenant === 0) return false
  for (const at of eachMembershipOfUser(kernel, user)) if (memberTenant(kernel, at) === tenant) return true
  return grantsOfUser(kernel, user).some((grant) => tenantOfScope(kernel, grantScope(kernel, grant)) === tenant)
}
