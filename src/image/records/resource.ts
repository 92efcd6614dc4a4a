// Fields of a resource type. assembly/abi.ts draws the record.
import { Resource } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** A composite: name → number of the declared type; or 0. */
export const resourceAttributes = (kernel: Kernel, resource: number): number =>
  kernel.word(resource + Resource.Attributes)
/** The first of its permissions, deleted ones too; or 0. */
export const resourcePermissions = (kernel: Kernel, resource: number): number =>
  kernel.word(resource + Resource.Permissions)
/** The first of its resource roles, deleted ones too; or 0. */
export const resourceRoles = (kernel: Kernel, resource: number): number => kernel.word(resource + Resource.Roles)
