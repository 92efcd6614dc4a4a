// The user sides of the set rules of a permission, and for which users they may be true.
import { Header, SetRule, Table } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { records, tableOf } from '../read-records.ts'
import { permissionId, permissionResource, permissionSetRules } from '../records/permission.ts'
import { setRuleResources, setRuleUsers } from '../records/set-rule.ts'

export interface SideRule {
  /** a condition set, or a role */
  readonly users: number
  /** a condition set, or a resource */
  readonly resources: number
}

/** The set rules of a permission. */
export function rulesOf(kernel: Kernel, permission: number): SideRule[] {
  const rules: SideRule[] = []
  if (kernel.field(Header.SetRules) === 0) return rules
  const record = kernel.calls.permissionRecord(permission)
  for (const at of kernel.chain(permissionSetRules(kernel, record), SetRule.Next)) {
    rules.push({ users: setRuleUsers(kernel, at), resources: setRuleResources(kernel, at) })
  }
  return rules
}

/**
 * Whether all rules of the permission are for roles: then they only allow users with a role in the tenant (D6: set
 * rules).
 */
export function areForRoles(kernel: Kernel, permission: number): boolean {
  return rulesOf(kernel, permission).every(({ users }) => tableOf(kernel, users) === Table.Roles)
}

/** Whether some rule of the permission is for a role. */
export function namesRoles(kernel: Kernel, permission: number): boolean {
  return rulesOf(kernel, permission).some(({ users }) => tableOf(kernel, users) === Table.Roles)
}

/** Ids of the permissions with set rules. */
export function ruledPermissions(kernel: Kernel): number[] {
  const found: number[] = []
  if (kernel.field(Header.SetRules) === 0) return found
  for (const record of records(kernel, Table.Permissions)) {
    if (permissionSetRules(kernel, record) !== 0) found.push(permissionId(kernel, record))
  }
  return found
}

/** The resource type of a permission. */
export function typeOfPermission(kernel: Kernel, permission: number): number {
  return permissionResource(kernel, kernel.calls.permissionRecord(permission))
}
