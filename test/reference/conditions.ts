// The definition: when a condition is true. D7: an operand without a value, or of a type that the operator does not
// take, makes its test false, and `not` turns that round like any other false. D9: when two values are equal, and which
// of two comes first.
import type { Condition, Operator, Term, Test } from '../../src/model/condition.ts'
import { parseInstant } from '../../src/model/instant.ts'
import type { Json } from '../../src/model/objects.ts'
import { isObject, member, type Operand, operandAt, readOperand } from './attributes.ts'
import type { Policy } from './policy.ts'
import type { Request } from './request.ts'

export function holds(policy: Policy, request: Request, condition: Condition): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.items.every((item) => holds(policy, request, item))
    case 'any':
      return condition.items.some((item) => holds(policy, request, item))
    case 'not':
      return !holds(policy, request, condition.item)
    case 'operand':
      return passes(policy, request, condition.test, operandAt(policy, request, condition.left))
  }
}

export function passes(policy: Policy, request: Request, test: Test, left: Operand): boolean {
  switch (test.kind) {
    case 'all':
      return test.tests.every((each) => passes(policy, request, each, left))
    case 'any':
      return test.tests.some((each) => passes(policy, request, each, left))
    case 'not':
      return !passes(policy, request, test.test, left)
    case 'compare':
      return OPERATORS[test.operator](left, rightSide(policy, request, test.right))
    case 'match': {
      const matches = (item: Json) => hasMembers(policy, request, test, item)
      if (test.of === 'object') return left.value !== undefined && matches(left.value)
      if (!Array.isArray(left.value)) return false
      return test.of === 'any' ? left.value.some(matches) : left.value.every(matches)
    }
  }
}

function rightSide(policy: Policy, request: Request, right: Term): Operand {
  return right.kind === 'ref' ? operandAt(policy, request, right.path) : { value: right.value, time: false }
}

/** Every test of a match passes: inside the item, or on the stored instance whose key the item is. */
function hasMembers(policy: Policy, request: Request, match: Test & { kind: 'match' }, item: Json): boolean {
  const type = match.foreignType
  if (type === null) {
    if (!isObject(item)) return false
    return match.members.every(({ names, test }) => passes(policy, request, test, member(item, names)))
  }
  const instance = typeof item === 'string' ? policy.resource_instance.get(`${type}:${item}`) : undefined
  if (instance === undefined) return false
  return match.members.every(({ names, test }) =>
    passes(policy, request, test, readOperand(policy, type, instance, names)),
  )
}

type Scalar = string | number | boolean

const isScalar = (value: Json | undefined): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** D9: the two values as they are compared: as instants when one of them is a time. Undefined when they cannot be. */
function comparable(left: Operand, right: Operand): readonly [Scalar, Scalar] | undefined {
  const inTime = left.time || right.time
  const [a, b] = inTime ? [parseInstant(left.value), parseInstant(right.value)] : [left.value, right.value]
  return isScalar(a) && isScalar(b) ? [a, b] : undefined
}

/** D9: of the same type and the same value; -0 is 0. No value equals one of another type. */
function equal(left: Operand, right: Operand): boolean {
  const pair = comparable(left, right)
  return pair !== undefined && pair[0] === pair[1]
}

/**
 * D9: below 0 when left comes first, above 0 when right does; NaN when neither can be said. Text goes by its UTF-8
 * bytes.
 */
function order(left: Operand, right: Operand): number {
  const [a, b] = comparable(left, right) ?? []
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return Number.NaN
}

const plain = (value: Json): Operand => ({ value, time: false })
const items = ({ value }: Operand): readonly Operand[] | undefined =>
  Array.isArray(value) ? value.map(plain) : undefined
const isIn = (item: Operand, list: readonly Operand[]) => list.some((each) => equal(item, each))
const text = ({ value }: Operand) => (typeof value === 'string' ? value : undefined)

const OPERATORS: Readonly<Record<Operator, (left: Operand, right: Operand) => boolean>> = {
  equals: equal,
  'not-equals': (left, right) => comparable(left, right) !== undefined && !equal(left, right),
  'less-than': (left, right) => order(left, right) < 0,
  'less-than-equals': (left, right) => order(left, right) <= 0,
  'greater-than': (left, right) => order(left, right) > 0,
  'greater-than-equals': (left, right) => order(left, right) >= 0,
  between: (left, right) => {
    const [low, high] = items(right)! // the grammar takes exactly two
    return order(left, low!) >= 0 && order(left, high!) <= 0
  },
  contains: (left, right) => text(right) !== undefined && text(left)?.includes(text(right)!) === true,
  'starts-with': (left, right) => text(right) !== undefined && text(left)?.startsWith(text(right)!) === true,
  'ends-with': (left, right) => text(right) !== undefined && text(left)?.endsWith(text(right)!) === true,
  in: (left, right) => items(right)?.some((each) => equal(left, each)) === true,
  array_contains: (left, right) => items(left)?.some((each) => equal(each, right)) === true,
  array_subset: (left, right) => {
    const [some, all] = [items(left), items(right)]
    return some !== undefined && all !== undefined && some.every((each) => isIn(each, all))
  },
  array_superset: (left, right) => {
    const [all, some] = [items(left), items(right)]
    return some !== undefined && all !== undefined && some.every((each) => isIn(each, all))
  },
  array_intersect: (left, right) => {
    const [one, other] = [items(left), items(right)]
    return one !== undefined && other !== undefined && one.some((each) => isIn(each, other))
  },
}
