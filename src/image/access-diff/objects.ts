// The objects of both images that questions are about: users, tenants, types, instances and permissions.

import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { findWritten } from '../look-up.ts'
import { everybodyStored, isSignOfEverybody } from '../records/everybody.ts'
import { hasSuspensions, isSuspended } from '../records/suspension.ts'
import type { SymbolTable } from '../records/symbol.ts'
import type { Changed } from './changed.ts'
import { type Kind, Twins } from './twins.ts'

export interface Objects {
  readonly users: Twins
  readonly tenants: Twins
  readonly types: Twins
  readonly instances: Twins
  readonly permissions: Twins
}

/** @param copied what changed, if one image is a copy of the other to which only these changes were applied */
export function makeObjects(kernels: readonly [Kernel, Kernel], copied?: Changed): Objects {
  return {
    users: new Twins(
      kernels,
      kernels.some(hasSuspensions) ? ACTIVE_USERS : USERS,
      copied && [...copied.users, EVERYBODY],
    ),
    tenants: new Twins(kernels, ofTable(Table.Tenants), copied?.tenants),
    types: new Twins(kernels, ofTable(Table.Resources)),
    instances: new Twins(kernels, ofTable(Table.Instances), copied?.instances),
    permissions: new Twins(kernels, PERMISSIONS), // the ids of permissions are used again
  }
}

const ofTable = (table: SymbolTable): Kind => ({
  write: (kernel, key) => kernel.writeWhole(key),
  find: (kernel, length) => findWritten(kernel, table, length),
  record: (_, id) => id,
  table,
})
/** Everybody is one of them: in an access diff what is given to everybody is asked about once (D16). */
const USERS: Kind = {
  ...ofTable(Table.Users),
  find: (kernel, length) =>
    isSignOfEverybody(kernel, length) ? everybodyStored(kernel) : findWritten(kernel, Table.Users, length),
}
/** Who is suspended is as good as not there: nothing is allowed to the user (D16). */
const ACTIVE_USERS: Kind = {
  ...USERS,
  counts: (kernel, id) => /* canary: twins-of-the-suspended */ !isSuspended(kernel, id),
}
const PERMISSIONS: Kind = {
  write: (kernel, key) => kernel.writeWhole(key),
  find: (kernel, length) => findWritten(kernel, Table.Permissions, length),
  record: (kernel, id) => kernel.calls.permissionRecord(id),
  table: Table.Permissions,
}

/** The key of an instance without its type. */
export function keyOn({ instances }: Objects, instance: number): string {
  const key = instances.key(instance)
  return key.slice(key.indexOf(':') + 1)
}
