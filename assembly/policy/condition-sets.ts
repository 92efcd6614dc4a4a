// Condition sets and the programs of their conditions (D6): what defines a set, and the paths that its steps read.
//
// INVARIANT: each path that a step of a stored program names counts that step as a use; constants and JSON are the
// program's own.
import { ConditionSet, Program, STEP_BYTES, Step } from '../abi'
import { Op, RIGHT_PATH, Table } from '../limits'
import { allocate, release } from '../memory/memory'
import { tombstone } from '../memory/symbols'
import { discard, dropText, internText, keep } from '../memory/values'
import { disusePath, usePath } from './attribute-paths'
import { setTests } from './equality-tests'
import { clearAbove, moveSides, setAbove } from './set-rule-index'

/** Replaces what a set says: the text of its conditions and their program, both encoded. `setParent` must follow. */
export function define(set: u32, kind: u32, resource: u32, json: u32, constants: u32, steps: u32, length: u32): void {
  // The new uses first: a path that both the old and the new conditions read stays alive.
  for (let index: u32 = 0; index < length; index++) {
    const step = steps + index * STEP_BYTES
    if (!readsPath(step)) continue
    usePath(load<u32>(step, Step.Left))
    if (rightIsPath(step)) usePath(load<u32>(step, Step.Right))
  }
  undefine(set)
  store<u32>(set, kind, ConditionSet.Kind)
  store<u32>(set, resource, ConditionSet.Resource)
  store<u32>(set, internText(json), ConditionSet.Json)
  const program = allocate(Program.Steps + length * STEP_BYTES)
  store<u32>(program, length, Program.Count)
  if (constants !== 0) store<u32>(program, keep(constants), Program.Constants)
  memory.copy(program + Program.Steps, steps, length * STEP_BYTES)
  store<u32>(set, program, ConditionSet.Program)
  setTests(set)
}

/** Ends a definition: puts the set below another (0 for none), and its sides to where they belong now. */
export function setParent(set: u32, parent: u32): void {
  clearAbove(set)
  setAbove(set, parent)
  moveSides(set)
}

export function readsPath(step: u32): bool {
  const op = load<u16>(step, Step.Op) as u32
  return op > (Op.Always as u32) && op < (Op.ItemTrue as u32)
}

export function rightIsPath(step: u32): bool {
  return ((load<u16>(step, Step.Flags) as u32) & RIGHT_PATH) !== 0
}

/** Frees what a set says. */
export function undefine(set: u32): void {
  const program = load<u32>(set, ConditionSet.Program)
  if (program === 0) return
  const length = load<u32>(program, Program.Count)
  for (let index: u32 = 0; index < length; index++) {
    const step = program + Program.Steps + index * STEP_BYTES
    if (!readsPath(step)) continue
    disusePath(load<u32>(step, Step.Left))
    if (rightIsPath(step)) disusePath(load<u32>(step, Step.Right))
  }
  discard(load<u32>(program, Program.Constants))
  release(program, Program.Steps + length * STEP_BYTES)
  dropText(load<u32>(set, ConditionSet.Json))
  store<u32>(set, 0, ConditionSet.Json)
  store<u32>(set, 0, ConditionSet.Program)
  store<u32>(set, 0, ConditionSet.Resource)
  clearAbove(set)
  setTests(set)
}

export function deleteSet(set: u32): void {
  undefine(set)
  moveSides(set)
  store<u32>(set, 0, ConditionSet.Kind)
  tombstone(Table.Sets, set)
}
