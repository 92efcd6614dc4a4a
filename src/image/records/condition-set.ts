// A condition set. assembly/abi.ts draws the record.
import { ConditionSet } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

export const conditionSetKey = (kernel: Kernel, set: number): string => kernel.key(set, ConditionSet.Key)
/** SET_OF_USERS or SET_OF_RESOURCES. */
export const conditionSetKind = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Kind)
/** The resource of a set of resources, else 0. */
export const conditionSetResource = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Resource)
/** 0 without a parent. */
export const conditionSetParent = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Parent)
/** 0 without conditions. */
export const conditionSetProgram = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Program)
/** A text: the conditions as JSON. */
export const conditionSetJson = (kernel: Kernel, set: number): number => kernel.word(set + ConditionSet.Json)

/** The set itself, its parent, the parent of that, and so on. */
export const eachSetUpwards = (kernel: Kernel, set: number): Iterable<number> => kernel.chain(set, ConditionSet.Parent)

/** The sets whose parent a set is. */
export const eachChildOfSet = (kernel: Kernel, set: number): Iterable<number> =>
  kernel.chain(kernel.word(set + ConditionSet.Children), ConditionSet.NextOfParent)
