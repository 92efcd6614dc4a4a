// Equality tests without which conditions cannot hold: `path equals constant`, `path array_contains constant`.
// assembly/policy/set-rule-index.ts finds set rules by them. A test is a path and a hash; that two hashes are equal
// selects, the program decides.
//
//   tests  │ count │ path, hash │ path, hash │ …
//
// INVARIANT: equal values (areEqual in compare.ts, not as instants) have equal hashes.
import {
  AttributePath,
  CELL_BYTES,
  Cell,
  Composite,
  ConditionSet,
  LIST_TEST,
  Program,
  Role,
  SCRATCH,
  STEP_BYTES,
  Step,
  SymbolRecord,
  TEST_BYTES,
  Tests,
} from '../abi'
import { INDEX_TESTS_MAX, Kind, Op, RIGHT_PATH, Source, Table } from '../limits'
import { allocate, release } from '../memory/memory'
import { hashBytes, keyLength } from '../memory/symbols'
import { isText, textLength, textStart } from '../memory/values'

/** Where the tests of one side are put together: in the second half of the scratch area. */
export const GATHERED: u32 = SCRATCH + 0x8000
/** Sets above a set that are looked into. */
const DEPTH_MAX: u32 = 32

export function mix(hash: u32, value: u32): u32 {
  const mixed = (hash ^ value) * 0x85ebca77
  return (mixed ^ (mixed >>> 15)) * 0x2c1b3c6d
}

/** The hash of a value by its kind; 0 for a value that Equal does not take. */
export function hashValue(cell: u32): u32 {
  if (isText(cell)) return hashText(textStart(cell), textLength(cell))
  const kind = load<u32>(cell, Cell.Kind)
  if (kind === Kind.Number) {
    // What is encoded holds no -0 (src/kernel/encode.ts).
    const bits = load<u64>(cell, Cell.Value)
    return mix(mix(Kind.Number, bits as u32), (bits >>> 32) as u32) | 1
  }
  return kind === Kind.False || kind === Kind.True ? kind : 0
}

function hashText(start: u32, length: u32): u32 {
  return hashBytes(start, length) | 1
}

export function hashOfRole(role: u32): u32 {
  return hashText(role + Role.Key, keyLength(role))
}

export function pathOfTest(tests: u32, index: u32): u32 {
  return load<u32>(tests + index * TEST_BYTES, Tests.Path)
}

export function hashOfTest(tests: u32, index: u32): u32 {
  return load<u32>(tests + index * TEST_BYTES, Tests.Hash)
}

/** Finds the tests of a program: leaves them at GATHERED and returns how many. */
export function findTests(program: u32): u32 {
  store<u32>(GATHERED, 0, Tests.Count)
  const no = load<u32>(program, Program.Count) - 1
  // The furthest step to which one before leads, but for the last, which says no: until there it can be passed by.
  let joined: u32 = 0
  for (let at: u32 = 0; at < no; at++) {
    const step = program + Program.Steps + at * STEP_BYTES
    const op = load<u16>(step, Step.Op) as u32
    if (op < (Op.Always as u32) || op >= (Op.ItemTrue as u32)) continue
    const whenTrue = load<u16>(step, Step.WhenTrue) as u32
    const whenFalse = load<u16>(step, Step.WhenFalse) as u32
    if (joined <= at && whenFalse === no) addStep(program, step, op)
    if (whenTrue !== no) joined = max(joined, whenTrue)
    if (whenFalse !== no) joined = max(joined, whenFalse)
  }
  return load<u32>(GATHERED, Tests.Count)
}

function addStep(program: u32, step: u32, op: u32): void {
  if (op !== Op.Equal && op !== Op.ArrayContains) return
  if (((load<u16>(step, Step.Flags) as u32) & RIGHT_PATH) !== 0) return
  const path = load<u32>(step, Step.Left)
  const source = load<u32>(path, AttributePath.Source)
  // What is always compared as an instant has no hash, and an item has no value of its own.
  if (source === Source.Now || source === Source.Item) return
  const constants = load<u32>(program, Program.Constants)
  const hash = hashValue(constants + Composite.Cells + load<u32>(step, Step.Right) * CELL_BYTES)
  if (hash === 0) return
  if (op === Op.Equal) addTest(path, hash)
  else addTest(source === Source.UserRoles ? LIST_TEST : path | LIST_TEST, hash)
}

/**
 * Puts a test in its place: ascending by path, a list test last. There is room for one of these, and none for what is
 * there.
 */
function addTest(path: u32, hash: u32): void {
  const count = load<u32>(GATHERED, Tests.Count)
  if (count === INDEX_TESTS_MAX) return
  const isList = (path & LIST_TEST) !== 0
  if (isList && count !== 0 && (pathOfTest(GATHERED, count - 1) & LIST_TEST) !== 0) return
  let at = count
  if (!isList) {
    while (at > 0 && comesBehind(pathOfTest(GATHERED, at - 1), path)) at--
    for (let same = at; same > 0 && pathOfTest(GATHERED, same - 1) === path; same--) {
      if (hashOfTest(GATHERED, same - 1) === hash) return
    }
    const slot = GATHERED + Tests.Path + at * TEST_BYTES
    memory.copy(slot + TEST_BYTES, slot, (count - at) * TEST_BYTES)
  }
  store<u32>(GATHERED + at * TEST_BYTES, path, Tests.Path)
  store<u32>(GATHERED + at * TEST_BYTES, hash, Tests.Hash)
  store<u32>(GATHERED, count + 1, Tests.Count)
}

function comesBehind(other: u32, path: u32): bool {
  return (other & LIST_TEST) !== 0 || other > path
}

/** Replaces the tests of a set by those of its program. */
export function setTests(set: u32): void {
  const old = load<u32>(set, ConditionSet.Tests)
  if (old !== 0) release(old, testsBytes(load<u32>(old, Tests.Count)))
  store<u32>(set, 0, ConditionSet.Tests)
  const program = load<u32>(set, ConditionSet.Program)
  if (program === 0) return
  const count = findTests(program)
  if (count === 0) return
  const tests = allocate(testsBytes(count))
  memory.copy(tests, GATHERED, testsBytes(count))
  store<u32>(set, tests, ConditionSet.Tests)
}

export function testsBytes(count: u32): u32 {
  return Tests.Path + count * TEST_BYTES
}

/**
 * Puts together at GATHERED the tests of a side: those of the set and of what is above it, or that the role is held;
 * returns how many.
 */
export function gatherTests(side: u32): u32 {
  store<u32>(GATHERED, 0, Tests.Count)
  const table = load<u8>(side, SymbolRecord.Table) as u32
  // A resource role is held on the instance of the question: no value of the question says so (D17).
  if (table === Table.Roles && /* canary: roles-without-tests */ load<u32>(side, Role.Type) === 0)
    addTest(LIST_TEST, hashOfRole(side))
  if (table !== Table.Sets) return load<u32>(GATHERED, Tests.Count)
  let set = side
  for (let depth: u32 = 0; set !== 0 && depth < DEPTH_MAX; depth++) {
    const tests = load<u32>(set, ConditionSet.Tests)
    const count: u32 = tests === 0 ? 0 : load<u32>(tests, Tests.Count)
    for (let index: u32 = 0; index < count; index++) addTest(pathOfTest(tests, index), hashOfTest(tests, index))
    set = load<u32>(set, ConditionSet.Parent)
  }
  return load<u32>(GATHERED, Tests.Count)
}
