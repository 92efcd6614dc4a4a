// A goal: a pair of instance and role that the search over relations looked at. Valid until the next call.
import { GOAL_BYTES, Goal, WORK } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** A goal by its number, counted from 1. */
export const goalRecord = (number: number): number => WORK + (number - 1) * GOAL_BYTES
/** 0 for a resource without a stored instance. */
export const goalInstance = (kernel: Kernel, goal: number): number => kernel.word(goal + Goal.Instance)
export const goalRole = (kernel: Kernel, goal: number): number => kernel.word(goal + Goal.Role)
/** The number of the goal that led here; 0 for the first ones. */
export const goalFrom = (kernel: Kernel, goal: number): number => kernel.word(goal + Goal.From)
