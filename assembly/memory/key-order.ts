// Orders of keys, for listings in pages: B+ trees over the records of a table. Users and instances each are in one, dead
// ones too, by the bytes of their keys: records are only ever added (an id belongs to a key), and compaction builds the
// tree anew. Live instances are also in one by their tenant, and there by their keys; what is deleted leaves it, and
// what gets another tenant moves.
//
//   root   │ node u32 │ height u32 │                          in the header, 0 while nothing is there
//   leaf   │ count │ next leaf or 0 │ record × 62 │
//   inner  │ count │ 0 │ (first record, node) × 31 │
//
// INVARIANT: the leaves, one after the other, have every record of the order once, each above the one before.
// INVARIANT: all leaves are `height` steps below the root; the first record of an entry is the first one below its
// node; no node is empty.
import {
  FANOUT,
  HEADER,
  Header,
  Instance,
  LEAF_RECORDS,
  NODE_BYTES,
  NODE_ENTRY_BYTES,
  Node,
  NodeEntry,
  OrderRoot,
  Principal,
  SCRATCH,
  SymbolRecord,
  VISIT_BYTES,
  Visit,
  WORK,
} from '../abi'
import { ORDER_HEIGHT_MAX, Order } from '../limits'
import { follow } from './lists'
import { allocate, release } from './memory'

function rootOfOrder(order: u32): u32 {
  return HEADER + Header.Orders + order * OrderRoot.Bytes
}

/** Below 0, 0 or above 0, as the key at `left` comes before, is, or comes after the one at `right`. */
function compareKeys(left: u32, leftLength: u32, right: u32, rightLength: u32): i32 {
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

/** Where keys begin in the records of an order. */
function keyIn(order: u32): u32 {
  return order === (Order.Users as u32) ? (Principal.Key as u32) : (Instance.Key as u32)
}

/** Where the records of an order have what counts before their key: their tenant in the order by tenants, else 0. */
function ownerIn(order: u32, record: u32): u32 {
  return order === (Order.Tenants as u32) ? load<u32>(record, Instance.Tenant) : 0
}

/** Does the record come after the key at `start`, in the order by tenants after that key of the tenant `owner`? */
function isAfter(record: u32, order: u32, owner: u32, start: u32, length: u32): bool {
  const own = ownerIn(order, record)
  if (own !== owner) return own > owner
  return compareKeys(record + keyIn(order), load<u16>(record, SymbolRecord.Meta) as u32, start, length) > 0
}

/** Does one record come after another one, which need not be there? */
export function isBehind(record: u32, order: u32, other: u32): bool {
  const length = load<u16>(other, SymbolRecord.Meta) as u32
  return isAfter(record, order, ownerIn(order, other), other + keyIn(order), length)
}

/**
 * Adds a record that is not there yet. Nodes that are full are split on the way down, so there is always room below.
 */
export function insertOrdered(order: u32, record: u32): void {
  const root = rootOfOrder(order)
  let node = load<u32>(root, OrderRoot.Node)
  let level = load<u32>(root, OrderRoot.Height)
  if (node === 0) {
    node = allocate(NODE_BYTES)
    store<u32>(root, node, OrderRoot.Node)
  } else if (isFull(node, level)) {
    const above = allocate(NODE_BYTES)
    store<u32>(above, 1, Node.Count)
    setEntry(above, 0, firstRecord(node), node)
    store<u32>(root, above, OrderRoot.Node)
    store<u32>(root, ++level, OrderRoot.Height)
    node = above
  }
  // Keys that come in ascending order leave full nodes behind; this is what the canonical build does.
  let last = true
  for (; level > 0; level--) {
    let slot = findSlot(node, order, record)
    if (slot === 0 && isBehind(entryFirst(node, 0), order, record)) setEntry(node, 0, record, entryNode(node, 0))
    last = last && slot === load<u32>(node, Node.Count) - 1
    if (isFull(entryNode(node, slot), level - 1)) {
      splitEntry(node, slot, level - 1, last, record, order)
      if (!isBehind(entryFirst(node, slot + 1), order, record)) slot++
    }
    node = entryNode(node, slot)
  }
  const count = load<u32>(node, Node.Count)
  const at = placeBehind(node, order, record)
  const place = node + Node.Entries + at * 4
  memory.copy(place + 4, place, (count - at) * 4)
  store<u32>(place, record)
  store<u32>(node, count + 1, Node.Count)
}

/**
 * Moves the end of a full node to a new one behind it; of the last node, when the record comes behind all of it, as
 * little as can be.
 */
function splitEntry(parent: u32, slot: u32, level: u32, last: bool, record: u32, order: u32): void {
  const node = entryNode(parent, slot)
  const sibling = allocate(NODE_BYTES)
  const full: u32 = level === 0 ? LEAF_RECORDS : FANOUT
  const bytes: u32 = level === 0 ? 4 : NODE_ENTRY_BYTES
  const ending = last && !isBehind(lastRecord(node, level), order, record)
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
  setEntry(parent, slot + 1, moved === 0 ? record : firstRecord(sibling), sibling)
  store<u32>(parent, count + 1, Node.Count)
}

/**
 * Takes out a record that is there. What becomes empty leaves the tree; other nodes are not put together, because a
 * few that are not full cost less than moving entries with each delete.
 */
export function removeOrdered(order: u32, record: u32): void {
  const root = rootOfOrder(order)
  const height = load<u32>(root, OrderRoot.Height)
  const leaf = walkDown(order, record, height)
  const count = load<u32>(leaf, Node.Count) - 1
  const at = placeBehind(leaf, order, record) - 1
  const place = leaf + Node.Entries + at * 4
  if (!ASC_NO_ASSERT) assert(at <= count && load<u32>(place) === record, 'a record is not in its order')
  if (at > count || load<u32>(place) !== record) unreachable()
  memory.copy(place, place + 4, (count - at) * 4)
  store<u32>(leaf, count, Node.Count)
  if (count === 0) unchain(leaf, height)
  let node = leaf
  let left = count
  for (let depth = height; depth > 0 && at === 0; depth--) {
    const above = visitedNode(depth - 1)
    const slot = visitedSlot(depth - 1)
    if (left === 0) {
      release(node, NODE_BYTES)
      left = takeEntry(above, slot)
    } else {
      setEntry(above, slot, firstRecord(node), node)
      if (slot !== 0) break
    }
    node = above
  }
  if (left === 0) {
    release(node, NODE_BYTES)
    store<u32>(root, 0, OrderRoot.Node)
    store<u32>(root, 0, OrderRoot.Height)
  } else {
    lowerRoot(root)
  }
}

/** The leaf of a record; the way down, node and slot of each level, is kept in the work area. */
function walkDown(order: u32, record: u32, height: u32): u32 {
  if (height > (ORDER_HEIGHT_MAX as u32)) unreachable()
  let node = load<u32>(rootOfOrder(order), OrderRoot.Node)
  for (let depth: u32 = 0; depth < height; depth++) {
    const slot = findSlot(node, order, record)
    store<u32>(WORK + depth * VISIT_BYTES, node, Visit.Node)
    store<u32>(WORK + depth * VISIT_BYTES, slot, Visit.Slot)
    node = entryNode(node, slot)
  }
  return node
}

function visitedNode(depth: u32): u32 {
  return load<u32>(WORK + depth * VISIT_BYTES, Visit.Node)
}

function visitedSlot(depth: u32): u32 {
  return load<u32>(WORK + depth * VISIT_BYTES, Visit.Slot)
}

/** The leaf before this one, to which the way down is kept, is followed by the one behind it. */
function unchain(leaf: u32, height: u32): void {
  let depth = height
  while (depth > 0 && visitedSlot(depth - 1) === 0) depth--
  if (depth === 0) return
  let node = entryNode(visitedNode(depth - 1), visitedSlot(depth - 1) - 1)
  for (; depth < height; depth++) node = entryNode(node, load<u32>(node, Node.Count) - 1)
  store<u32>(node, load<u32>(leaf, Node.Next), Node.Next)
}

/** Takes an entry out of an inner node; returns how many are left. */
function takeEntry(node: u32, slot: u32): u32 {
  const count = load<u32>(node, Node.Count) - 1
  const place = node + Node.Entries + slot * NODE_ENTRY_BYTES
  memory.copy(place, place + NODE_ENTRY_BYTES, (count - slot) * NODE_ENTRY_BYTES)
  store<u32>(node, count, Node.Count)
  return count
}

/** A root with one entry gives way to the node below. */
function lowerRoot(root: u32): void {
  for (;;) {
    const node = load<u32>(root, OrderRoot.Node)
    const height = load<u32>(root, OrderRoot.Height)
    if (height === 0 || load<u32>(node, Node.Count) > 1) return
    store<u32>(root, entryNode(node, 0), OrderRoot.Node)
    store<u32>(root, height - 1, OrderRoot.Height)
    release(node, NODE_BYTES)
  }
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
function firstRecord(node: u32): u32 {
  return load<u32>(node, Node.Entries)
}

/** The last record of a leaf, or the first one below the last entry. */
function lastRecord(node: u32, level: u32): u32 {
  const at = load<u32>(node, Node.Count) - 1
  return level === 0 ? load<u32>(node + at * 4, Node.Entries) : entryFirst(node, at)
}

/** The last entry of an inner node that does not begin after the key; the first one when all do. */
function slotFor(node: u32, order: u32, owner: u32, start: u32, length: u32): u32 {
  let low: u32 = 0
  let high = load<u32>(node, Node.Count)
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (isAfter(entryFirst(node, middle), order, owner, start, length)) high = middle
    else low = middle
  }
  return low
}

/** The same for the place of a record. */
function findSlot(node: u32, order: u32, record: u32): u32 {
  const length = load<u16>(record, SymbolRecord.Meta) as u32
  return slotFor(node, order, ownerIn(order, record), record + keyIn(order), length)
}

/** How many records of a leaf do not come after the key. */
function placeAfter(leaf: u32, order: u32, owner: u32, start: u32, length: u32): u32 {
  let low: u32 = 0
  let high = load<u32>(leaf, Node.Count)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isAfter(load<u32>(leaf + middle * 4, Node.Entries), order, owner, start, length)) high = middle
    else low = middle + 1
  }
  return low
}

/** The same for the place of a record. */
function placeBehind(leaf: u32, order: u32, record: u32): u32 {
  const length = load<u16>(record, SymbolRecord.Meta) as u32
  return placeAfter(leaf, order, ownerIn(order, record), record + keyIn(order), length)
}

/**
 * Writes to the scratch area up to `most` records that come after the key at `start`, dead ones too; in the order by
 * tenants after that key of the tenant `owner`, and those of other tenants behind it. Returns how many.
 */
export function recordsAfter(order: u32, owner: u32, start: u32, length: u32, most: u32): u32 {
  const root = rootOfOrder(order)
  let node = load<u32>(root, OrderRoot.Node)
  if (node === 0) return 0
  const height = load<u32>(root, OrderRoot.Height)
  if (height > (ORDER_HEIGHT_MAX as u32)) unreachable()
  for (let level = height; level > 0; level--) {
    node = entryNode(node, slotFor(node, order, owner, start, length))
  }
  let from = placeAfter(node, order, owner, start, length)
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
