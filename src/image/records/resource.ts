// A resource type. assembly/abi.ts draws the record.
import { Resource } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export const resourceKey = (kernel: Kernel, resource: number): string => kernel.key(resource, Resource.Key)
/** A composite: name → number of the declared type; or 0. */
export const resourceAttributes = (kernel: Kernel, resource: number): number =>
  kernel.word(resource + Resource.Attributes)
