// When a test is true of two values (docs/conditions.md, D7, D9), for values outside of an image: rows of an
// application, and what a filter has decided already. The kernel has the same rules for an image; random cases compare
// the two. Runs in browsers too: nothing of Node.js, and no dependency.
import { isObject } from '../model/attribute-types.ts'
import type { Operator } from '../model/condition.ts'
import { instantOf } from '../model/instant.ts'
import type { Json } from '../model/objects.ts'
import { compareText } from '../model/text-order.ts'

/** One side of a test. Without a value it is missing or ill-typed; `time` says that it is compared as an instant. */
export interface Operand {
  readonly value: Json | undefined
  readonly time: boolean
}

/** A value that no declaration makes a time. */
export const plain = (value: Json | undefined): Operand => ({ value, time: false })

/** What lies inside a value: own members of objects. Undefined when there is none. */
export function memberOf(value: Json | undefined, names: readonly string[]): Json | undefined {
  let inner = value
  for (const name of names) inner = isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined
  return inner
}

/** Whether the operator is true of the two sides. A missing value, or one of a type that it does not take, is false. */
export function compare(operator: Operator, left: Operand, right: Operand): boolean {
  return TESTS[operator](left, right)
}

type Scalar = string | number | boolean

function isScalar(value: Json | undefined): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** The two values as they are compared: as instants when one of them is a time. Undefined when they cannot be. */
function comparable(left: Operand, right: Operand): readonly [Scalar, Scalar] | undefined {
  const inTime = left.time || right.time
  const [a, b] = inTime ? [instantOf(left.value), instantOf(right.value)] : [left.value, right.value]
  return isScalar(a) && isScalar(b) ? [a, b] : undefined
}

/** Of the same type and value; -0 is 0. */
function equal(left: Operand, right: Operand): boolean {
  const pair = comparable(left, right)
  return pair !== undefined && pair[0] === pair[1]
}

/** Below 0 when left comes first, above 0 when right does; NaN when the two have no order. */
function order(left: Operand, right: Operand): number {
  const [a, b] = comparable(left, right) ?? []
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN
  return typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : Number.NaN
}

function itemsOf({ value }: Operand): readonly Operand[] | undefined {
  return Array.isArray(value) ? value.map(plain) : undefined
}

const isIn = (item: Operand, list: readonly Operand[]): boolean => list.some((each) => equal(item, each))

function texts(left: Operand, right: Operand, test: (left: string, right: string) => boolean): boolean {
  return typeof left.value === 'string' && typeof right.value === 'string' && test(left.value, right.value)
}

function lists(left: Operand, right: Operand, test: (left: readonly Operand[], right: readonly Operand[]) => boolean) {
  const [some, others] = [itemsOf(left), itemsOf(right)]
  return some !== undefined && others !== undefined && test(some, others)
}

const TESTS: Readonly<Record<Operator, (left: Operand, right: Operand) => boolean>> = {
  equals: equal,
  'not-equals': (left, right) => comparable(left, right) !== undefined && !equal(left, right),
  'less-than': (left, right) => order(left, right) < 0,
  'less-than-equals': (left, right) => order(left, right) <= 0,
  'greater-than': (left, right) => order(left, right) > 0,
  'greater-than-equals': (left, right) => order(left, right) >= 0,
  between: (left, right) => {
    const [low, high] = itemsOf(right) ?? []
    return low !== undefined && high !== undefined && order(left, low) >= 0 && order(left, high) <= 0
  },
  contains: (left, right) => texts(left, right, (whole, part) => whole.includes(part)),
  'starts-with': (left, right) => texts(left, right, (whole, part) => whole.startsWith(part)),
  'ends-with': (left, right) => texts(left, right, (whole, part) => whole.endsWith(part)),
  in: (left, right) => itemsOf(right)?.some((each) => equal(left, each)) === true,
  array_contains: (left, right) => itemsOf(left)?.some((each) => equal(each, right)) === true,
  array_subset: (left, right) => lists(left, right, (some, all) => some.every((each) => isIn(each, all))),
  array_superset: (left, right) => lists(left, right, (all, some) => some.every((each) => isIn(each, all))),
  array_intersect: (left, right) => lists(left, right, (one, other) => one.some((each) => isIn(each, other))),
}
