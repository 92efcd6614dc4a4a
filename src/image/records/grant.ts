// Fields of a grant: the roles of a user in a scope, which is a tenant or an instance. assembly/abi.ts draws the record.
import { Grant, RoleSet } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export const grantNextOfScope = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.NextOfScope)
/** What stands for the roles of a grant: two grants with the same roles have the same number. */
export const grantRoleSet = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.Roles)
export const grantScope = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.Scope)
export const grantUser = (kernel: Kernel, grant: number): number => kernel.word(grant + Grant.User)
export const roleSetCount = (kernel: Kernel, set: number): number => kernel.word(set + RoleSet.Count)
