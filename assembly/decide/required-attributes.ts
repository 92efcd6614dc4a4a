// What the set rules of a permission read of a question: which attributes the host must encode.
// One walk over the sides of the permission, so a set in many rules is looked into once.
import {
  AttributePath,
  ConditionSet,
  Group,
  Header,
  Index,
  Permission,
  Program,
  SCRATCH,
  SENT,
  Side,
  STEP_BYTES,
  Step,
  SymbolRecord,
} from '../abi'
import { Table } from '../limits'
import { follow, linksMax } from '../memory/lists'
import { field } from '../memory/memory'
import { readsPath, rightIsPath } from '../policy/condition-sets'
import { permissionRecord } from '../policy/permissions'

/** Lists the paths at SCRATCH; returns how many. */
export function listReads(permission: u32): u32 {
  const record = permissionRecord(permission)
  if (record === 0) return 0
  const ofUsers = readSides(load<u32>(record, Permission.UserIndexes), 0)
  const paths = readSides(load<u32>(record, Permission.ResourceIndexes), ofUsers)
  // The marks go again: what was sent with a question is written there.
  for (let at: u32 = 0; at < paths; at++) store<u32>(markAddress(load<u32>(SCRATCH + at * 4)), 0)
  return paths
}

function markAddress(path: u32): u32 {
  return SENT + load<u32>(path, AttributePath.Number) * 4
}

/** Adds what the sides of a list of indexes read to so many paths; returns how many these are then. */
function readSides(first: u32, found: u32): u32 {
  let paths = found
  let left = linksMax()
  for (let index = first; index !== 0; index = load<u32>(index, Index.Next)) {
    for (let group = load<u32>(index, Index.Groups); group !== 0; group = load<u32>(group, Group.Next)) {
      let side = load<u32>(group, Group.Sides)
      for (; side !== 0; side = load<u32>(side, Side.NextOfGroup)) {
        left = follow(left)
        paths = readSet(load<u32>(side, Side.Set), paths)
      }
      left = follow(left)
    }
    left = follow(left)
  }
  return paths
}

/** The set and those above it, which are at most as many as there are sets. */
function readSet(first: u32, found: u32): u32 {
  if ((load<u8>(first, SymbolRecord.Table) as u32) !== Table.Sets) return found
  let paths = found
  let left = field(Header.Sets)
  for (let set = first; set !== 0 && left > 0; set = load<u32>(set, ConditionSet.Parent)) {
    left--
    const program = load<u32>(set, ConditionSet.Program)
    const length: u32 = program === 0 ? 0 : load<u32>(program, Program.Count)
    for (let at: u32 = 0; at < length; at++) {
      const step = program + Program.Steps + at * STEP_BYTES
      if (!readsPath(step)) continue
      paths = addPath(load<u32>(step, Step.Left), paths)
      if (rightIsPath(step)) paths = addPath(load<u32>(step, Step.Right), paths)
    }
  }
  return paths
}

function addPath(path: u32, paths: u32): u32 {
  const mark = markAddress(path)
  // While the marks are there, nothing else is: a path is its own mark.
  if (load<u32>(mark) === path) return paths
  store<u32>(mark, path)
  store<u32>(SCRATCH + paths * 4, path)
  return paths + 1
}
