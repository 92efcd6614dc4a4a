// The order of keys, for listings in pages: a B+ tree over the records of one table, dead ones too, by the bytes of
// their keys. Records are only ever added (an id belongs to a key), so nothing is ever taken out of a tree; compaction
// builds it anew.
//
//   root   │ node u32 │ height u32 │                          in the header, 0 while nothing is there
//   leaf   │ count │ next leaf or 0 │ record × 62 │
//   inner  │ count │ 0 │ (first record, node) × 31 │
//
// INVARIANT: the leaves, one after the other, have every record of the table once, each key above the one before.
// INVARIANT: all leaves are `height` steps below the root; the first record of an entry is the first one below its
// node; no node is empty.
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
  SCRATCH,
  SymbolRecord,
} from '../abi'
import { ORDER_HEIGHT_MAX } from '../limits'
import { follow } from './lists'
import { allocate } from './memory'

function rootOfOrder(order: u32): u32 {
  return HEADER + Header.Orders + order * OrderRoot.Bytes
}

/** Below 0, 0 or above 0, as the key at `left` comes before, is, or comes after the one at `right`. */
export function compareKeys(left: u32, leftLength: u32, right: u32, rightLength: u32): i32 {
  const common = leftLength < rightLength ? leftLength : rightLength
  let offset: u32 = 0
  while (offset + 8 <= common) {
    const a = load<u64>(left + offset)
    const b = load<u64>(right + offset)
    if (a !== b) return bswap<u64>(a) < bswap<u64>(b) ? -1 : 1
    offset += 8
  }
  while (offset < common) {
    const a = load<u8>(left + offset) as i32
    const b = load<u8>(right + offset) as i32
    if (a !== b) return a - b
    offset++
  }
  return (leftLength as i32) - (rightLength as i32)
}

/** Does the key of the record come after the one at `start`? Keys begin `offset` bytes into their records. */
function isAfter(record: u32, offset: u32, start: u32, length: u32): bool {
  return compareKeys(record + offset, load<u16>(record, SymbolRecord.Meta) as u32, start, length) > 0
}

/**
 * Adds a record that is not there yet. Nodes that are full are split on the way down, so there is always room below.
 */
export function insertOrdered(order: u32, record: u32, offset: u32): void {
  const root = rootOfOrder(order)
  const start = record + offset
  const length = load<u16>(record, SymbolRecord.Meta) as u32
  let node = load<u32>(root, OrderRoot.Node)
  let level = load<u32>(root, OrderRoot.Height)
  if (node === 0) {
    node = allocate(NODE_BYTES)
    store<u32>(root, node, OrderRoot.Node)
  } else if (isFull(node, level)) {
    const above = allocate(NODE_BYTES)
    store<u32>(above, 1, Node.Count)
    setEntry(above, 0, firstRecord(node, level), node)
    store<u32>(root, above, OrderRoot.Node)
    store<u32>(root, ++level, OrderRoot.Height)
    node = above
  }
  // Keys that come in ascending order leave full nodes behind; this is what the canonical build does.
  let last = true
  for (; level > 0; level--) {
    let slot = slotFor(node, offset, start, length)
    if (slot === 0 && isAfter(entryFirst(node, 0), offset, start, length)) setEntry(node, 0, record, entryNode(node, 0))
    last = last && slot === load<u32>(node, Node.Count) - 1
    if (isFull(entryNode(node, slot), level - 1)) {
      splitEntry(node, slot, level - 1, last, record, offset)
      if (!isAfter(entryFirst(node, slot + 1), offset, start, length)) slot++
    }
    node = entryNode(node, slot)
  }
  insertIntoLeaf(node, record, offset)
}

function insertIntoLeaf(leaf: u32, record: u32, offset: u32): void {
  const count = load<u32>(leaf, Node.Count)
  const place =
    leaf + Node.Entries + placeAfter(leaf, offset, record + offset, load<u16>(record, SymbolRecord.Meta) as u32) * 4
  const end = leaf + Node.Entries + count * 4
  memory.copy(place + 4, place, end - place)
  store<u32>(place, record)
  store<u32>(leaf, count + 1, Node.Count)
}

/**
 * Moves the end of a full node to a new one behind it; of the last node, when the record comes behind all of it, as
 * little as can be.
 */
function splitEntry(parent: u32, slot: u32, level: u32, last: bool, record: u32, offset: u32): void {
  const node = entryNode(parent, slot)
  const sibling = allocate(NODE_BYTES)
  const full: u32 = level === 0 ? LEAF_RECORDS : FANOUT
  const bytes: u32 = level === 0 ? 4 : NODE_ENTRY_BYTES
  const start = record + offset
  const ending = last && !isAfter(lastRecord(node, level), offset, start, load<u16>(record, SymbolRecord.Meta) as u32)
  const keep: u32 = ending ? (level === 0 ? full : full - 1) : (full + 1) >>> 1
  const moved = full - keep
  memory.copy(sibling + Node.Entries, node + Node.Entries + keep * bytes, moved * bytes)
  store<u32>(sibling, moved, Node.Count)
  store<u32>(node, keep, Node.Count)
  if (level === 0) {
    store<u32>(sibling, load<u32>(node, Node.Next), Node.Next)
    store<u32>(node, sibling, Node.Next)
  }
  const count = load<u32>(parent, Node.Count)
  const place = parent + Node.Entries + (slot + 1) * NODE_ENTRY_BYTES
  memory.copy(place + NODE_ENTRY_BYTES, place, (count - slot - 1) * NODE_ENTRY_BYTES)
  setEntry(parent, slot + 1, moved === 0 ? record : firstRecord(sibling, level), sibling)
  store<u32>(parent, count + 1, Node.Count)
}

function isFull(node: u32, level: u32): bool {
  return load<u32>(node, Node.Count) === ((level === 0 ? LEAF_RECORDS : FANOUT) as u32)
}

function entryFirst(node: u32, slot: u32): u32 {
  return load<u32>(node + slot * NODE_ENTRY_BYTES, Node.Entries + NodeEntry.First)
}

function entryNode(node: u32, slot: u32): u32 {
  return load<u32>(node + slot * NODE_ENTRY_BYTES, Node.Entries + NodeEntry.Node)
}

function setEntry(node: u32, slot: u32, first: u32, below: u32): void {
  store<u32>(node + slot * NODE_ENTRY_BYTES, first, Node.Entries + NodeEntry.First)
  store<u32>(node + slot * NODE_ENTRY_BYTES, below, Node.Entries + NodeEntry.Node)
}

/** Leaves and entries both begin with a record. */
function firstRecord(node: u32, _level: u32): u32 {
  return load<u32>(node, Node.Entries)
}

/** The last record of a leaf, or the first one below the last entry. */
function lastRecord(node: u32, level: u32): u32 {
  const at = load<u32>(node, Node.Count) - 1
  return level === 0 ? load<u32>(node + at * 4, Node.Entries) : entryFirst(node, at)
}

/** The last entry of an inner node that does not begin after the key; the first one when all do. */
function slotFor(node: u32, offset: u32, start: u32, length: u32): u32 {
  let low: u32 = 0
  let high = load<u32>(node, Node.Count)
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (isAfter(entryFirst(node, middle), offset, start, length)) high = middle
    else low = middle
  }
  return low
}

/** How many records of a leaf do not come after the key. */
function placeAfter(leaf: u32, offset: u32, start: u32, length: u32): u32 {
  let low: u32 = 0
  let high = load<u32>(leaf, Node.Count)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isAfter(load<u32>(leaf + middle * 4, Node.Entries), offset, start, length)) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Writes to the scratch area up to `most` records whose keys come after the one at `start`, dead ones too; returns how
 * many.
 */
export function recordsAfter(order: u32, offset: u32, start: u32, length: u32, most: u32): u32 {
  const root = rootOfOrder(order)
  let node = load<u32>(root, OrderRoot.Node)
  if (node === 0) return 0
  const height = load<u32>(root, OrderRoot.Height)
  if (height > (ORDER_HEIGHT_MAX as u32)) unreachable()
  for (let level = height; level > 0; level--) {
    node = entryNode(node, slotFor(node, offset, start, length))
  }
  let from = placeAfter(node, offset, start, length)
  let written: u32 = 0
  for (let left = most + 1; node !== 0 && written < most; node = load<u32>(node, Node.Next), left = follow(left)) {
    const count = load<u32>(node, Node.Count)
    if (count < from || count > (LEAF_RECORDS as u32)) unreachable()
    const here = count - from
    const taken = here < most - written ? here : most - written
    memory.copy(SCRATCH + written * 4, node + Node.Entries + from * 4, taken * 4)
    written += taken
    from = 0
  }
  return written
}
