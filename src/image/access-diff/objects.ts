// The objects of both images that questions are about: users, tenants, types, instances and permissions.
import { Instance, Permission, Principal, Resource, Table } from '../../../assembly/abi.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Changed } from './changed.ts'
import { type Kind, Twins } from './twins.ts'

export interface Objects {
  readonly users: Twins
  readonly tenants: Twins
  readonly types: Twins
  readonly instances: Twins
  readonly permissions: Twins
}

/** @param isCopy whether one image is a copy of the other to which only these changes were applied */
export function objectsOf(kernels: readonly [Kernel, Kernel], changed: Changed, isCopy: boolean): Objects {
  const twins = (kind: Kind, keys: Iterable<string>, isSame = isCopy) => new Twins(kernels, kind, keys, isSame)
  return {
    users: twins(ofTable(Table.Users, Principal.Key), changed.users),
    tenants: twins(ofTable(Table.Tenants, Principal.Key), changed.tenants),
    instances: twins(ofTable(Table.Instances, Instance.Key), changed.instances),
    types: twins(ofTable(Table.Resources, Resource.Key), [], false),
    permissions: twins(PERMISSIONS, [], false), // their ids are used again
  }
}

const ofTable = (table: Table, at: number): Kind => ({
  write: (kernel, key) => kernel.writeWhole(key),
  find: (kernel, length) => kernel.calls.find(table, length),
  record: (_, id) => id,
  at,
})
const PERMISSIONS: Kind = {
  write: (kernel, key) => kernel.writeWhole(key),
  find: (kernel, length) => kernel.calls.findPermission(length),
  record: (kernel, id) => kernel.calls.permissionRecord(id),
  at: Permission.Key,
}

/** The key of an instance without its type. */
export function keyOn({ instances }: Objects, instance: number): string {
  const key = instances.key(instance)
  return key.slice(key.indexOf(':') + 1)
}
