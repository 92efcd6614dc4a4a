// The part of `verify` about the order of keys: every record of the table once, in order, and a tree above the leaves that leads to them.
// Safe on any bytes: keys only ever rise, so a walk ends.
import {
  FANOUT,
  Fault,
  HEADER,
  Header,
  LEAF_RECORDS,
  NODE_BYTES,
  Node,
  Order,
  OrderRoot,
  Root,
  Table,
  WORK,
} from '../abi'
import { compareKeys } from '../memory/key-order'
import { keyLength, keyOffset } from '../memory/symbols'
import { rootOf } from '../memory/table'
import { inHeap, isSymbol } from './bounds'

/** Higher than any tree of records that fit into an image. */
const HEIGHT_MAX: u32 = 8

let previous: u32 = 0
let seen: u32 = 0
let awaited: u32 = 0

export function verifyOrders(): Fault {
  if (!soundOrder(Order.Users, Table.Users)) return Fault.Order
  return soundOrder(Order.Instances, Table.Instances) ? Fault.None : Fault.Order
}

/** Walks the tree depth first; the way down is kept in the work area: node, next slot. */
function soundOrder(order: u32, table: u32): bool {
  const root = HEADER + Header.Orders + order * OrderRoot.Bytes
  const height = load<u32>(root, OrderRoot.Height)
  const total = load<u32>(rootOf(table), Root.Count)
  const node = load<u32>(root, OrderRoot.Node)
  if (node === 0) return total === 0 && height === 0
  if (height > HEIGHT_MAX) return false
  previous = 0
  seen = 0
  awaited = 0
  if (!soundNode(node, height)) return false
  if (height === 0) return soundLeaf(node, table, total) && awaited === 0 && seen === total
  let depth: u32 = 0
  store<u32>(WORK, node)
  store<u32>(WORK, 0, 4)
  for (;;) {
    const at = WORK + depth * 8
    const above = load<u32>(at)
    const slot = load<u32>(at, 4)
    if (slot === load<u32>(above, Node.Count)) {
      if (depth === 0) break
      depth--
      continue
    }
    store<u32>(at, slot + 1, 4)
    const below = load<u32>(above + slot * 8, Node.Entries + 4)
    const level = height - depth - 1
    if (!soundNode(below, level)) return false
    if (load<u32>(below, Node.Entries) !== load<u32>(above + slot * 8, Node.Entries)) return false
    if (level === 0) {
      if (!soundLeaf(below, table, total)) return false
    } else {
      depth++
      store<u32>(WORK + depth * 8, below)
      store<u32>(WORK + depth * 8, 0, 4)
    }
  }
  return awaited === 0 && seen === total
}

function soundNode(node: u32, level: u32): bool {
  if (!inHeap(node, NODE_BYTES)) return false
  const count = load<u32>(node, Node.Count)
  return count > 0 && count <= ((level === 0 ? LEAF_RECORDS : FANOUT) as u32)
}

function soundLeaf(leaf: u32, table: u32, total: u32): bool {
  if (previous !== 0 && leaf !== awaited) return false
  const offset = keyOffset(table)
  const count = load<u32>(leaf, Node.Count)
  for (let index: u32 = 0; index < count; index++) {
    const record = load<u32>(leaf + index * 4, Node.Entries)
    if (++seen > total || !isSymbol(record, table)) return false
    if (previous !== 0) {
      const rises = compareKeys(previous + offset, keyLength(previous), record + offset, keyLength(record)) < 0
      if (!rises) return false
    }
    previous = record
  }
  awaited = load<u32>(leaf, Node.Next)
  return true
}
