// A set rule: users of one side may do something with resources of another (D6). assembly/abi.ts draws the record.
import { Permission, SetRule, Side } from '../../../assembly/abi.ts'
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { permissionOfRole, roleType } from './role.ts'
import { symbolTable } from './symbol.ts'

/** A condition set or a role. */
export const setRuleUsers = (kernel: Kernel, rule: number): number => kernel.word(rule + SetRule.Users)
/** A condition set or a resource. */
export const setRuleResources = (kernel: Kernel, rule: number): number => kernel.word(rule + SetRule.Resources)

/** Whether a side is a role on instances: true for those who hold it on the resource that is asked about (D17). */
export const isResourceRole = (kernel: Kernel, side: number): boolean =>
  symbolTable(kernel, side) === Table.Roles && roleType(kernel, side) !== 0

/**
 * Ids of the permissions that stand for the roles on instances among the user sets of a permission, given by its id: who has
 * one of them on a resource may be allowed there by a set rule.
 */
export function permissionsOfRoleSides(kernel: Kernel, permission: number): number[] {
  const ids: number[] = []
  const record = kernel.calls.permissionRecord(permission)
  for (const side of kernel.chain(kernel.word(record + Permission.RoleSides), Side.NextOfSet))
    ids.push(permissionOfRole(kernel, kernel.word(side + Side.Set)))
  return ids
}

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
