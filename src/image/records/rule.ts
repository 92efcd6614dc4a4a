// A derivation rule: who has a role on a related instance has another one on the object (D5). assembly/abi.ts draws the
// record.
import { Role, Rule } from '../../../assembly/abi.ts'
import { RULE_NO_DIRECT } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { roleSkipsDirect } from './role.ts'

/** The role that is derived. */
export const ruleTarget = (kernel: Kernel, rule: number): number => kernel.word(rule + Rule.Target)
export const ruleRelation = (kernel: Kernel, rule: number): number => kernel.word(rule + Rule.Relation)
/** The role from which it is derived. */
export const ruleSource = (kernel: Kernel, rule: number): number => kernel.word(rule + Rule.Source)
/** Whether the rule itself gives nothing to a user with a direct role on the object. */
export const ruleAloneSkipsDirect = (kernel: Kernel, rule: number): boolean =>
  (kernel.word(rule + Rule.Flags) & RULE_NO_DIRECT) !== 0
/** Whether the rule, or all rules of its role, give nothing to a user with a direct role on the object. */
export const ruleSkipsDirect = (kernel: Kernel, rule: number, role: number): boolean =>
  ruleAloneSkipsDirect(kernel, rule) || roleSkipsDirect(kernel, role)

/** The rules that derive a role. */
export const eachRuleToRole = (kernel: Kernel, role: number): Iterable<number> =>
  kernel.chain(kernel.word(role + Role.Rules), Rule.NextOfTarget)

/** The rules that derive another role from a role. */
export const eachRuleFromRole = (kernel: Kernel, role: number): Iterable<number> =>
  kernel.chain(kernel.word(role + Role.Sources), Rule.NextOfSource)
