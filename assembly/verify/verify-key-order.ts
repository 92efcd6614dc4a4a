// The part of `verify` about the orders of keys: every record of the order once, each above the one before, and a tree
// above the leaves that leads to them. Safe on any bytes: records only ever rise, so a walk ends.
import {
  FANOUT,
  HEADER,
  Header,
  LEAF_RECORDS,
  NODE_BYTES,
  NODE_ENTRY_BYTES,
  Node,
  NodeEntry,
  OrderRoot,
  Root,
  TALLY,
  Tally,
  VISIT_BYTES,
  Visit,
  WORK,
} from '../abi'
import { Fault, ORDER_HEIGHT_MAX, Order, Table } from '../limits'
import { isBehind } from '../memory/key-order'
import { field } from '../memory/memory'
import { isLive } from '../memory/symbols'
import { rootAddress } from '../memory/table'
import { inHeap, isSymbol } from './bounds'

export function verifyOrders(): Fault {
  if (!soundOrder(Order.Users, Table.Users, countEntries(Table.Users))) return Fault.Order
  if (!soundOrder(Order.Instances, Table.Instances, countEntries(Table.Instances))) return Fault.Order
  return soundOrder(Order.Tenants, Table.Instances, field(Header.Instances)) ? Fault.None : Fault.Order
}

function countEntries(table: u32): u32 {
  return load<u32>(rootAddress(table), Root.Count)
}

/** Walks the tree depth first; the way down is kept in the work area: node, next slot. */
function soundOrder(order: u32, table: u32, total: u32): bool {
  const root = HEADER + Header.Orders + order * OrderRoot.Bytes
  const height = load<u32>(root, OrderRoot.Height)
  const node = load<u32>(root, OrderRoot.Node)
  if (node === 0) return total === 0 && height === 0
  if (height > (ORDER_HEIGHT_MAX as u32)) return false
  store<u32>(TALLY, 0, Tally.Previous)
  store<u32>(TALLY, 0, Tally.Seen)
  store<u32>(TALLY, 0, Tally.Awaited)
  if (!soundNode(node, height)) return false
  if (height === 0) return soundLeaf(node, order, table, total) && isWhole(total)
  let depth: u32 = 0
  visit(depth, node)
  for (;;) {
    const at = WORK + depth * VISIT_BYTES
    const above = load<u32>(at, Visit.Node)
    const slot = load<u32>(at, Visit.Slot)
    if (slot === load<u32>(above, Node.Count)) {
      if (depth === 0) break
      depth--
      continue
    }
    store<u32>(at, slot + 1, Visit.Slot)
    const entry = above + Node.Entries + slot * NODE_ENTRY_BYTES
    const below = load<u32>(entry, NodeEntry.Node)
    const level = height - depth - 1
    if (!soundNode(below, level)) return false
    if (load<u32>(below, Node.Entries) !== load<u32>(entry, NodeEntry.First)) return false
    if (level === 0) {
      if (!soundLeaf(below, order, table, total)) return false
    } else {
      visit(++depth, below)
    }
  }
  return isWhole(total)
}

/** Did the last leaf end the order, with every record seen? */
function isWhole(total: u32): bool {
  return load<u32>(TALLY, Tally.Awaited) === 0 && load<u32>(TALLY, Tally.Seen) === total
}

function visit(depth: u32, node: u32): void {
  store<u32>(WORK + depth * VISIT_BYTES, node, Visit.Node)
  store<u32>(WORK + depth * VISIT_BYTES, 0, Visit.Slot)
}

function soundNode(node: u32, level: u32): bool {
  if (!inHeap(node, NODE_BYTES)) return false
  const count = load<u32>(node, Node.Count)
  return count > 0 && count <= ((level === 0 ? LEAF_RECORDS : FANOUT) as u32)
}

function soundLeaf(leaf: u32, order: u32, table: u32, total: u32): bool {
  let previous = load<u32>(TALLY, Tally.Previous)
  if (previous !== 0 && leaf !== load<u32>(TALLY, Tally.Awaited)) return false
  const count = load<u32>(leaf, Node.Count)
  const seen = load<u32>(TALLY, Tally.Seen) + count
  if (seen > total) return false
  for (let index: u32 = 0; index < count; index++) {
    const record = load<u32>(leaf + index * 4, Node.Entries)
    if (!isSymbol(record, table)) return false
    if (order === (Order.Tenants as u32) && !isLive(record)) return false
    if (previous !== 0 && !isBehind(record, order, previous)) return false
    previous = record
  }
  store<u32>(TALLY, previous, Tally.Previous)
  store<u32>(TALLY, seen, Tally.Seen)
  store<u32>(TALLY, load<u32>(leaf, Node.Next), Tally.Awaited)
  return true
}
