// Runs programs: one loop, one switch, no recursion. A step says where to go on when it is true and when it is false,
// always further on; only a match comes back, once for each item, and every step is counted. What an operation means
// stands at its number in abi.ts.
import {
  AttributePath,
  CELL_BYTES,
  Cell,
  Composite,
  FRAME_BYTES,
  FRAMES,
  Frame,
  Program,
  SCRATCH,
  STEP_BYTES,
  Step,
} from '../abi'
import { FOREIGN, FRAMES_MAX, KEY_BYTES_MAX, Kind, Op, RIGHT_PATH, Source, Table, Verdict } from '../limits'
import { find } from '../memory/symbols'
import { isText, textLength, textStart } from '../memory/values'
import { isOverfull, resolve, resolvedTime, resolveItem } from './attributes'
import {
  areComparable,
  areEqual,
  contains,
  count,
  endsWith,
  findList,
  has,
  intersect,
  isExhausted,
  isSubset,
  itemAt,
  order,
  startsWith,
} from './compare'

/** Do the conditions hold for the question that `ask` began? */
export function run(query: u32, program: u32): Verdict {
  const steps = program + Program.Steps
  /** the innermost match, 0 outside of any */
  let frame: u32 = 0
  let at: u32 = 0
  while (count(query, 1)) {
    let step = steps + at * STEP_BYTES
    const op = load<u16>(step, Step.Op) as u32
    let holds = Verdict.Deny
    switch (op) {
      case Op.True:
      case Op.False:
        if (isOverfull(query) || isExhausted(query)) return Verdict.Undecided
        return op === Op.True ? Verdict.Allow : Verdict.Deny
      case Op.MatchObject:
      case Op.MatchAny:
      case Op.MatchAll: {
        const inner = frame === 0 ? (FRAMES as u32) : frame + FRAME_BYTES
        if (inner >= ((FRAMES + FRAMES_MAX * FRAME_BYTES) as u32)) return Verdict.Undecided
        if (!openMatch(inner, step, at, operand(query, load<u32>(step, Step.Left), frame))) break
        holds = nextItem(query, inner, program)
        if (holds === Verdict.Undecided) frame = inner
        break
      }
      case Op.ItemTrue:
      case Op.ItemFalse: {
        if (frame === 0) return Verdict.Undecided // no compiler makes this
        step = load<u32>(frame, Frame.Step)
        at = load<u32>(frame, Frame.At)
        const match = load<u16>(step, Step.Op) as u32
        const passed = op === Op.ItemTrue
        holds = passed ? Verdict.Allow : Verdict.Deny
        if (match !== Op.MatchObject && passed === (match === Op.MatchAll)) holds = nextItem(query, frame, program)
        if (holds !== Verdict.Undecided) frame = frame === (FRAMES as u32) ? 0 : frame - FRAME_BYTES
        break
      }
      case Op.Always:
        holds = Verdict.Allow
        break
      default:
        if (test(query, program, step, op, frame)) holds = Verdict.Allow
    }
    // Undecided: there is an item to look at, and the steps behind the match are about it.
    if (holds === Verdict.Undecided) at++
    else at = load<u16>(step + (holds === Verdict.Allow ? Step.WhenTrue : Step.WhenFalse)) as u32
  }
  return Verdict.Undecided
}

/** Begins a match over what the left side holds; false when it holds nothing that can be walked. */
function openMatch(frame: u32, step: u32, at: u32, left: u32): bool {
  if (left === 0) return false
  let first = left
  let items: u32 = 1
  if ((load<u16>(step, Step.Op) as u32) !== Op.MatchObject) {
    const list = findList(left)
    if (list === 0) return false
    first = list + Composite.Cells
    items = load<u32>(list, Composite.Count)
  }
  store<u32>(frame, step, Frame.Step)
  store<u32>(frame, at, Frame.At)
  store<u32>(frame, first - CELL_BYTES, Frame.Item)
  store<u32>(frame, items, Frame.Left)
  return true
}

/** Goes to the next item that tests can look into: Undecided. Without one, the verdict of the match: Allow or Deny. */
function nextItem(query: u32, frame: u32, program: u32): Verdict {
  const step = load<u32>(frame, Frame.Step)
  const op = load<u16>(step, Step.Op) as u32
  for (let left = load<u32>(frame, Frame.Left); left > 0; left--) {
    const item = load<u32>(frame, Frame.Item) + CELL_BYTES
    store<u32>(frame, item, Frame.Item)
    store<u32>(frame, left - 1, Frame.Left)
    if (!count(query, 1)) return Verdict.Deny // `run` sees that the steps are exhausted
    if (enter(frame, program, step, item)) return Verdict.Undecided
    if (op !== Op.MatchAny) return Verdict.Deny
  }
  return op === Op.MatchAll ? Verdict.Allow : Verdict.Deny
}

/** Can tests look into the item? Into an object, or into the stored instance that has the item as its key. */
function enter(frame: u32, program: u32, step: u32, item: u32): bool {
  store<u32>(frame, 0, Frame.Instance)
  if (((load<u16>(step, Step.Flags) as u32) & FOREIGN) === 0) return load<u32>(item, Cell.Kind) === Kind.Object
  if (!isText(item) || textLength(item) > (KEY_BYTES_MAX as u32)) return false
  const type = constant(program, load<u32>(step, Step.Right))
  const length = textLength(type)
  memory.copy(SCRATCH, textStart(type), length)
  store<u8>(SCRATCH + length, 0x3a)
  memory.copy(SCRATCH + length + 1, textStart(item), textLength(item))
  const instance = find(Table.Instances, SCRATCH, length + 1 + textLength(item))
  store<u32>(frame, instance, Frame.Instance)
  store<u32>(frame, find(Table.Resources, SCRATCH, length), Frame.Type)
  return instance !== 0
}

function constant(program: u32, number: u32): u32 {
  return itemAt(load<u32>(program, Program.Constants), number)
}

function operand(query: u32, path: u32, frame: u32): u32 {
  if (load<u32>(path, AttributePath.Source) !== Source.Item) return resolve(query, path)
  if (frame === 0) return 0
  const instance = load<u32>(frame, Frame.Instance)
  return resolveItem(query, path, load<u32>(frame, Frame.Item), instance, load<u32>(frame, Frame.Type))
}

function test(query: u32, program: u32, step: u32, op: u32, frame: u32): bool {
  const left = operand(query, load<u32>(step, Step.Left), frame)
  const leftTime = resolvedTime(query)
  let rightTime: bool = false
  let right = load<u32>(step, Step.Right)
  if (((load<u16>(step, Step.Flags) as u32) & RIGHT_PATH) !== 0) {
    right = operand(query, right, frame)
    rightTime = resolvedTime(query)
  } else {
    right = constant(program, right)
  }
  const time = leftTime || rightTime
  switch (op) {
    case Op.Equal:
      return areComparable(left, right, time) && areEqual(query, left, right, time)
    case Op.NotEqual:
      return areComparable(left, right, time) && !areEqual(query, left, right, time)
    case Op.Less:
      return order(query, left, right, time) === -1
    case Op.LessOrEqual:
      return order(query, left, right, time) <= 0
    case Op.Greater:
      return order(query, left, right, time) === 1
    case Op.GreaterOrEqual: {
      const way = order(query, left, right, time)
      return way === 0 || way === 1
    }
    case Op.Between:
      return isBetween(query, left, findList(right), time)
    case Op.Contains:
      return contains(query, left, right)
    case Op.StartsWith:
      return startsWith(left, right)
    case Op.EndsWith:
      return endsWith(left, right)
    default:
      return testLists(query, left, right, op, leftTime, rightTime)
  }
}

function isBetween(query: u32, left: u32, range: u32, time: bool): bool {
  if (range === 0) return false
  const low = order(query, left, itemAt(range, 0), time)
  return (low === 0 || low === 1) && order(query, left, itemAt(range, 1), time) <= 0
}

/**
 * What is declared about a list is not declared about its items: time counts where a value of its own is compared with
 * them.
 */
function testLists(query: u32, left: u32, right: u32, op: u32, leftTime: bool, rightTime: bool): bool {
  const one = findList(left)
  const other = findList(right)
  switch (op) {
    case Op.In:
      return left !== 0 && other !== 0 && has(query, other, left, leftTime)
    case Op.ArrayContains:
      return right !== 0 && one !== 0 && has(query, one, right, rightTime)
    case Op.ArraySubset:
      return one !== 0 && other !== 0 && isSubset(query, one, other)
    case Op.ArraySuperset:
      return one !== 0 && other !== 0 && isSubset(query, other, one)
    case Op.ArrayIntersect:
      return one !== 0 && other !== 0 && intersect(query, one, other)
    default:
      return false
  }
}
