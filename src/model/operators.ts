// The operators of conditions, one row for each: what it takes, what it means outside of an image, and how the kernel,
// databases and people call it. All of src reads these rows; docs/conditions.md is the definition. The kernel has the
// meaning a second time, and so has test/reference: random cases compare the three. Runs in browsers too: nothing of
// Node.js, and no dependency.
import type { Op } from '../../assembly/limits.ts'
import { parseInstant } from './instant.ts'
import type { AttributeType, Json } from './objects.ts'
import { compareText } from './text-order.ts'

/** One side of a test. Without a value it is missing or ill-typed; `time` says that it is compared as an instant. */
export interface Operand {
  readonly value: Json | undefined
  readonly time: boolean
}

/** An operator as people read it. */
export interface OperatorWords {
  /** between the two sides of a test: `user.level` at least `3` */
  readonly is: string
  /** after "must be" */
  readonly be: string
}

export type Order = '<' | '<=' | '>' | '>='
export type TextTest = 'contains' | 'starts-with' | 'ends-with'

/** How a database says an operator: each shape is compiled once, and its columns are all that its compiler reads. */
export type OperatorShape =
  | { readonly shape: 'equality'; readonly sign: '=' | '<>' }
  | { readonly shape: 'order'; readonly sign: Order }
  /** `ends`: the operators of shape `order` by which the left is compared with the two ends on the right */
  | { readonly shape: 'range'; readonly ends: readonly [low: string, high: string] }
  | { readonly shape: 'text'; readonly sign: TextTest }
  /** one value, some item or every item of one side is in the list that is the other side, `within` */
  | { readonly shape: 'list'; readonly items: 'one' | 'some' | 'every'; readonly within: 'left' | 'right' }

export type OperatorRule = OperatorShape & {
  /** a value of another type makes the test false */
  readonly left: readonly AttributeType[]
  /** another value is refused */
  readonly right: 'scalar' | 'ordered' | 'range' | 'string' | 'list'
  /** whether the right may name another attribute */
  readonly ref: boolean
  /** of a step in the kernel */
  readonly op: keyof typeof Op
  /** the operator that means the same when both sides change places */
  readonly turned: string | null
  /** no two operators have the same */
  readonly words: OperatorWords
  /** Whether it is true of the two sides. A missing value, or one of a type that it does not take, is false. */
  readonly holds: (left: Operand, right: Operand) => boolean
}

/** A value that no declaration makes a time. */
export const plain = (value: Json | undefined): Operand => ({ value, time: false })

type Scalar = string | number | boolean

function isScalar(value: Json | undefined): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** The two values as they are compared: as instants when one of them is a time. Undefined when they cannot be. */
function comparable(left: Operand, right: Operand): readonly [Scalar, Scalar] | undefined {
  const inTime = left.time || right.time
  const [a, b] = inTime ? [parseInstant(left.value), parseInstant(right.value)] : [left.value, right.value]
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

function toItems({ value }: Operand): readonly Operand[] | undefined {
  return Array.isArray(value) ? value.map(plain) : undefined
}

const isIn = (item: Operand, list: readonly Operand[]): boolean => list.some((each) => equal(item, each))

function texts(left: Operand, right: Operand, test: (left: string, right: string) => boolean): boolean {
  return typeof left.value === 'string' && typeof right.value === 'string' && test(left.value, right.value)
}

function lists(left: Operand, right: Operand, test: (left: readonly Operand[], right: readonly Operand[]) => boolean) {
  const [some, others] = [toItems(left), toItems(right)]
  return some !== undefined && others !== undefined && test(some, others)
}

const SCALAR = ['bool', 'number', 'string', 'time'] as const
const ORDERED = ['number', 'time', 'string'] as const

/** `starts-with` and `ends-with` are extensions. */
export const OPERATORS = {
  equals: {
    left: SCALAR,
    right: 'scalar',
    ref: true,
    op: 'Equal',
    shape: 'equality',
    sign: '=',
    turned: 'equals',
    words: { is: 'is', be: 'equal to' },
    holds: equal,
  },
  'not-equals': {
    left: SCALAR,
    right: 'scalar',
    ref: true,
    op: 'NotEqual',
    shape: 'equality',
    sign: '<>',
    turned: 'not-equals',
    words: { is: 'is not', be: 'different from' },
    holds: (left, right) => comparable(left, right) !== undefined && !equal(left, right),
  },
  'less-than': {
    left: ORDERED,
    right: 'ordered',
    ref: true,
    op: 'Less',
    shape: 'order',
    sign: '<',
    turned: 'greater-than',
    words: { is: 'less than', be: 'less than' },
    holds: (left, right) => order(left, right) < 0,
  },
  'less-than-equals': {
    left: ORDERED,
    right: 'ordered',
    ref: true,
    op: 'LessOrEqual',
    shape: 'order',
    sign: '<=',
    turned: 'greater-than-equals',
    words: { is: 'at most', be: 'at most' },
    holds: (left, right) => order(left, right) <= 0,
  },
  'greater-than': {
    left: ORDERED,
    right: 'ordered',
    ref: true,
    op: 'Greater',
    shape: 'order',
    sign: '>',
    turned: 'less-than',
    words: { is: 'greater than', be: 'greater than' },
    holds: (left, right) => order(left, right) > 0,
  },
  'greater-than-equals': {
    left: ORDERED,
    right: 'ordered',
    ref: true,
    op: 'GreaterOrEqual',
    shape: 'order',
    sign: '>=',
    turned: 'less-than-equals',
    words: { is: 'at least', be: 'at least' },
    holds: (left, right) => order(left, right) >= 0,
  },
  between: {
    left: ORDERED,
    right: 'range',
    ref: false,
    op: 'Between',
    shape: 'range',
    ends: ['greater-than-equals', 'less-than-equals'],
    turned: null,
    words: { is: 'between', be: 'between' },
    holds: (left, right) => {
      const [low, high] = toItems(right) ?? []
      return low !== undefined && high !== undefined && order(left, low) >= 0 && order(left, high) <= 0
    },
  },
  contains: {
    left: ['string'],
    right: 'string',
    ref: true,
    op: 'Contains',
    shape: 'text',
    sign: 'contains',
    turned: null,
    words: { is: 'contains text', be: 'a text that contains' },
    holds: (left, right) => texts(left, right, (whole, part) => whole.includes(part)),
  },
  'starts-with': {
    left: ['string'],
    right: 'string',
    ref: true,
    op: 'StartsWith',
    shape: 'text',
    sign: 'starts-with',
    turned: null,
    words: { is: 'starts with', be: 'a text that starts with' },
    holds: (left, right) => texts(left, right, (whole, part) => whole.startsWith(part)),
  },
  'ends-with': {
    left: ['string'],
    right: 'string',
    ref: true,
    op: 'EndsWith',
    shape: 'text',
    sign: 'ends-with',
    turned: null,
    words: { is: 'ends with', be: 'a text that ends with' },
    holds: (left, right) => texts(left, right, (whole, part) => whole.endsWith(part)),
  },
  in: {
    left: SCALAR,
    right: 'list',
    ref: true,
    op: 'In',
    shape: 'list',
    items: 'one',
    within: 'right',
    turned: null,
    words: { is: 'is one of', be: 'one of' },
    holds: (left, right) => toItems(right)?.some((each) => equal(left, each)) === true,
  },
  array_contains: {
    left: ['array'],
    right: 'scalar',
    ref: true,
    op: 'ArrayContains',
    shape: 'list',
    items: 'one',
    within: 'left',
    turned: null,
    words: { is: 'contains', be: 'a list that contains' },
    holds: (left, right) => toItems(left)?.some((each) => equal(each, right)) === true,
  },
  array_subset: {
    left: ['array'],
    right: 'list',
    ref: true,
    op: 'ArraySubset',
    shape: 'list',
    items: 'every',
    within: 'right',
    turned: null,
    words: { is: 'contains only', be: 'a list with only' },
    holds: (left, right) => lists(left, right, (some, all) => some.every((each) => isIn(each, all))),
  },
  array_superset: {
    left: ['array'],
    right: 'list',
    ref: true,
    op: 'ArraySuperset',
    shape: 'list',
    items: 'every',
    within: 'left',
    turned: null,
    words: { is: 'contains all of', be: 'a list with all of' },
    holds: (left, right) => lists(left, right, (all, some) => some.every((each) => isIn(each, all))),
  },
  array_intersect: {
    left: ['array'],
    right: 'list',
    ref: true,
    op: 'ArrayIntersect',
    shape: 'list',
    items: 'some',
    within: 'right',
    turned: null,
    words: { is: 'contains any of', be: 'a list with some of' },
    holds: (left, right) => lists(left, right, (one, other) => one.some((each) => isIn(each, other))),
  },
} as const satisfies Record<string, OperatorRule>

export type Operator = keyof typeof OPERATORS
