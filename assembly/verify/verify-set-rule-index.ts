// The part of `verify` for the index over set rules: sides, groups, indexes, and what sets keep for it. Safe on any
// bytes, as the rest; it runs when sets and set rules are known to be sound.
import {
  ConditionSet,
  GROUP_BYTES,
  Group,
  Header,
  INDEX_BYTES,
  Index,
  LIST_TEST,
  Permission,
  Role,
  Root,
  SIDE_BYTES,
  Side,
  SymbolRecord,
  TALLY,
  Tally,
  Tests,
} from '../abi'
import { Fault, INDEX_TESTS_MAX, INDEXES_MAX, SET_OF_RESOURCES, SET_OF_USERS, Table } from '../limits'
import { field } from '../memory/memory'
import { isLive } from '../memory/symbols'
import { entryRecord, firstEntry, hashOfEntry, nextEntry, rootAddress } from '../memory/table'
import { findTests, GATHERED, gatherTests, hashOfTest, pathOfTest, testsBytes } from '../policy/equality-tests'
import { permissionRecord } from '../policy/permissions'
import { isResourceRole } from '../policy/role-sides'
import { findGroup, findSide, groupHash, hasPaths, indexesAddress, sideHash } from '../policy/set-rule-index'
import { inHeap, isLiveSymbol } from './bounds'

export function verifySides(): Fault {
  const top = field(Header.PermissionTop)
  for (let id: u32 = 1; id <= top; id++) {
    if (!soundIndexes(id, SET_OF_USERS) || !soundIndexes(id, SET_OF_RESOURCES)) return Fault.Index
  }
  if (load<u32>(TALLY, Tally.Groups) !== load<u32>(rootAddress(Table.Groups), Root.Count)) return Fault.Index
  if (load<u32>(TALLY, Tally.Sides) !== load<u32>(rootAddress(Table.Sides), Root.Count)) return Fault.Index
  return soundSets() ? eachSide() : Fault.Index
}

function soundIndexes(permission: u32, kind: u32): bool {
  let count: u32 = 0
  let before: u32 = 0
  for (let index = load<u32>(indexesAddress(permission, kind)); index !== 0; index = load<u32>(index, Index.Next)) {
    if (++count > (INDEXES_MAX as u32) + 1 || !inHeap(index, INDEX_BYTES)) return false
    if (load<u32>(index, Index.Permission) !== permission || load<u32>(index, Index.Kind) !== kind) return false
    if (load<u32>(index, Index.Previous) !== before || load<u32>(index, Index.Groups) === 0) return false
    if (!soundPaths(index) || !soundGroups(index)) return false
    before = index
  }
  return count === 0 || isLive(permissionRecord(permission))
}

/** Live paths, ascending, a list last. */
function soundPaths(index: u32): bool {
  const count = load<u32>(index, Index.Count)
  if (count > (INDEX_TESTS_MAX as u32)) return false
  let before: u32 = 0
  for (let each: u32 = 0; each < count; each++) {
    const path = load<u32>(index + each * 4, Index.Paths)
    const isList = (path & LIST_TEST) !== 0
    if (isList && each !== count - 1) return false
    if (path !== LIST_TEST && !isLiveSymbol(path & ~LIST_TEST, Table.Paths)) return false
    if (!isList && path < before) return false
    before = path
  }
  return true
}

/** One more of what a field of the tally counts; returns how many there are now. */
function counted(offset: u32): u32 {
  const count = load<u32>(TALLY + offset) + 1
  store<u32>(TALLY + offset, count)
  return count
}

function soundGroups(index: u32): bool {
  const most = load<u32>(rootAddress(Table.Groups), Root.Count)
  let before: u32 = 0
  for (let group = load<u32>(index, Index.Groups); group !== 0; group = load<u32>(group, Group.Next)) {
    if (counted(Tally.Groups) > most || !inHeap(group, GROUP_BYTES)) return false
    if (load<u32>(group, Group.Index) !== index || load<u32>(group, Group.Previous) !== before) return false
    if (findGroup(index, load<u32>(group, Group.Hash)) !== group || load<u32>(group, Group.Sides) === 0) return false
    if (!soundList(group, group + Group.Sides, Side.Group, Side.NextOfGroup, Side.PreviousOfGroup)) return false
    before = group
  }
  return true
}

/** A list of sides that name their owner, linked both ways. */
function soundList(owner: u32, head: u32, ownerField: u32, next: u32, previous: u32): bool {
  const most = load<u32>(rootAddress(Table.Sides), Root.Count)
  let before: u32 = 0
  for (let side = load<u32>(head); side !== 0; side = load<u32>(side + next)) {
    if (counted(Tally.Sides) > most || !inHeap(side, SIDE_BYTES)) return false
    if (load<u32>(side + ownerField) !== owner || load<u32>(side + previous) !== before) return false
    before = side
  }
  return true
}

/** The tests of each set are those of its program; its sides and the sets below it are in its lists. */
function soundSets(): bool {
  store<u32>(TALLY, 0, Tally.Sides)
  let below: u32 = 0
  let children: u32 = 0
  const most = load<u32>(rootAddress(Table.Sets), Root.Count)
  for (let entry = firstEntry(Table.Sets); entry !== 0; entry = nextEntry(Table.Sets, entry)) {
    const set = entryRecord(entry)
    if (load<u32>(set, ConditionSet.Queue) !== 0 || !soundTests(set)) return false
    if (!soundList(set, set + ConditionSet.Sides, Side.Set, Side.NextOfSet, Side.PreviousOfSet)) return false
    if (load<u32>(set, ConditionSet.Parent) !== 0) below++
    let before: u32 = 0
    let child = load<u32>(set, ConditionSet.Children)
    for (; child !== 0; child = load<u32>(child, ConditionSet.NextOfParent)) {
      if (++children > most || !inHeap(child, ConditionSet.Key)) return false
      if (load<u32>(child, ConditionSet.Parent) !== set) return false
      if (load<u32>(child, ConditionSet.PreviousOfParent) !== before) return false
      before = child
    }
  }
  return below === children
}

function soundTests(set: u32): bool {
  const tests = load<u32>(set, ConditionSet.Tests)
  if (!isLive(set)) return tests === 0
  const count = findTests(load<u32>(set, ConditionSet.Program))
  if (count === 0) return tests === 0
  if (!inHeap(tests, testsBytes(count)) || load<u32>(tests, Tests.Count) !== count) return false
  for (let each: u32 = 0; each < count; each++) {
    if (pathOfTest(tests, each) !== pathOfTest(GATHERED, each)) return false
    if (hashOfTest(tests, each) !== hashOfTest(GATHERED, each)) return false
  }
  return true
}

/** Each side by itself; and all together have two for each rule. */
function eachSide(): Fault {
  let ofUsers: u32 = 0
  let ofResources: u32 = 0
  let ofSets: u32 = 0
  let ofRoles: u32 = 0
  for (let entry = firstEntry(Table.Sides); entry !== 0; entry = nextEntry(Table.Sides, entry)) {
    const side = entryRecord(entry)
    if (!soundSide(side, hashOfEntry(entry))) return Fault.Index
    const rules = load<u32>(side, Side.Count)
    if (load<u32>(side, Side.Kind) === SET_OF_USERS) ofUsers += rules
    else ofResources += rules
    if ((load<u8>(load<u32>(side, Side.Set), SymbolRecord.Table) as u32) === Table.Sets) ofSets++
    else if (isResourceRole(load<u32>(side, Side.Set))) ofRoles++
  }
  const rules = field(Header.SetRules)
  if (ofSets !== load<u32>(TALLY, Tally.Sides) || !soundRoleSides(ofRoles)) return Fault.Index
  return ofUsers === rules && ofResources === rules ? Fault.None : Fault.Counter
}

/** Each side that is a resource role is in the list of its permission, and counted by the role. */
function soundRoleSides(sides: u32): bool {
  let listed: u32 = 0
  const top = field(Header.PermissionTop)
  for (let id: u32 = 1; id <= top; id++) {
    let before: u32 = 0
    let side = load<u32>(permissionRecord(id), Permission.RoleSides)
    for (; side !== 0; side = load<u32>(side, Side.NextOfSet)) {
      if (++listed > sides || !inHeap(side, SIDE_BYTES) || load<u32>(side, Side.Permission) !== id) return false
      const role = load<u32>(side, Side.Set)
      if (!isLiveSymbol(role, Table.Roles) || load<u32>(side, Side.PreviousOfSet) !== before) return false
      if (load<u32>(role, Role.Type) !== load<u32>(permissionRecord(id), Permission.Resource)) return false
      before = side
    }
  }
  let counted: u64 = 0
  for (let entry = firstEntry(Table.Roles); entry !== 0; entry = nextEntry(Table.Roles, entry)) {
    counted += load<u32>(entryRecord(entry), Role.Sides) as u64
  }
  return listed === sides && counted === (sides as u64)
}

function soundSide(side: u32, hash: u32): bool {
  if (!inHeap(side, SIDE_BYTES) || load<u32>(side, Side.Count) === 0) return false
  const permission = load<u32>(side, Side.Permission)
  const kind = load<u32>(side, Side.Kind)
  const set = load<u32>(side, Side.Set)
  const plain: u32 = kind === SET_OF_USERS ? Table.Roles : Table.Resources
  if (!isLiveSymbol(set, Table.Sets) && !isLiveSymbol(set, plain)) return false
  if (sideHash(permission, kind, set) !== hash || findSide(permission, kind, set) !== side) return false
  return soundPlace(side)
}

/** It lies in the group of its tests, or in the index without tests. */
function soundPlace(side: u32): bool {
  const group = load<u32>(side, Side.Group)
  if (!inHeap(group, GROUP_BYTES)) return false
  const index = load<u32>(group, Group.Index)
  const hash = load<u32>(group, Group.Hash)
  if (!inHeap(index, INDEX_BYTES) || findGroup(index, hash) !== group) return false
  if (load<u32>(index, Index.Permission) !== load<u32>(side, Side.Permission)) return false
  if (load<u32>(index, Index.Kind) !== load<u32>(side, Side.Kind)) return false
  if (load<u32>(index, Index.Count) === 0) return hash === groupHash(index, 0)
  const count = gatherTests(load<u32>(side, Side.Set))
  return hasPaths(index, count) && groupHash(index, count) === hash
}
