// A membership: a user belongs to a tenant without a role in it. assembly/abi.ts draws the record.
import { Member, Principal } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { grantScope, grantsOfUser } from './grant.ts'
import { tenantOfScope } from './instance.ts'

export const memberTenant = (kernel: Kernel, member: number): number => kernel.word(member + Member.Tenant)

/** The memberships of a user. */
export const eachMembershipOfUser = (kernel: Kernel, user: number): Iterable<number> =>
  kernel.chain(kernel.word(user + Principal.Members), Member.NextOfUser)

/** Whether the user has a role in the tenant, one on an instance of it, or a membership (D6). */
export function belongsTo(kernel: Kernel, user: number, tenant: number): boolean {
  if (user === 0 || tenant === 0) return false
  for (const at of eachMembershipOfUser(kernel, user)) if (memberTenant(kernel, at) === tenant) return true
  return grantsOfUser(kernel, user).some((grant) => tenantOfScope(kernel, grantScope(kernel, grant)) === tenant)
}
