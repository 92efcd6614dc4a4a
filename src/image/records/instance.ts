// Fields of a resource instance, whose grants and attributes are those of a principal. assembly/abi.ts draws the record.
import { Instance } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** The first tuple whose object it is, or 0. */
export const instanceObjects = (kernel: Kernel, instance: number): number => kernel.word(instance + Instance.Objects)
/** The first tuple whose subject it is, or 0. */
export const instanceSubjects = (kernel: Kernel, instance: number): number => kernel.word(instance + Instance.Subjects)
/** 0 when the instance is deleted. */
export const instanceTenant = (kernel: Kernel, instance: number): number => kernel.word(instance + Instance.Tenant)
export const instanceType = (kernel: Kernel, instance: number): number => kernel.word(instance + Instance.Type)
