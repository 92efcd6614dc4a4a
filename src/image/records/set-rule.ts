// Fields of a set rule. assembly/abi.ts draws the record.
import { SetRule } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** A condition set or a resource. */
export const setRuleResources = (kernel: Kernel, rule: number): number => kernel.word(rule + SetRule.Resources)
/** A condition set or a role. */
export const setRuleUsers = (kernel: Kernel, rule: number): number => kernel.word(rule + SetRule.Users)
