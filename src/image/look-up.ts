// From a key to an id: the only file that asks the kernel for one, so that nowhere an id of something deleted is used. A
// deleted object keeps its record and its id for the next object of its key; a look-up gives the id of what is live, or
// 0. An id is good for the revision at which it was looked up; live-ids.ts keeps some for longer, and lets go of those
// that a delta ends.
import { Table } from '../../assembly/limits.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { EVERYBODY } from '../model/keys.ts'
import { everybodyStored } from './records/everybody.ts'

/** The table in which the objects of a kind are symbols. */
export const TABLE_OF = {
  resource: Table.Resources,
  role: Table.Roles,
  tenant_role: Table.Roles,
  resource_role: Table.Roles,
  user: Table.Users,
  tenant: Table.Tenants,
  resource_instance: Table.Instances,
  condition_set: Table.Sets,
} as const

export type SymbolKind = keyof typeof TABLE_OF

/**
 * The id of the live object whose key the kernel was just given, or 0. `length` is what writing the key returned: below
 * 1 nothing has such a key.
 */
export function findWritten(kernel: Kernel, table: Table, length: number): number {
  if (length <= 0) return 0
  return table === Table.Permissions ? kernel.calls.findPermission(length) : kernel.calls.find(table, length)
}

/** The id of a live object of the kind, or 0. */
export function findSymbol(kernel: Kernel, kind: SymbolKind, key: string): number {
  const whole = kind === 'resource_role' || kind === 'resource_instance'
  return findWritten(kernel, TABLE_OF[kind], whole ? kernel.writeWhole(key) : kernel.writeKey(key))
}

/** The id of who may have roles: of a live user, or of the party that stands for everybody (D16); or 0. */
export function findHolder(kernel: Kernel, key: string): number {
  return key === EVERYBODY ? everybodyStored(kernel) : findSymbol(kernel, 'user', key)
}

/** The id of the stored instance `type:key`, or 0; also without a key. */
export function findInstance(kernel: Kernel, type: string, key: string | undefined): number {
  return key === undefined ? 0 : findWritten(kernel, Table.Instances, kernel.writePair(type, key))
}

/** The id of the permission to do `action` on `type`, or 0. */
export function findPermission(kernel: Kernel, type: string, action: string): number {
  return findWritten(kernel, Table.Permissions, kernel.writePair(type, action))
}

/** The id of a relation of the type that some rule or tuple names, or 0: one that none names gives nothing. */
export function findRelation(kernel: Kernel, type: string, relation: string): number {
  return findWritten(kernel, Table.Relations, kernel.writeWhole(`${type}/${relation}`))
}

/** The id of a path of attributes that some condition reads, or 0. */
export function findPath(kernel: Kernel, key: string): number {
  return findWritten(kernel, Table.Paths, kernel.writeLong(key))
}
