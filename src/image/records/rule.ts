// Fields of a derivation rule (D5). assembly/abi.ts draws the record.
import { Rule } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** RULE_NO_DIRECT, or 0. */
export const ruleFlags = (kernel: Kernel, rule: number): number => kernel.word(rule + Rule.Flags)
export const ruleRelation = (kernel: Kernel, rule: number): number => kernel.word(rule + Rule.Relation)
export const ruleSource = (kernel: Kernel, rule: number): number => kernel.word(rule + Rule.Source)
export const ruleTarget = (kernel: Kernel, rule: number): number => kernel.word(rule + Rule.Target)
