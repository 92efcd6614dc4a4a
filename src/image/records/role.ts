// A role, and the edges between roles. assembly/abi.ts draws the records.
import { Edge, Resource, Role } from '../../../assembly/abi.ts'
import { RULE_NO_DIRECT } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { parseTenantRole } from '../../model/objects.ts'
import { permissionKey, permissionRole } from './permission.ts'
import { listIds, rowIds } from './row.ts'

/** `role`, or `type/role`. */
export const roleKey = (kernel: Kernel, role: number): string => kernel.key(role, Role.Key)
/** Key of the tenant whose own role it is (D18); undefined for a role of the environment. */
export const roleTenant = (kernel: Kernel, role: number): string | undefined =>
  parseTenantRole(roleKey(kernel, role))?.tenant
/** The resource type of a resource role; 0 for a role in tenants. */
export const roleType = (kernel: Kernel, role: number): number => kernel.word(role + Role.Type)
/** Whether no rule of the role gives anything to a user with a direct role on the object. */
export const roleSkipsDirect = (kernel: Kernel, role: number): boolean =>
  (kernel.word(role + Role.Flags) & RULE_NO_DIRECT) !== 0

/** The key of a role without its type. */
export function bareRole(kernel: Kernel, role: number): string {
  const key = roleKey(kernel, role)
  return key.slice(key.indexOf('/') + 1)
}

/** Records of the roles that a role extends directly. */
export function roleParents(kernel: Kernel, role: number): number[] {
  const parents: number[] = []
  for (const edge of kernel.chain(kernel.word(role + Role.Parents), Edge.NextParent)) {
    parents.push(kernel.word(edge + Edge.Parent))
  }
  return parents
}

/** Records of the roles that extend a role directly. */
export function roleChildren(kernel: Kernel, role: number): number[] {
  const children: number[] = []
  for (const edge of kernel.chain(kernel.word(role + Role.Children), Edge.NextChild)) {
    children.push(kernel.word(edge + Edge.Child))
  }
  return children
}

export const hasResourceRoles = (kernel: Kernel, type: number): boolean => kernel.word(type + Resource.Roles) !== 0
/** The resource roles of a type, deleted ones too. */
export const eachRoleOfType = (kernel: Kernel, type: number): Iterable<number> =>
  kernel.chain(kernel.word(type + Resource.Roles), Role.NextOfType)

/** Keys of the permissions attached to a role itself. */
export function rolePermissions(kernel: Kernel, role: number): string[] {
  const ids = listIds(kernel, (first) => kernel.calls.listRole(role, first))
  return ids.map((id) => permissionKey(kernel, kernel.calls.permissionRecord(id)))
}

/** Ids of the permissions that a role has, inherited ones and those that stand for roles (D17) included. */
export const idsInRowOfRole = (kernel: Kernel, role: number): number[] => rowIds(kernel, role + Role.Row)

/** Ids of the permissions of actions that a role has, inherited ones included. */
export function permissionIdsOfRole(kernel: Kernel, role: number): number[] {
  const ids = idsInRowOfRole(kernel, role)
  if (roleType(kernel, role) === 0) return ids
  return ids.filter((id) => permissionRole(kernel, kernel.calls.permissionRecord(id)) === 0)
}

/**
 * The permission that stands for a role on instances where it is a user set (D17): those who have it on a resource hold the
 * role there, or one that extends it. No action has it.
 */
export const permissionOfRole = (kernel: Kernel, role: number): number => kernel.word(role + Role.Permission)
