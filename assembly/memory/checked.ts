// What the debug build asserts of memory. scripts/checked-sources.mjs puts these in the place of every `load`, `store`,
// copy and fill of that build; a release has none of it, and nothing here writes anything else than it was asked to.
//
// - Every access lies in an area that is there: header, scratch, work to frames, or the heap up to its top.
// - A field of a record is read from a record of that kind (checked-records.ts).
// - In a doubly linked list the entry after this one names this one as the entry before it.
import { HEADER, Header, PAGE_BYTES, Permission, Root, TABLE_BYTES } from '../abi'
import { Table } from '../limits'
import { Checked, isBlock, isIn, isLinked, isRecord, isRoom } from './checked-records'

export { Checked } from './checked-records'

let kinds: bool = true

/** `verify` reads what may be anything: then only the areas are checked. */
export function checkKinds(on: bool): void {
  kinds = on
}

export function assertBlock(address: u32, bytes: u32): void {
  assert(isBlock(address, bytes), 'a pointer leads out of the heap')
}

/** Is this a symbol of that table? Nothing is asserted while an image is verified. */
export function assertSymbol(record: u32, table: u32): void {
  if (kinds) assert(isIn(record, table), 'a record is not of its kind')
}

export function loadChecked<T>(address: u32, offset: u32, kind: u32): T {
  assert(isRoom(address + offset, sizeof<T>()) && address <= address + offset, 'a load outside of the image')
  if (kinds && kind !== Checked.Any) {
    assert(isRecord(address, kind), 'a record is not of its kind')
    assert(isLinked(address, offset, kind), 'a list is broken')
  }
  return load<T>(address + offset)
}

export function storeChecked<T>(address: u32, value: T, offset: u32, kind: u32): void {
  assert(isRoom(address + offset, sizeof<T>()) && address <= address + offset, 'a store outside of the image')
  // Other records are stored field by field: they become what they are.
  if (kinds && kind !== Checked.Any && kind < (Checked.Edge as u32))
    assert(isRecord(address, kind), 'a record is not of its kind')
  store<T>(address + offset, value)
}

export function loadVectorChecked(address: u32, offset: u32): v128 {
  assert(isRoom(address + offset, 16), 'a load outside of the image')
  return v128.load(address + offset)
}

export function copyChecked(target: u32, source: u32, bytes: u32): void {
  assert(bytes === 0 || (isRoom(target, bytes) && isRoom(source, bytes)), 'a copy outside of the image')
  memory.copy(target, source, bytes)
}

export function fillChecked(target: u32, value: u8, bytes: u32): void {
  assert(bytes === 0 || isRoom(target, bytes), 'a store outside of the image')
  memory.fill(target, value, bytes)
}

/** Before a record is added: the counter of the header says how many there are. */
export function assertCount(table: u32): void {
  if (!kinds) return
  const count = load<u32>(HEADER + Header.Tables + table * TABLE_BYTES + Root.Count)
  switch (table) {
    case Table.Grants:
      assert(count === load<u32>(HEADER + Header.Grants), 'a counter is not the count')
      break
    case Table.RoleSets:
      assert(count === load<u32>(HEADER + Header.RoleSets), 'a counter is not the count')
      break
    case Table.Tuples:
      assert(count === load<u32>(HEADER + Header.Tuples), 'a counter is not the count')
      break
    case Table.Texts:
      assert(count === load<u32>(HEADER + Header.Texts), 'a counter is not the count')
      break
    case Table.SetRules:
      assert(count === load<u32>(HEADER + Header.SetRules), 'a counter is not the count')
      break
    case Table.Members:
      assert(count === load<u32>(HEADER + Header.Members), 'a counter is not the count')
      break
    default:
  }
}

/** A page of a row, or 0. */
export function assertPage(page: u32): void {
  if (kinds && page !== 0) assert(isBlock(page, PAGE_BYTES), 'a page of a row leads out of the heap')
}

/** The record in the directory has the id under which it is there. */
export function assertEntered(id: u32): void {
  if (!kinds) return
  const record = load<u32>(load<u32>(HEADER + Header.PermissionDirectory) + id * 4)
  assert(isIn(record, Table.Permissions) && load<u32>(record, Permission.Id) === id, 'a permission has another id')
}
