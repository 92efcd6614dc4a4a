// The words of conditions: groups, roots and operators, with what each operator takes on its two sides. The grammar reads
// them (condition.ts), and so does the builder of the console: nothing of Node.js, and no dependency. What an operator means
// is docs/conditions.md.
import type { AttributeType } from './objects.ts'

export type { AttributeType } from './objects.ts'

/** Where a value comes from. `action.*` is our extension: attributes sent with the action. */
export type Root = 'user' | 'resource' | 'tenant' | 'context' | 'action'

/**
 * What an operator takes on its left (a value of another type makes the test false) and on its right (another value is
 * refused).
 */
export interface OperatorRule {
  readonly left: readonly AttributeType[]
  readonly right: 'scalar' | 'ordered' | 'range' | 'string' | 'list'
  readonly ref: boolean
}

const SCALAR = ['bool', 'number', 'string', 'time'] as const
const ORDERED = ['number', 'time', 'string'] as const

/** docs/conditions.md says what each means; `starts-with` and `ends-with` are extensions. */
export const OPERATORS = {
  equals: { left: SCALAR, right: 'scalar', ref: true },
  'not-equals': { left: SCALAR, right: 'scalar', ref: true },
  'less-than': { left: ORDERED, right: 'ordered', ref: true },
  'less-than-equals': { left: ORDERED, right: 'ordered', ref: true },
  'greater-than': { left: ORDERED, right: 'ordered', ref: true },
  'greater-than-equals': { left: ORDERED, right: 'ordered', ref: true },
  between: { left: ORDERED, right: 'range', ref: false },
  contains: { left: ['string'], right: 'string', ref: true },
  'starts-with': { left: ['string'], right: 'string', ref: true },
  'ends-with': { left: ['string'], right: 'string', ref: true },
  in: { left: SCALAR, right: 'list', ref: true },
  array_contains: { left: ['array'], right: 'scalar', ref: true },
  array_subset: { left: ['array'], right: 'list', ref: true },
  array_superset: { left: ['array'], right: 'list', ref: true },
  array_intersect: { left: ['array'], right: 'list', ref: true },
} as const satisfies Record<string, OperatorRule>

export type Operator = keyof typeof OPERATORS

export const GROUPS: ReadonlyMap<string, 'all' | 'any'> = new Map([
  ['allOf', 'all'],
  ['and', 'all'],
  ['anyOf', 'any'],
  ['or', 'any'],
])
export const ROOTS: ReadonlyMap<string, Root> = new Map([
  ['user', 'user'],
  ['subject', 'user'],
  ['resource', 'resource'],
  ['tenant', 'tenant'],
  ['context', 'context'],
  ['environment', 'context'],
  ['action', 'action'],
])
/** The operators that test what lies inside: the value itself, some item of it, every item of it. */
export const MATCHES: ReadonlyMap<string, 'object' | 'any' | 'all'> = new Map([
  ['object_match', 'object'],
  ['any_match', 'any'],
  ['all_match', 'all'],
])

// How deep and how many conditions may be.
export { CONDITION_DEPTH_MAX, CONDITION_NODES_MAX } from './limits/policy-limits.ts'
