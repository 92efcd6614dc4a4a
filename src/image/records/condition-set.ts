// Fields of a condition set. assembly/abi.ts draws the record.
import { ConditionSet } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** The first set whose parent it is, or 0. */
export const conditionSetChildren = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Children)
/** A text: the conditions as JSON. */
export const conditionSetJson = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Json)
/** SET_OF_USERS or SET_OF_RESOURCES. */
export const conditionSetKind = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Kind)
/** 0 without a parent. */
export const conditionSetParent = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Parent)
/** 0 without conditions. */
export const conditionSetProgram = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Program)
/** The resource of a set of resources, else 0. */
export const conditionSetResource = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Resource)
