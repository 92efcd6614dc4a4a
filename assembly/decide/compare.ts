// When two values are equal, which of two comes first, and what lists have in common (D9). A cell of 0 is missing: then
// everything is false (D7). What takes time is counted: beyond CONDITION_STEPS_MAX the check could not decide (D13).
import { CELL_BYTES, Cell, Composite, Query } from '../abi'
import { CONDITION_STEPS_MAX, Kind } from '../limits'
import { sameBytes } from '../memory/symbols'
import { isText, textLength, textStart } from '../memory/values'
import { parseInstant } from './instants'

/** What `order` says when neither comes first. */
export const NO_ORDER: i32 = 2

/** A new check: nothing is counted yet. */
export function resetSteps(query: u32): void {
  store<u32>(query, 0, Query.ConditionSteps)
}

/** Counts work; false when there was too much of it. */
export function count(query: u32, work: u32): bool {
  const steps = load<u32>(query, Query.ConditionSteps) + work
  store<u32>(query, steps, Query.ConditionSteps)
  return steps <= (CONDITION_STEPS_MAX as u32)
}

export function isExhausted(query: u32): bool {
  return load<u32>(query, Query.ConditionSteps) > (CONDITION_STEPS_MAX as u32)
}

function isScalar(cell: u32): bool {
  const kind = load<u32>(cell, Cell.Kind)
  return kind >= (Kind.False as u32) && kind <= (Kind.Key as u32)
}

/** Two values that can be compared at all: two scalars, or two instants. */
export function areComparable(left: u32, right: u32, time: bool): bool {
  if (left === 0 || right === 0) return false
  if (!time) return isScalar(left) && isScalar(right)
  const a = parseInstant(left)
  const b = parseInstant(right)
  return !Number.isNaN(a) && !Number.isNaN(b)
}

/** The same value of the same kind, or the same instant. */
export function areEqual(query: u32, left: u32, right: u32, time: bool): bool {
  if (left === 0 || right === 0) return false
  if (time) return parseInstant(left) === parseInstant(right)
  if (isText(left)) return isText(right) && sameTexts(query, left, right)
  const kind = load<u32>(left, Cell.Kind)
  if (kind !== load<u32>(right, Cell.Kind)) return false
  if (kind === Kind.Number) return load<f64>(left, Cell.Value) === load<f64>(right, Cell.Value)
  return kind === Kind.False || kind === Kind.True
}

function sameTexts(query: u32, left: u32, right: u32): bool {
  const length = textLength(left)
  if (textLength(right) !== length) return false
  const one = textStart(left)
  const other = textStart(right)
  if (one === other) return true
  count(query, length >>> 4)
  return sameBytes(one, other, length)
}

/** -1, 0 or 1; NO_ORDER for anything but two numbers, two texts or two instants. */
export function order(query: u32, left: u32, right: u32, time: bool): i32 {
  if (left === 0 || right === 0) return NO_ORDER
  if (time) return orderNumbers(parseInstant(left), parseInstant(right))
  if (isText(left)) return isText(right) ? orderTexts(query, left, right) : NO_ORDER
  if (load<u32>(left, Cell.Kind) !== Kind.Number || load<u32>(right, Cell.Kind) !== Kind.Number) return NO_ORDER
  return orderNumbers(load<f64>(left, Cell.Value), load<f64>(right, Cell.Value))
}

function orderNumbers(left: f64, right: f64): i32 {
  if (left < right) return -1
  if (left > right) return 1
  return left === right ? 0 : NO_ORDER
}

/** By the bytes of UTF-8, which is the order of code points. */
function orderTexts(query: u32, left: u32, right: u32): i32 {
  const one = textLength(left)
  const other = textLength(right)
  const shorter = min(one, other)
  count(query, shorter >>> 4)
  const difference = memory.compare(textStart(left), textStart(right), shorter)
  if (difference !== 0) return difference < 0 ? -1 : 1
  return one === other ? 0 : one < other ? -1 : 1
}

export function startsWith(left: u32, right: u32): bool {
  if (left === 0 || right === 0 || !isText(left) || !isText(right)) return false
  const length = textLength(right)
  return length <= textLength(left) && memory.compare(textStart(left), textStart(right), length) === 0
}

export function endsWith(left: u32, right: u32): bool {
  if (left === 0 || right === 0 || !isText(left) || !isText(right)) return false
  const length = textLength(right)
  if (length > textLength(left)) return false
  return memory.compare(textStart(left) + textLength(left) - length, textStart(right), length) === 0
}

const BASE: u32 = 0x01000193

/** Does right occur in left? By a hash that rolls over left, so that the time is that of reading both once. */
export function contains(query: u32, left: u32, right: u32): bool {
  if (left === 0 || right === 0 || !isText(left) || !isText(right)) return false
  const length = textLength(right)
  const whole = textLength(left)
  if (length > whole) return false
  count(query, (whole + length) >>> 3)
  const text = textStart(left)
  const wanted = textStart(right)
  let target: u32 = 0
  let rolling: u32 = 0
  let highest: u32 = 1
  for (let index: u32 = 0; index < length; index++) {
    target = target * BASE + (load<u8>(wanted + index) as u32)
    rolling = rolling * BASE + (load<u8>(text + index) as u32)
    if (index !== 0) highest *= BASE
  }
  for (let at: u32 = 0; at + length <= whole; at++) {
    if (rolling === target) {
      if (memory.compare(text + at, wanted, length) === 0) return true
      if (!count(query, length >>> 4)) return false
    }
    if (at + length === whole) break
    rolling = (rolling - (load<u8>(text + at) as u32) * highest) * BASE + (load<u8>(text + at + length) as u32)
  }
  return false
}

/** The composite of a list cell, or 0. */
export function findList(cell: u32): u32 {
  return cell !== 0 && load<u32>(cell, Cell.Kind) === Kind.List ? load<u32>(cell, Cell.Value) : 0
}

export function itemAt(list: u32, index: u32): u32 {
  return list + Composite.Cells + index * CELL_BYTES
}

/** Has the list an item equal to the value? */
export function has(query: u32, list: u32, value: u32, time: bool): bool {
  const length = load<u32>(list, Composite.Count)
  if (!count(query, length)) return false
  for (let index: u32 = 0; index < length; index++) {
    if (areEqual(query, itemAt(list, index), value, time)) return true
  }
  return false
}

/** Is every item of one list in the other? */
export function isSubset(query: u32, some: u32, all: u32): bool {
  const length = load<u32>(some, Composite.Count)
  for (let index: u32 = 0; index < length && !isExhausted(query); index++) {
    if (!has(query, all, itemAt(some, index), false)) return false
  }
  return true
}

export function intersect(query: u32, one: u32, other: u32): bool {
  const length = load<u32>(one, Composite.Count)
  for (let index: u32 = 0; index < length && !isExhausted(query); index++) {
    if (has(query, other, itemAt(one, index), false)) return true
  }
  return false
}
