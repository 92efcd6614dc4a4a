// Roles: the own row (permissions attached), the effective row (own and those of every role that it extends, D4), and
// the edges of `extends` in both directions. A change recomputes the effective rows of the role and of what extends it,
// with a work list instead of recursion.
//
//   role ──Parents──► edge ──NextParent──► edge        child's side
//        ──Children─► edge ──NextChild───► edge        parent's side, doubly linked
//
// INVARIANT: a role without parents has Own = 0 and its effective row is its own; else effective = own ∪ parents'
// effective.
import { EDGE_BYTES, Edge, Header, PAGE_BYTES, PAGE_SHIFT, ROW_BYTES, ROW_PAGES, Role } from '../abi'
import { EXTENDS_DEPTH_MAX, Table } from '../limits'
import { clearBit, clearRow, dropPageIfEmpty, hasBit, pageAddress, setBit } from '../memory/bitset'
import { link, unlink } from '../memory/lists'
import { allocate, field, release } from '../memory/memory'
import { isLive, tombstone } from '../memory/symbols'
import { entryRecord, firstEntry, nextEntry } from '../memory/table'
import { countHolder } from './permissions'
import { clearRules, clearSources } from './relations'

/** End of the work list: not an address, so that a queued last role differs from one that is not queued. */
const QUEUE_END: u32 = 1

/** Address of the row that holds what is attached to the role itself. */
export function ownRow(role: u32): u32 {
  const own = load<u32>(role, Role.Own)
  return own !== 0 ? own : role + Role.Row
}

/** Does the role, or one that it extends, have the permission? */
export function holds(role: u32, permission: u32): bool {
  return hasBit(role + Role.Row, permission)
}

/** Takes every attached permission from the role; `addPermissions` and `refresh` must follow. */
export function clearPermissions(role: u32): void {
  const row = ownRow(role)
  for (let index: u32 = 0; index < (ROW_PAGES as u32); index++) {
    const page = pageAddress(row, index)
    if (page === 0) continue
    for (let offset: u32 = 0; offset < (PAGE_BYTES as u32); offset += 4) {
      for (let bits = load<u32>(page + offset); bits !== 0; bits &= bits - 1) {
        countHolder((index << PAGE_SHIFT) + offset * 8 + ctz<u32>(bits), -1)
      }
    }
  }
  clearRow(row)
}

/** Attaches the `count` permission ids at `list`. */
export function addPermissions(role: u32, list: u32, count: u32): void {
  const row = ownRow(role)
  for (let index: u32 = 0; index < count; index++) {
    const id = load<u32>(list + index * 4)
    if (setBit(row, id)) countHolder(id, 1)
  }
}

/** Replaces what the role extends by the `count` roles at `list`; `refresh` must follow. */
export function setParents(role: u32, list: u32, count: u32): void {
  let edge = load<u32>(role, Role.Parents)
  while (edge !== 0) {
    const next = load<u32>(edge, Edge.NextParent)
    unlinkFromParent(edge)
    release(edge, EDGE_BYTES)
    edge = next
  }
  store<u32>(role, 0, Role.Parents)
  for (let index = count; index > 0; index--) addParent(role, load<u32>(list + (index - 1) * 4))
}

function addParent(child: u32, parent: u32): void {
  const edge = allocate(EDGE_BYTES)
  store<u32>(edge, child, Edge.Child)
  store<u32>(edge, parent, Edge.Parent)
  store<u32>(edge, load<u32>(child, Role.Parents), Edge.NextParent)
  store<u32>(child, edge, Role.Parents)
  link(edge, parent + Role.Children, Edge.NextChild, Edge.PreviousChild)
}

function unlinkFromParent(edge: u32): void {
  unlink(edge, load<u32>(edge, Edge.Parent) + Role.Children, Edge.NextChild, Edge.PreviousChild)
}

/** Recomputes the effective row of the role and of everything that extends it. */
export function refresh(role: u32): void {
  store<u32>(role, QUEUE_END, Role.Queue)
  let first = role
  let last = role
  // In a graph without circles and of bounded depth a role is computed at most once for each level above it.
  let steps: u32 = (field(Header.Roles) + 1) * (EXTENDS_DEPTH_MAX + 1)
  while (first !== QUEUE_END) {
    if (steps-- === 0) unreachable()
    const current = first
    if (recompute(current) || current === role) {
      for (let edge = load<u32>(current, Role.Children); edge !== 0; edge = load<u32>(edge, Edge.NextChild)) {
        const child = load<u32>(edge, Edge.Child)
        if (load<u32>(child, Role.Queue) !== 0) continue
        store<u32>(child, QUEUE_END, Role.Queue)
        store<u32>(last, child, Role.Queue)
        last = child
      }
    }
    first = load<u32>(current, Role.Queue)
    store<u32>(current, 0, Role.Queue)
  }
}

/** Computes one effective row from its parents'; true when it changed. */
function recompute(role: u32): bool {
  const row = role + Role.Row
  let own = load<u32>(role, Role.Own)
  if (load<u32>(role, Role.Parents) === 0) {
    if (own === 0) return false
    clearRow(row)
    memory.copy(row, own, ROW_BYTES)
    release(own, ROW_BYTES)
    store<u32>(role, 0, Role.Own)
    return true
  }
  if (own === 0) {
    own = allocate(ROW_BYTES)
    memory.copy(own, row, ROW_BYTES)
    memory.fill(row, 0, ROW_BYTES)
    store<u32>(role, own, Role.Own)
  }
  let changed = false
  for (let index: u32 = 0; index < (ROW_PAGES as u32); index++) {
    if (recomputePage(role, own, row, index)) changed = true
  }
  return changed
}

function recomputePage(role: u32, own: u32, row: u32, index: u32): bool {
  const ownPage = pageAddress(own, index)
  let sources = ownPage
  for (let edge = load<u32>(role, Role.Parents); edge !== 0; edge = load<u32>(edge, Edge.NextParent)) {
    sources |= pageAddress(load<u32>(edge, Edge.Parent) + Role.Row, index)
  }
  let page = pageAddress(row, index)
  if (page === 0) {
    if (sources === 0) return false
    page = allocate(PAGE_BYTES)
    store<u32>(row + index * 4, page)
  }
  let changed = false
  for (let offset: u32 = 0; offset < (PAGE_BYTES as u32); offset += 8) {
    let bits: u64 = ownPage === 0 ? 0 : load<u64>(ownPage + offset)
    for (let edge = load<u32>(role, Role.Parents); edge !== 0; edge = load<u32>(edge, Edge.NextParent)) {
      const parentPage = pageAddress(load<u32>(edge, Edge.Parent) + Role.Row, index)
      if (parentPage !== 0) bits |= load<u64>(parentPage + offset)
    }
    if (bits !== load<u64>(page + offset)) {
      store<u64>(page + offset, bits)
      changed = true
    }
  }
  dropPageIfEmpty(row, index)
  return changed
}

/**
 * A role is gone: it has nothing, extends and derives nothing, and nothing extends it or is derived from it. Its
 * assignments are deleted by changes of their own.
 */
export function deleteRole(role: u32): void {
  if (!isLive(role)) return
  clearPermissions(role)
  clearRules(role, 0)
  clearSources(role)
  setParents(role, 0, 0)
  refresh(role)
  let edge = load<u32>(role, Role.Children)
  while (edge !== 0) {
    const child = load<u32>(edge, Edge.Child)
    unlinkFromChild(edge, child)
    unlinkFromParent(edge)
    release(edge, EDGE_BYTES)
    refresh(child)
    edge = load<u32>(role, Role.Children)
  }
  tombstone(Table.Roles, role)
}

function unlinkFromChild(edge: u32, child: u32): void {
  let before: u32 = 0
  let at = load<u32>(child, Role.Parents)
  while (at !== edge) {
    before = at
    at = load<u32>(at, Edge.NextParent)
  }
  const next = load<u32>(edge, Edge.NextParent)
  if (before === 0) store<u32>(child, next, Role.Parents)
  else store<u32>(before, next, Edge.NextParent)
}

/**
 * Takes a permission from every role that has it attached. Walks all roles: only a history without cascades comes here.
 */
export function withdraw(permission: u32): void {
  for (let entry = firstEntry(Table.Roles); entry !== 0; entry = nextEntry(Table.Roles, entry)) {
    const role = entryRecord(entry)
    if (!isLive(role) || !clearBit(ownRow(role), permission)) continue
    countHolder(permission, -1)
    refresh(role)
  }
}
