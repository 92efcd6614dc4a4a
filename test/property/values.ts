// Random attribute values and conditions, aimed at edges: values that look alike and are not, what is missing or of
// another type, empty lists, text of several planes, numbers at the ends of what a double can say, instants in several
// spellings.
import {
  type AttributePath,
  type Condition,
  OPERATORS,
  type Operator,
  parseConditions,
  type Test,
} from '../../src/model/condition.ts'
import type { AttributeType, Json, JsonObject } from '../../src/model/objects.ts'
import type { Sent } from '../reference/request.ts'

export type Next = (below: number) => number

/** The same number drawn again and again picks the same. */
const any = <T>(next: Next, from: readonly T[]): T => from[next(from.length)]!

const TEXTS = ['', 'a', 'A', 'b', 'ab', 'ä', 'a\u0308', '\uff21', '😀', 'a\u0000b', '1', 'true', 'null', '__proto__']
const INSTANTS = [
  '2026-11-20',
  '2026-11-20T00:00:00Z',
  '2026-11-20T01:00+01:00',
  '2026-11-20T00:00:00.001Z',
  '2026-02-30',
]
/** 2026-11-20 */
export const MIDNIGHT = 1795132800000
const NUMBERS = [0, -0, 1, 2, -1, 0.3, 0.1 + 0.2, 5e-324, -5e-324, 2 ** 53, 2 ** 53 - 1, -(2 ** 53), MIDNIGHT]
/** Only a question may hold them: what is written stays within ±2^53 (D9). */
const SENT_NUMBERS = [2 ** 53 + 2, 1e300, -1e300, Number.MAX_VALUE]
const SCALARS: readonly (string | number | boolean)[] = [...TEXTS, ...INSTANTS, ...NUMBERS, true, false]
/** Few of them, so that two sides often meet. */
const COMMON: readonly (string | number | boolean)[] = ['a', 'b', 1, 2, 0, true, false, '1', '2026-11-20']

export const ATTRIBUTES = ['a', 'b', 'c', 'd', '__proto__', 'constructor'] as const
export const TYPES: readonly AttributeType[] = [
  'bool',
  'number',
  'string',
  'time',
  'array',
  'json',
  'object',
  'object_array',
]

/** Keys that values may happen to be: of users, roles, tenants, types and instances. */
export interface Words {
  readonly users: readonly string[]
  readonly roles: readonly string[]
  readonly tenants: readonly string[]
  readonly resources: readonly string[]
  readonly instances: readonly string[]
}

function scalar(next: Next, words: Words): string | number | boolean {
  const kind = next(10)
  if (kind < 5) return any(next, COMMON)
  if (kind < 8) return any(next, SCALARS)
  return any(
    next,
    any(
      next,
      [words.users, words.roles, words.tenants, words.instances].filter((each) => each.length > 0),
    ),
  )
}

const scalars = (next: Next, words: Words): Json[] => Array.from({ length: next(5) }, () => scalar(next, words))

/** Any value that an attribute can have. */
function value(next: Next, words: Words, depth = 0): Json {
  const kind = next(depth > 2 ? 6 : 14)
  if (kind < 6) return scalar(next, words)
  if (kind < 9) return scalars(next, words)
  if (kind < 11) return drawAttributes(next, words, depth + 1)
  if (kind < 12) return Array.from({ length: next(3) }, () => drawAttributes(next, words, depth + 1))
  if (kind < 13) return Array.from({ length: next(4) }, () => value(next, words, depth + 1))
  return null
}

export function drawAttributes(next: Next, words: Words, depth = 0): JsonObject {
  const names = ATTRIBUTES.filter(() => next(3) === 0)
  return Object.fromEntries(names.map((name) => [name, value(next, words, depth)]))
}

const IDENTITY = [
  'user.key',
  'user.roles',
  'user.tenants',
  'resource.type',
  'resource.key',
  'resource.tenant',
  'tenant.key',
]
const ROOTS = [
  'user',
  'user',
  'user',
  'resource',
  'resource',
  'resource',
  'context',
  'tenant',
  'action',
  'subject',
  'environment',
]

function path(next: Next): string {
  const kind = next(12)
  if (kind < 2) return `${any(next, IDENTITY)}${next(8) === 0 ? `.${any(next, ATTRIBUTES)}` : ''}`
  if (kind === 2) return 'context.now'
  const name = `${any(next, ROOTS)}.${any(next, ATTRIBUTES.slice(0, next(4) === 0 ? 6 : 4))}`
  return next(6) === 0 ? `${name}.${any(next, ATTRIBUTES)}` : name
}

/**
 * The tests that conditions may contain. Plain conditions can only become true when someone gets more (issue laws):
 * they have no negation and no test that every item of a list must pass.
 */
export interface Shape {
  readonly plain: boolean
}
export const EVERYTHING: Shape = { plain: false }
export const PLAIN: Shape = { plain: true }

/** Random conditions of about `size` operands. */
export function conditions(next: Next, words: Words, size: number, shape: Shape = EVERYTHING): JsonObject {
  if (size === 0) return {}
  if (size > 1) {
    const parts = [conditions(next, words, size >> 1, shape), conditions(next, words, size - (size >> 1), shape)]
    const kind = next(shape.plain ? 5 : 8)
    if (kind < 2) return { [any(next, ['allOf', 'and'])]: parts }
    if (kind < 4) return { [any(next, ['anyOf', 'or'])]: parts }
    if (kind === 5) return { not: parts }
    if (kind === 6) return { allOf: [parts[0]!, { not: parts[1]! }] }
    return { ...parts[0], ...parts[1] }
  }
  if (!shape.plain && next(6) === 0) return { not: conditions(next, words, 1, shape) }
  if (next(12) === 0) return { anyOf: next(2) === 0 ? [] : [{}] }
  return operand(next, words, shape)
}

function operand(next: Next, words: Words, shape: Shape): JsonObject {
  const left = path(next)
  if (left === 'user.roles' || left === 'user.tenants') return { [left]: ofKeys(next, words, shape) }
  return { [left]: test(next, words, shape, 0) }
}

/** A test of a list of keys that are the question's own. */
function ofKeys(next: Next, words: Words, shape: Shape): JsonObject {
  const keys = next(2) === 0 ? words.roles : words.tenants
  const some = Array.from({ length: next(3) }, () => any(next, keys.length > 0 ? keys : ['none']))
  const operators = ['array_superset', 'array_intersect', ...(shape.plain ? [] : ['array_subset'])]
  if (next(2) === 0) return { array_contains: any(next, keys.length > 0 ? keys : ['none']) }
  return { [any(next, operators)]: some }
}

function test(next: Next, words: Words, shape: Shape, depth: number): JsonObject {
  const kind = next(depth > 1 ? 10 : 16)
  if (kind === 10) {
    const tests = [test(next, words, shape, 2), test(next, words, shape, 2)]
    return { [any(next, ['anyOf', 'or', 'allOf', 'and'])]: tests }
  }
  if (kind === 11 && !shape.plain) {
    const values = [scalar(next, words), scalar(next, words)]
    return { not: [test(next, words, shape, 2), values, values[0]!][next(3)]! }
  }
  if (kind === 12) return { ...test(next, words, shape, 2), ...test(next, words, shape, 2) }
  if (kind > 12) return match(next, words, shape, depth)
  return comparison(next, words, shape)
}

const NOT_PLAIN: readonly string[] = ['not-equals', 'array_subset', 'all_match']
const OPERATORS_LEFT = Object.keys(OPERATORS) as Operator[]

function comparison(next: Next, words: Words, shape: Shape): JsonObject {
  const operator = any(next, OPERATORS_LEFT)
  if (shape.plain && NOT_PLAIN.includes(operator)) return { equals: right(next, words, scalar) }
  switch (OPERATORS[operator].right) {
    case 'scalar':
      return { [operator]: right(next, words, scalar) }
    case 'ordered':
      return { [operator]: right(next, words, ordered) }
    case 'range':
      return { [operator]: next(2) === 0 ? [number(next), number(next)] : [text(next), text(next)] }
    case 'string':
      return { [operator]: right(next, words, text) }
    case 'list':
      return { [operator]: right(next, words, scalars) }
  }
}

const number = (next: Next): number => any(next, NUMBERS)
const text = (next: Next): string => any(next, next(3) === 0 ? INSTANTS : TEXTS)
const ordered = (next: Next): Json => (next(2) === 0 ? number(next) : text(next))

/** A value, or a `ref`; never to the keys that somebody gains with an assignment. */
function right(next: Next, words: Words, draw: (next: Next, words: Words) => Json): Json {
  if (next(4) > 0) return draw(next, words)
  const ref = path(next)
  return { ref: ref === 'user.roles' || ref === 'user.tenants' ? 'user.key' : ref }
}

function match(next: Next, words: Words, shape: Shape, depth: number): JsonObject {
  const operator = any(next, ['object_match', 'any_match', ...(shape.plain ? [] : ['all_match'])])
  const members = ATTRIBUTES.slice(0, 3).filter(() => next(2) === 0)
  const tests = Object.fromEntries(members.map((name) => [name, test(next, words, shape, depth + 1)]))
  if (words.resources.length === 0 || next(2) === 0) return { [operator]: { match: tests } } // else by foreign key
  return { [operator]: { match: tests, fk_resource_type: any(next, words.resources) } }
}

/** Attributes by root: to send, or to store. */
export type Hints = Record<'user' | 'resource' | 'tenant' | 'context' | 'action', JsonObject>

/** Attributes that often or nearly satisfy the conditions: the values in their tests, or values close to them. */
export function hintsFor(next: Next, words: Words, sets: readonly JsonObject[]): Hints {
  const hints: Hints = { user: {}, resource: {}, tenant: {}, context: {}, action: {} }
  for (const set of sets) hint(next, words, parsedOnce(set), hints)
  return hints
}

const parsed = new WeakMap<JsonObject, Condition>()

/** Conditions do not change, and rows are drawn by those of one policy again and again. */
function parsedOnce(set: JsonObject): Condition {
  const known = parsed.get(set) ?? parseConditions(set)
  parsed.set(set, known)
  return known
}

/** What a question sends: some of the hints, or anything, or a lie about who asks what. */
export function sentFrom(next: Next, words: Words, { user, resource, context, action }: Hints): Sent {
  const sent: Record<string, JsonObject> = {}
  for (const [root, hinted] of Object.entries({ user, resource, context, action })) {
    const attributes = { ...(next(4) === 0 ? {} : hinted), ...(next(12) === 0 ? drawAttributes(next, words) : {}) }
    if (Object.keys(attributes).length > 0) sent[root] = attributes
    if (next(60) === 0) sent[root] = { ...attributes, a: any(next, SENT_NUMBERS) }
  }
  if (next(25) === 0) {
    const [key, tenant] = [any(next, words.users), any(next, words.tenants)]
    sent.user = { ...sent.user, key, roles: words.roles, tenants: words.tenants }
    sent.resource = { ...sent.resource, tenant, key: words.instances[0] ?? 'a', type: any(next, words.resources) }
  }
  return sent
}

function hint(next: Next, words: Words, condition: Condition, hints: Hints): void {
  if (condition.kind !== 'operand') {
    const items = condition.kind === 'not' ? [condition.item] : condition.items
    for (const item of items) hint(next, words, item, hints)
    return
  }
  const { left, test } = condition
  if (next(10) === 0) return // missing
  const ref = test.kind === 'compare' && test.right.kind === 'ref' ? test.right.path : undefined
  const fitting = test.kind === 'compare' && ref !== undefined ? pairFor(next, words, test.operator) : undefined
  const chosen = fitting?.[0] ?? valueFor(next, words, test)
  const other = [value(next, words), lookalike(chosen), lookalike(chosen), null][next(6)]
  give(hints, left, next(4) === 0 && other !== undefined ? other : chosen)
  if (ref !== undefined) give(hints, ref, next(6) === 0 ? value(next, words) : fitting![1])
}

function give(hints: Hints, { root, names }: AttributePath, chosen: Json): void {
  const [name = '', ...members] = names
  const inner = members.reduceRight<Json>((value, member) => Object.fromEntries([[member, value]]), chosen)
  hints[root] = { ...hints[root], ...Object.fromEntries([[name, inner]]) }
}

/** Another value that looks the same to a careless eye, or is the same instant. */
function lookalike(of: Json): Json {
  if (of === MIDNIGHT) return '2026-11-20T01:00+01:00'
  if (typeof of === 'string' && of.startsWith('2026-11-20')) return of === '2026-11-20' ? '2026-11-20T00:00Z' : MIDNIGHT
  if (typeof of === 'number') return Object.is(of, 0) ? -0 : of === 1 ? true : String(of)
  if (typeof of === 'boolean') return Number(of)
  if (typeof of !== 'string') return Array.isArray(of) ? (of[0] ?? null) : of
  const other = of.toUpperCase() === of ? of.toLowerCase() : of.toUpperCase()
  return of !== '' && Number.isFinite(Number(of)) ? Number(of) : other === of ? of.normalize('NFD') : other
}

/** Two sides that fit the operator, for a `ref`. */
function pairFor(next: Next, words: Words, operator: Operator): [Json, Json] {
  const rightSide = { ordered, string: text, range: scalars, list: scalars, scalar }[OPERATORS[operator].right](
    next,
    words,
  )
  return [beside(next, operator, rightSide), rightSide]
}

/** A value that passes the test, more often than not. */
function valueFor(next: Next, words: Words, test: Test): Json {
  switch (test.kind) {
    case 'all':
    case 'any':
      return test.tests.length === 0 ? scalar(next, words) : valueFor(next, words, any(next, test.tests))
    case 'not':
      return next(2) === 0 ? scalar(next, words) : valueFor(next, words, test.test)
    case 'match': {
      if (test.foreignType !== null) {
        const key = words.instances.length > 0 ? any(next, words.instances) : 'a'
        return test.of === 'object' ? key : any<Json[]>(next, [[key], [key], [key, 'nothing'], []])
      }
      const members = test.members.map(({ names, test: inner }) => [names[0]!, valueFor(next, words, inner)] as const)
      const item = Object.fromEntries(members)
      if (next(4) === 0) return test.of === 'object' ? [item] : item
      return test.of === 'object' ? item : any<Json[]>(next, [[item], [item, {}], [{}, item], []])
    }
    case 'compare':
      return test.right.kind === 'ref' ? scalar(next, words) : beside(next, test.operator, test.right.value)
  }
}

function beside(next: Next, operator: Operator, right: Json): Json {
  const list = Array.isArray(right) ? right : []
  const step = next(3) - 1
  switch (operator) {
    case 'less-than':
    case 'less-than-equals':
    case 'greater-than':
    case 'greater-than-equals':
      if (step === 0) return right
      return typeof right === 'number' ? right + step : step < 0 ? '' : `${right}a`
    case 'between':
      return list[next(2)] ?? 1
    case 'contains':
    case 'starts-with':
    case 'ends-with':
      return any(next, [right, `x${right}y`, `${right}y`, `x${right}`])
    case 'in':
      return list.length === 0 ? 'a' : any(next, list)
    case 'array_contains':
      return next(2) === 0 ? [right] : ['b', right]
    case 'array_subset':
    case 'array_intersect':
      return [...list.slice(next(2), 1 + next(3)), ...(next(4) === 0 ? ['z'] : [])]
    case 'array_superset':
      return next(4) === 0 ? list.slice(1) : [...list, 'z']
    case 'not-equals':
      return next(2) === 0 ? right : 'z'
    default:
      return right
  }
}
