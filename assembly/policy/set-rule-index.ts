// The index over set rules: what the rules of a permission name as users, and as resources, grouped by the values of
// its equality tests, so that a check evaluates what can be true and leaves the rest alone (candidates.ts). A set in
// many rules is one side of a permission.
//
//   permission ──► index of kind, paths ──► group of values ──► side: set, role or resource ──► its rules
//                                            ▲ Table.Groups      ▲ Table.Sides
//
// INVARIANT: a side is there while a rule names it; it lies in the group of its tests, or in the index without tests.
// INVARIANT: no index is without groups, no group without sides; a permission has at most INDEXES_MAX of a kind, and
// one without tests.
import {
  ConditionSet,
  GROUP_BYTES,
  Group,
  INDEX_BYTES,
  Index,
  Permission,
  SIDE_BYTES,
  Side,
  SymbolRecord,
} from '../abi'
import { INDEXES_MAX, SET_OF_USERS, Table } from '../limits'
import { link, unlink } from '../memory/lists'
import { allocate, release } from '../memory/memory'
import { groupAt, indexAt, sideAt } from '../memory/records'
import { firstMatch, insert, matchedRecord, nextMatch, remove } from '../memory/table'
import { GATHERED, gatherTests, hashOfTest, mix, pathOfTest } from './equality-tests'
import { permissionRecord } from './permissions'
import { addRoleSide, isResourceRole, removeRoleSide } from './role-sides'

const QUEUE_END: u32 = 1

export function sideHash(permission: u32, kind: u32, set: u32): u32 {
  return mix(mix(permission * 2 + (kind & 1), 0x9e3779b1), set)
}

export function findSide(permission: u32, kind: u32, set: u32): u32 {
  const hash = sideHash(permission, kind, set)
  for (let match = firstMatch(Table.Sides, hash); match !== 0; match = nextMatch(match, hash)) {
    const side = matchedRecord(match)
    if (sideAt(side).permission === permission && sideAt(side).kind === kind && sideAt(side).set === set) return side
  }
  return 0
}

/** One more rule of the permission names the set, role or resource; returns its side. */
export function addToSide(permission: u32, kind: u32, set: u32): u32 {
  let side = findSide(permission, kind, set)
  if (side === 0) {
    side = allocate(SIDE_BYTES)
    sideAt(side).permission = permission
    sideAt(side).kind = kind
    sideAt(side).set = set
    if (isSet(set)) link(side, set + ConditionSet.Sides, Side.NextOfSet, Side.PreviousOfSet)
    else if (isResourceRole(set)) addRoleSide(side)
    insert(Table.Sides, sideHash(permission, kind, set), side)
    place(side)
  }
  sideAt(side).count = sideAt(side).count + 1
  return side
}

/** One rule less names it. */
export function takeFromSide(side: u32): void {
  const count = sideAt(side).count - 1
  sideAt(side).count = count
  if (count !== 0) return
  const set = sideAt(side).set
  leaveGroup(side)
  if (isSet(set)) unlink(side, set + ConditionSet.Sides, Side.NextOfSet, Side.PreviousOfSet)
  else if (isResourceRole(set)) removeRoleSide(side)
  remove(Table.Sides, sideHash(sideAt(side).permission, sideAt(side).kind, set), side)
  release(side, SIDE_BYTES)
}

function isSet(record: u32): bool {
  return (load<u8>(record, SymbolRecord.Table) as u32) === Table.Sets
}

/** Makes `parent` (0 for none) the set above a set that has none. */
export function setAbove(set: u32, parent: u32): void {
  if (parent === 0) return
  store<u32>(set, parent, ConditionSet.Parent)
  link(set, parent + ConditionSet.Children, ConditionSet.NextOfParent, ConditionSet.PreviousOfParent)
}

export function clearAbove(set: u32): void {
  const parent = load<u32>(set, ConditionSet.Parent)
  if (parent === 0) return
  store<u32>(set, 0, ConditionSet.Parent)
  unlink(set, parent + ConditionSet.Children, ConditionSet.NextOfParent, ConditionSet.PreviousOfParent)
}

/** What a set says changed: moves its sides, and those of the sets below it, to where they belong now. */
export function moveSides(first: u32): void {
  store<u32>(first, QUEUE_END, ConditionSet.Queue)
  let last = first
  // The links stay until the end: a set is visited once, also in a circle.
  for (let set = first; set !== QUEUE_END; set = load<u32>(set, ConditionSet.Queue)) {
    for (let side = load<u32>(set, ConditionSet.Sides); side !== 0; side = sideAt(side).nextOfSet) place(side)
    let child = load<u32>(set, ConditionSet.Children)
    for (; child !== 0; child = load<u32>(child, ConditionSet.NextOfParent)) {
      if (load<u32>(child, ConditionSet.Queue) !== 0) continue
      store<u32>(child, QUEUE_END, ConditionSet.Queue)
      store<u32>(last, child, ConditionSet.Queue)
      last = child
    }
  }
  for (let set = first; set !== QUEUE_END; ) {
    const next = load<u32>(set, ConditionSet.Queue)
    store<u32>(set, 0, ConditionSet.Queue)
    set = next
  }
}

/** Puts a side into the group of its tests, unless it is there. */
function place(side: u32): void {
  let count = gatherTests(sideAt(side).set)
  const permission = sideAt(side).permission
  const kind = sideAt(side).kind
  const old = sideAt(side).group
  let index = findIndex(permission, kind, count)
  if (old !== 0) {
    if (index === groupAt(old).index && groupHash(index, count) === groupAt(old).hash) return
    leaveGroup(side)
    index = findIndex(permission, kind, count)
  }
  if (index === 0 && count !== 0 && isFull(permission, kind)) {
    count = 0
    index = findIndex(permission, kind, 0)
  }
  if (index === 0) index = addIndex(permission, kind, count)
  joinGroup(side, index, groupHash(index, count))
}

/** The hash of a group whose sides have the tests at GATHERED. */
export function groupHash(index: u32, count: u32): u32 {
  let hash = toSeed(index)
  for (let each: u32 = 0; each < count; each++) hash = mix(hash, hashOfTest(GATHERED, each))
  return hash
}

export function toSeed(index: u32): u32 {
  return index * 0x9e3779b1
}

export function indexesAddress(permission: u32, kind: u32): u32 {
  return permissionRecord(permission) + (kind === SET_OF_USERS ? Permission.UserIndexes : Permission.ResourceIndexes)
}

/** The index of the paths at GATHERED, or 0. */
function findIndex(permission: u32, kind: u32, count: u32): u32 {
  let index = load<u32>(indexesAddress(permission, kind))
  while (index !== 0 && !hasPaths(index, count)) index = indexAt(index).next
  return index
}

/** Does the index read the paths at GATHERED? */
export function hasPaths(index: u32, count: u32): bool {
  if (indexAt(index).count !== count) return false
  for (let each: u32 = 0; each < count; each++) {
    if (load<u32>(index + each * 4, Index.Paths) !== pathOfTest(GATHERED, each)) return false
  }
  return true
}

/** Are there as many indexes as a check may look at, apart from the one without tests? */
function isFull(permission: u32, kind: u32): bool {
  let count: u32 = 0
  for (let index = load<u32>(indexesAddress(permission, kind)); index !== 0; index = indexAt(index).next) {
    if (indexAt(index).count !== 0) count++
  }
  return count >= (INDEXES_MAX as u32)
}

function addIndex(permission: u32, kind: u32, count: u32): u32 {
  const index = allocate(INDEX_BYTES)
  indexAt(index).permission = permission
  indexAt(index).kind = kind
  indexAt(index).count = count
  for (let each: u32 = 0; each < count; each++) store<u32>(index + each * 4, pathOfTest(GATHERED, each), Index.Paths)
  link(index, indexesAddress(permission, kind), Index.Next, Index.Previous)
  return index
}

export function findGroup(index: u32, hash: u32): u32 {
  for (let match = firstMatch(Table.Groups, hash); match !== 0; match = nextMatch(match, hash)) {
    const group = matchedRecord(match)
    /* canary: index-of-a-group */
    if (groupAt(group).index === index) return group
  }
  return 0
}

function joinGroup(side: u32, index: u32, hash: u32): void {
  let group = findGroup(index, hash)
  if (group === 0) {
    group = allocate(GROUP_BYTES)
    groupAt(group).index = index
    groupAt(group).hash = hash
    link(group, index + Index.Groups, Group.Next, Group.Previous)
    insert(Table.Groups, hash, group)
  }
  sideAt(side).group = group
  link(side, group + Group.Sides, Side.NextOfGroup, Side.PreviousOfGroup)
}

/** Takes a side out of its group; what is empty then goes. */
function leaveGroup(side: u32): void {
  const group = sideAt(side).group
  unlink(side, group + Group.Sides, Side.NextOfGroup, Side.PreviousOfGroup)
  sideAt(side).group = 0
  if (groupAt(group).sides !== 0) return
  const index = groupAt(group).index
  unlink(group, index + Index.Groups, Group.Next, Group.Previous)
  remove(Table.Groups, groupAt(group).hash, group)
  release(group, GROUP_BYTES)
  if (indexAt(index).groups !== 0) return
  unlink(index, indexesAddress(indexAt(index).permission, indexAt(index).kind), Index.Next, Index.Previous)
  release(index, INDEX_BYTES)
}
