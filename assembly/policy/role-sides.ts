// Resource roles that stand for user sets (D17). Each has a permission that no action names: its key is the one of the
// role, so no question finds it. Whoever has that permission on the resource holds the role there, or one that extends
// it, directly or derived: rows, search, listings and filters say it as of any other permission.
//
//   permission of the rules ──RoleSides──► side ──► role ──Permission──► the permission that stands for it
//
// INVARIANT: Role.Sides is the number of sides that are the role; while it is not 0, the own row of the role has the
// permission that stands for it, and that one is live.
import { Header, Permission, Role, Side, SymbolRecord } from '../abi'
import { Table } from '../limits'
import { clearBit, setBit } from '../memory/bitset'
import { link, unlink } from '../memory/lists'
import { addToField } from '../memory/memory'
import { sideAt } from '../memory/records'
import { keyLength, tombstone } from '../memory/symbols'
import { countHolder, permissionRecord, putPermission } from './permissions'
import { ownRow, refresh } from './roles'

/** Is this side of a set rule a role on instances? */
export function isResourceRole(side: u32): bool {
  return (load<u8>(side, SymbolRecord.Table) as u32) === Table.Roles && load<u32>(side, Role.Type) !== 0
}

/** A side that is a resource role is there. */
export function addRoleSide(side: u32): void {
  const role = sideAt(side).set
  link(side, permissionRecord(sideAt(side).permission) + Permission.RoleSides, Side.NextOfSet, Side.PreviousOfSet)
  const sides = load<u32>(role, Role.Sides)
  store<u32>(role, sides + 1, Role.Sides)
  if (sides !== 0) return
  const id = putPermission(load<u32>(role, Role.Type), role + Role.Key, keyLength(role))
  store<u32>(permissionRecord(id), role, Permission.Role)
  store<u32>(role, id, Role.Permission)
  addToField(Header.RolesAsSets, 1)
  keepRoleAsSet(role)
  refresh(role)
}

/** It goes; with the last one of the role also the permission that stands for it. */
export function removeRoleSide(side: u32): void {
  const role = sideAt(side).set
  unlink(side, permissionRecord(sideAt(side).permission) + Permission.RoleSides, Side.NextOfSet, Side.PreviousOfSet)
  const sides = load<u32>(role, Role.Sides) - 1
  store<u32>(role, sides, Role.Sides)
  if (sides !== 0) return
  const id = load<u32>(role, Role.Permission)
  if (clearBit(ownRow(role), id)) countHolder(id, -1)
  refresh(role)
  tombstone(Table.Permissions, permissionRecord(id))
  addToField(Header.RolesAsSets, -1)
}

/** Attaches the permission that stands for the role again, after all of its permissions were taken. */
export function keepRoleAsSet(role: u32): void {
  if (load<u32>(role, Role.Sides) === 0) return
  const id = load<u32>(role, Role.Permission)
  if (setBit(ownRow(role), id)) countHolder(id, 1)
}
