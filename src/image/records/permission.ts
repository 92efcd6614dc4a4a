// A permission. assembly/abi.ts draws the record.
import { Permission, Resource } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'

/** `resource:action` */
export const permissionKey = (kernel: Kernel, permission: number): string => kernel.key(permission, Permission.Key)
/** Its bit in every row: dense, from 1. */
export const permissionId = (kernel: Kernel, permission: number): number => kernel.word(permission + Permission.Id)
export const permissionResource = (kernel: Kernel, permission: number): number =>
  kernel.word(permission + Permission.Resource)

/** The role on instances for which it stands where that is a user set (D17); 0 for the permission of an action. */
export const permissionRole = (kernel: Kernel, permission: number): number => kernel.word(permission + Permission.Role)

/** The permissions of the actions of a type, deleted ones too. */
export function* eachPermissionOfType(kernel: Kernel, type: number): Iterable<number> {
  for (const at of kernel.chain(kernel.word(type + Resource.Permissions), Permission.Next))
    if (permissionRole(kernel, at) === 0) yield at
}

/** Ids of the permissions of a type, each with its action. */
export function permissionsOfType(kernel: Kernel, type: number): [permission: number, action: string][] {
  const found: [number, string][] = []
  for (const at of eachPermissionOfType(kernel, type)) {
    if (!kernel.isLive(at)) continue
    const key = permissionKey(kernel, at)
    found.push([permissionId(kernel, at), key.slice(key.indexOf(':') + 1)])
  }
  return found
}
