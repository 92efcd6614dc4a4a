// A principal: what users, tenants and instances begin with. assembly/abi.ts draws the record.
import { Principal } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** The key of a user or a tenant; an instance has its key at another place. */
export const principalKey = (kernel: Kernel, principal: number): string => kernel.key(principal, Principal.Key)
/** A composite: the stored attributes; or 0. */
export const principalAttributes = (kernel: Kernel, principal: number): number =>
  kernel.word(principal + Principal.Attributes)
