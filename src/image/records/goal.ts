// Fields of a goal: a pair of instance and role that the search over relations looked at. Valid until the next call.
import { Goal } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** The goal that led here, counted from 1; 0 for the first ones. */
export const goalFrom = (kernel: Kernel, goal: number): number => kernel.word(goal + Goal.From)
export const goalInstance = (kernel: Kernel, goal: number): number => kernel.word(goal + Goal.Instance)
export const goalRole = (kernel: Kernel, goal: number): number => kernel.word(goal + Goal.Role)
