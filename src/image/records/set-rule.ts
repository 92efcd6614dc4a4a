// A set rule: users of one side may do something with resources of another (D6). assembly/abi.ts draws the record.
import { Permission, SetRule } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** A condition set or a role. */
export const setRuleUsers = (kernel: Kernel, rule: number): number => kernel.word(rule + SetRule.Users)
/** A condition set or a resource. */
export const setRuleResources = (kernel: Kernel, rule: number): number => kernel.word(rule + SetRule.Resources)

export const isInSetRule = (kernel: Kernel, permission: number): boolean =>
  kernel.word(permission + Permission.SetRules) !== 0
/** The set rules of a permission, which is given by its record. */
export const eachSetRule = (kernel: Kernel, permission: number): Iterable<number> =>
  kernel.chain(kernel.word(permission + Permission.SetRules), SetRule.Next)

/** Records of the set rules of a permission, which is given by its id. */
export function permissionSetRules(kernel: Kernel, permission: number): number[] {
  const rules: number[] = []
  const record = kernel.calls.permissionRecord(permission)
  for (const rule of eachSetRule(kernel, record)) rules.push(rule)
  return rules
}
