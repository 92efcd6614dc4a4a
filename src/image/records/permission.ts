// Fields of a permission, whose key is `resource:action`. assembly/abi.ts draws the record.
import { Permission } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** Its bit in every row: dense, from 1. */
export const permissionId = (kernel: Kernel, permission: number): number => kernel.word(permission + Permission.Id)
export const permissionResource = (kernel: Kernel, permission: number): number =>
  kernel.word(permission + Permission.Resource)
/** The first of its set rules, or 0. */
export const permissionSetRules = (kernel: Kernel, permission: number): number =>
  kernel.word(permission + Permission.SetRules)
