// The user sides of the set rules of a permission, and for which users they may be true.
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { hasSetRules } from '../records/header.ts'
import { permissionId, permissionResource } from '../records/permission.ts'
import { eachSetRule, isInSetRule, isResourceRole, setRuleResources, setRuleUsers } from '../records/set-rule.ts'
import { symbolTable } from '../records/symbol.ts'
import { records } from '../records/tables.ts'

export interface SideRule {
  /** a condition set, or a role */
  readonly users: number
  /** a condition set, or a resource */
  readonly resources: number
}

/**
 * The set rules of a permission that may be true without a role on an instance: those whose user set is not a role on
 * instances (D17). What others give is found by the roles that users hold.
 */
export const listSideRulesOfAll = (kernel: Kernel, permission: number): SideRule[] =>
  listSideRules(kernel, permission).filter(({ users }) => !isResourceRole(kernel, users))

/** The set rules of a permission. */
export function listSideRules(kernel: Kernel, permission: number): SideRule[] {
  const rules: SideRule[] = []
  if (!hasSetRules(kernel)) return rules
  const record = kernel.calls.permissionRecord(permission)
  for (const at of eachSetRule(kernel, record)) {
    rules.push({ users: setRuleUsers(kernel, at), resources: setRuleResources(kernel, at) })
  }
  return rules
}

/** Whether the permission has set rules. */
export const hasRules = (kernel: Kernel, permission: number): boolean =>
  hasSetRules(kernel) && isInSetRule(kernel, kernel.calls.permissionRecord(permission))

/**
 * Whether all rules of the permission are for roles: then they only allow users with a role in the tenant (D6: set
 * rules), or on the resource, which is in it (D17).
 */
export function areForRoles(kernel: Kernel, permission: number): boolean {
  return listSideRules(kernel, permission).every(({ users }) => symbolTable(kernel, users) === Table.Roles)
}

/** Whether some rule of the permission is for a role. */
export function namesRoles(kernel: Kernel, permission: number): boolean {
  return listSideRulesOfAll(kernel, permission).some(({ users }) => symbolTable(kernel, users) === Table.Roles)
}

/** Ids of the permissions with set rules. */
export function ruledPermissions(kernel: Kernel): number[] {
  const found: number[] = []
  if (!hasSetRules(kernel)) return found
  for (const record of records(kernel, Table.Permissions)) {
    if (isInSetRule(kernel, record)) found.push(permissionId(kernel, record))
  }
  return found
}

/** The resource type of a permission. */
export function typeOfPermission(kernel: Kernel, permission: number): number {
  return permissionResource(kernel, kernel.calls.permissionRecord(permission))
}
