// The part of `verify` for roles: their rows of permissions, the edges between them, and how many roles hold a
// permission. Safe on any bytes, as the rest.
import { EDGE_BYTES, Edge, Header, PAGE_BYTES, PAGE_SHIFT, Permission, ROW_BYTES, ROW_PAGES, Role } from '../abi'
import { Fault, Table } from '../limits'
import { hasBit, isEmptyPage, pageAddress } from '../memory/bitset'
import { field } from '../memory/memory'
import { isLive } from '../memory/symbols'
import { entryRecord, firstEntry, nextEntry } from '../memory/table'
import { ownRow } from '../policy/roles'
import { inHeap, isLiveSymbol, isSymbol } from './bounds'

export function verifyRoles(): Fault {
  for (let entry = firstEntry(Table.Roles); entry !== 0; entry = nextEntry(Table.Roles, entry)) {
    const role = entryRecord(entry)
    if (load<u32>(role, Role.Queue) !== 0) return Fault.Row
    if (!soundRow(role + Role.Row)) return Fault.Row
    const own = load<u32>(role, Role.Own)
    if (own !== 0 && (!inHeap(own, ROW_BYTES) || !soundRow(own))) return Fault.Row
  }
  for (let entry = firstEntry(Table.Roles); entry !== 0; entry = nextEntry(Table.Roles, entry)) {
    const role = entryRecord(entry)
    if (!soundEdges(role)) return Fault.Edge
    if (!soundEffective(role) || !soundAsSet(role)) return Fault.Row
  }
  return verifyHolders()
}

function soundRow(row: u32): bool {
  for (let index: u32 = 1; index < (ROW_PAGES as u32); index++) {
    const page = load<u32>(row + index * 4)
    if (page !== 0 && (!inHeap(page, PAGE_BYTES) || isEmptyPage(page))) return false
  }
  return true
}

function soundEdges(role: u32): bool {
  const most = field(Header.Roles)
  let steps: u32 = 0
  for (let edge = load<u32>(role, Role.Parents); edge !== 0; edge = load<u32>(edge, Edge.NextParent)) {
    if (++steps > most || !inHeap(edge, EDGE_BYTES) || load<u32>(edge, Edge.Child) !== role) return false
    if (!isLiveSymbol(load<u32>(edge, Edge.Parent), Table.Roles)) return false
  }
  if ((load<u32>(role, Role.Own) !== 0) !== (load<u32>(role, Role.Parents) !== 0)) return false
  steps = 0
  let before: u32 = 0
  for (let edge = load<u32>(role, Role.Children); edge !== 0; edge = load<u32>(edge, Edge.NextChild)) {
    if (++steps > most || !inHeap(edge, EDGE_BYTES) || load<u32>(edge, Edge.Parent) !== role) return false
    if (load<u32>(edge, Edge.PreviousChild) !== before || !isLiveSymbol(load<u32>(edge, Edge.Child), Table.Roles))
      return false
    before = edge
  }
  return isLive(role) || (load<u32>(role, Role.Parents) === 0 && load<u32>(role, Role.Children) === 0)
}

/** effective = own ∪ parents' effective, and no bit beyond the permissions that are live. */
function soundEffective(role: u32): bool {
  let hasMore = hasPages(role + Role.Row) || hasPages(ownRow(role))
  for (let edge = load<u32>(role, Role.Parents); edge !== 0 && !hasMore; edge = load<u32>(edge, Edge.NextParent)) {
    hasMore = hasPages(load<u32>(edge, Edge.Parent) + Role.Row)
  }
  const pages: u32 = hasMore ? ROW_PAGES : 1
  for (let index: u32 = 0; index < pages; index++) {
    if (!soundPage(role, index)) return false
  }
  return true
}

/** Whether a row has more than its first page; few have. */
function hasPages(row: u32): bool {
  let pages: u32 = 0
  for (let index: u32 = 1; index < (ROW_PAGES as u32); index++) pages |= load<u32>(row + index * 4)
  return pages !== 0
}

function soundPage(role: u32, index: u32): bool {
  const page = pageAddress(role + Role.Row, index)
  const own = pageAddress(ownRow(role), index)
  let sources = page | own
  for (let edge = load<u32>(role, Role.Parents); edge !== 0; edge = load<u32>(edge, Edge.NextParent)) {
    sources |= pageAddress(load<u32>(edge, Edge.Parent) + Role.Row, index)
  }
  if (sources === 0) return true
  for (let offset: u32 = 0; offset < (PAGE_BYTES as u32); offset += 8) {
    let expected = bitsAt(own, offset)
    for (let edge = load<u32>(role, Role.Parents); edge !== 0; edge = load<u32>(edge, Edge.NextParent)) {
      expected |= bitsAt(pageAddress(load<u32>(edge, Edge.Parent) + Role.Row, index), offset)
    }
    if (bitsAt(page, offset) !== expected) return false
    if (expected !== 0 && !areLive(expected, (index << PAGE_SHIFT) + (offset << 3))) return false
  }
  return true
}

/** 64 bits of a page, from an offset on. */
function bitsAt(page: u32, offset: u32): u64 {
  return page === 0 ? 0 : load<u64>(page + offset)
}

/** Whether each bit is that of a live permission; the first one stands for the id `first`. */
function areLive(bits: u64, first: u32): bool {
  const top = field(Header.PermissionTop)
  for (let left = bits; left !== 0; left &= left - 1) {
    const id = first + (ctz<u64>(left) as u32)
    if (id === 0 || id > top || !isLive(load<u32>(field(Header.PermissionDirectory) + id * 4))) return false
  }
  return true
}

/** A role that stands for user sets has the permission that stands for it, and another one has none (D17). */
function soundAsSet(role: u32): bool {
  const id = load<u32>(role, Role.Permission)
  if (id === 0) return load<u32>(role, Role.Sides) === 0
  if (id > field(Header.PermissionTop) || load<u32>(role, Role.Type) === 0) return false
  const record = load<u32>(field(Header.PermissionDirectory) + id * 4)
  if (load<u32>(record, Permission.Role) !== role) return false
  const isSet = load<u32>(role, Role.Sides) !== 0
  return isLive(record) === isSet && (!isSet || (isLive(role) && hasBit(ownRow(role), id)))
}

/** The holders of a permission are as many as it says; its resource is live when it is. */
function verifyHolders(): Fault {
  const top = field(Header.PermissionTop)
  let expected: u64 = 0
  let asSets: u32 = 0
  for (let id: u32 = 1; id <= top; id++) {
    const record = load<u32>(field(Header.PermissionDirectory) + id * 4)
    expected += load<u32>(record, Permission.Holders) as u64
    if (isLive(record) && !isLive(load<u32>(record, Permission.Resource))) return Fault.Symbol
    const role = load<u32>(record, Permission.Role)
    if (role === 0) continue
    if (!isSymbol(role, Table.Roles) || load<u32>(role, Role.Permission) !== id) return Fault.Symbol
    if (isLive(record)) asSets++
  }
  if (asSets !== field(Header.RolesAsSets)) return Fault.Counter
  let held: u64 = 0
  for (let entry = firstEntry(Table.Roles); entry !== 0; entry = nextEntry(Table.Roles, entry)) {
    held += countBits(ownRow(entryRecord(entry)))
  }
  return held === expected ? Fault.None : Fault.Counter
}

function countBits(row: u32): u64 {
  let bits: u64 = 0
  for (let index: u32 = 0; index < (ROW_PAGES as u32); index++) {
    const page = pageAddress(row, index)
    if (page === 0) continue
    for (let offset: u32 = 0; offset < (PAGE_BYTES as u32); offset += 8) bits += popcnt<u64>(load<u64>(page + offset))
  }
  return bits
}
