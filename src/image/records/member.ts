// Fields of a membership: a user belongs to a tenant without a role in it. assembly/abi.ts draws the record.
import { Member } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export const memberTenant = (kernel: Kernel, member: number): number => kernel.word(member + Member.Tenant)
