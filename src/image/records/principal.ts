// Fields that users, tenants and instances begin with. assembly/abi.ts draws the record.
import { Principal } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** A composite: the stored attributes; or 0. */
export const principalAttributes = (kernel: Kernel, principal: number): number =>
  kernel.word(principal + Principal.Attributes)
/** The first of its grants, or 0. */
export const principalGrants = (kernel: Kernel, principal: number): number => kernel.word(principal + Principal.Grants)
/** The first membership of a user or a tenant, or 0. */
export const principalMembers = (kernel: Kernel, principal: number): number =>
  kernel.word(principal + Principal.Members)
