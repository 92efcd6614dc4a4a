// The definition: why set rules do not match. Of the rules for a permission that do not allow, the nearest ones, each
// with the sets that are false (D6) and the tests that make them so; and every `not` that is true for want of a value
// (D7).
import { type AttributePath, type Condition, parseConditions, type Test } from '../../src/model/condition.ts'
import { parseInstant } from '../../src/model/instant.ts'
import { EXPLAIN_ITEMS_MAX, EXPLAIN_MISSES_MAX } from '../../src/model/limits.ts'
import type { AttributeType, Json } from '../../src/model/objects.ts'
import { shorten } from '../../src/model/shorten.ts'
import { isInTenant, isObject, type Operand, operandAt, typeDeclared } from './attributes.ts'
import { passes } from './conditions.ts'
import type { Policy } from './policy.ts'
import { isElsewhere, type Request } from './request.ts'
import { bySets, hasResource, hasUser, rulesFor } from './sets.ts'

type Place = readonly (string | number)[]
type Single = Extract<Test, { kind: 'compare' | 'match' }>

export interface Found {
  readonly path: Place
  readonly attribute: string
  readonly operator: string
  readonly reason:
    | 'missing'
    | 'not_in_tenant'
    | 'wrong_type'
    | 'ref_missing'
    | 'ref_not_in_tenant'
    | 'ref_wrong_type'
    | 'not_met'
    | 'met'
  readonly value?: Json
  readonly declared?: AttributeType
  readonly expected?: Json
  readonly ref?: string
  readonly ref_value?: Json
}
export interface Failed {
  readonly side: 'user_set' | 'resource_set'
  readonly set: string
  readonly reason: 'role_not_assigned' | 'role_not_held' | 'other_resource' | 'conditions'
  readonly tests: readonly Found[]
}
export interface Miss {
  readonly user_set: string
  readonly resource_set: string
  readonly failed: readonly Failed[]
}
export interface Match {
  readonly user_set: string
  readonly resource_set: string
  readonly held: readonly {
    readonly side: Failed['side']
    readonly set: string
    readonly tests: readonly Found[]
  }[]
}
export type Note = Found & { readonly set: string }

/** The nearest rules first: one side true before none, then few failed tests before many, then by name. */
export function listMisses(policy: Policy, request: Request): Miss[] {
  if (isElsewhere(policy, request) || bySets(policy, request)) return []
  const far = rulesFor(policy, request).map((rule) => {
    const user = hasUser(policy, request, rule.user_set)
    const resource = hasResource(policy, request, rule.resource_set)
    const failed = [
      ...(user ? [] : listFailed(policy, request, rule.user_set, 'user_set')),
      ...(resource ? [] : listFailed(policy, request, rule.resource_set, 'resource_set')),
    ]
    const tests = failed.reduce((sum, { tests: each }) => sum + Math.max(1, each.length), 0)
    const name = `${rule.user_set}/${rule.resource_set}`
    return {
      half: user || resource,
      tests,
      name,
      miss: { user_set: rule.user_set, resource_set: rule.resource_set, failed },
    }
  })
  far.sort((a, b) => Number(b.half) - Number(a.half) || a.tests - b.tests || (a.name < b.name ? -1 : 1))
  return far.slice(0, EXPLAIN_MISSES_MAX).map(({ miss }) => miss)
}

/** The rules that allow, by name, each with the sets that are true (D6) and the tests that make them so. */
export function listMatches(policy: Policy, request: Request): Match[] {
  return allowingRules(policy, request)
    .slice(0, EXPLAIN_MISSES_MAX)
    .map(({ user_set, resource_set }) => ({
      user_set,
      resource_set,
      held: [
        ...listHeld(policy, request, user_set, 'user_set'),
        ...listHeld(policy, request, resource_set, 'resource_set'),
      ],
    }))
}

function listHeld(policy: Policy, request: Request, key: string, side: Failed['side']): Match['held'] {
  if (!policy.condition_set.has(key)) return []
  return listChain(policy, key).map((set) => {
    const { causes } = explainConditions(policy, request, parsed(policy.condition_set.get(set)!.conditions))
    return { side, set, tests: causes.slice(0, EXPLAIN_ITEMS_MAX) }
  })
}

function allowingRules(policy: Policy, request: Request) {
  if (isElsewhere(policy, request)) return []
  const allowing = rulesFor(policy, request).filter(
    (rule) => hasUser(policy, request, rule.user_set) && hasResource(policy, request, rule.resource_set),
  )
  return allowing.sort((a, b) => (`${a.user_set}/${a.resource_set}` < `${b.user_set}/${b.resource_set}` ? -1 : 1))
}

/** D7: the `not`s over nothing in the sets of the rules that allow, else of the nearest ones. */
export function listNotes(policy: Policy, request: Request): Note[] {
  if (isElsewhere(policy, request)) return []
  const allowing = allowingRules(policy, request)
  const rules = allowing.length > 0 ? allowing : listMisses(policy, request)
  const sets = rules.flatMap(({ user_set, resource_set }) => [user_set, resource_set])
  const chains = new Set(sets.filter((key) => policy.condition_set.has(key)).flatMap((key) => listChain(policy, key)))
  const notes = [...chains].flatMap((key) => {
    const { conditions, resource } = policy.condition_set.get(key)!
    if (resource !== null && resource !== request.resource.type) return []
    const inVain = listTests(parsed(conditions))
      .filter(({ negated }) => negated)
      .map((test) => found(policy, request, test))
      .filter(({ reason }) => reason !== 'met' && reason !== 'not_met')
    return inVain.map((test) => ({ set: key, ...test }))
  })
  return notes.slice(0, EXPLAIN_ITEMS_MAX)
}

function listFailed(policy: Policy, request: Request, key: string, side: Failed['side']): Failed[] {
  if (!policy.condition_set.has(key)) {
    const ofUsers = key.includes('#') ? 'role_not_held' : 'role_not_assigned'
    return [{ side, set: key, reason: side === 'user_set' ? ofUsers : 'other_resource', tests: [] }]
  }
  return listChain(policy, key).flatMap((set): Failed[] => {
    const { resource, conditions } = policy.condition_set.get(set)!
    if (resource !== null && resource !== request.resource.type)
      return [{ side, set, reason: 'other_resource', tests: [] }]
    const { truth, causes } = explainConditions(policy, request, parsed(conditions))
    if (truth) return []
    return [{ side, set, reason: 'conditions', tests: causes.slice(0, EXPLAIN_ITEMS_MAX) }]
  })
}

/** A set and those above it. */
function listChain(policy: Policy, key: string): string[] {
  const { parent } = policy.condition_set.get(key)!
  return parent === null ? [key] : [key, ...listChain(policy, parent)]
}

interface Parsed {
  readonly condition: Condition
  readonly places: ReadonlyMap<Test, Place>
}
function parsed(conditions: Json): Parsed {
  const places = new Map<Test, Place>()
  return { condition: parseConditions(conditions, [], places), places }
}

interface OneTest {
  readonly left: AttributePath
  readonly test: Single
  readonly place: Place
  /** under an odd number of `not`s */
  readonly negated: boolean
}

/** Every single test, in the order in which they are written. */
function listTests({ condition, places }: Parsed): OneTest[] {
  const inTest = (left: AttributePath, test: Test, negated: boolean): OneTest[] => {
    if (test.kind === 'not') return inTest(left, test.test, !negated)
    if (test.kind === 'all' || test.kind === 'any') return test.tests.flatMap((each) => inTest(left, each, negated))
    return [{ left, test: test as Single, place: places.get(test)!, negated }]
  }
  const inCondition = (each: Condition, negated: boolean): OneTest[] => {
    if (each.kind === 'operand') return inTest(each.left, each.test, negated)
    if (each.kind === 'not') return inCondition(each.item, !negated)
    return each.items.flatMap((item) => inCondition(item, negated))
  }
  return inCondition(condition, false)
}

/** Whether the conditions hold, and the tests that make it so: of a group, the items that are what the group is. */
function explainConditions(
  policy: Policy,
  request: Request,
  { condition, places }: Parsed,
): { truth: boolean; causes: Found[] } {
  type Reasons = { truth: boolean; causes: Found[] }
  const not = ({ truth, causes }: Reasons): Reasons => ({ truth: !truth, causes })
  const group = (kind: 'all' | 'any', items: Reasons[]): Reasons => {
    const truth = kind === 'all' ? items.every((item) => item.truth) : items.some((item) => item.truth)
    return { truth, causes: items.filter((item) => item.truth === truth).flatMap((item) => item.causes) }
  }
  const inTest = (left: AttributePath, test: Test): Reasons => {
    if (test.kind === 'not') return not(inTest(left, test.test))
    if (test.kind === 'all' || test.kind === 'any')
      return group(
        test.kind,
        test.tests.map((each) => inTest(left, each)),
      )
    const one = found(policy, request, { left, test: test as Single, place: places.get(test)!, negated: false })
    return { truth: one.reason === 'met', causes: [one] }
  }
  const inCondition = (each: Condition): Reasons => {
    if (each.kind === 'operand') return inTest(each.left, each.test)
    return each.kind === 'not' ? not(inCondition(each.item)) : group(each.kind, each.items.map(inCondition))
  }
  return inCondition(condition)
}

const pathName = ({ root, names }: AttributePath) => [root, ...names].join('.')

/** What one test finds. */
function found(policy: Policy, request: Request, { left, test, place }: OneTest): Found {
  const one = sortedKeys(left, operandAt(policy, request, left))
  const ref = test.kind === 'compare' && test.right.kind === 'ref' ? test.right.path : undefined
  const other = ref && sortedKeys(ref, operandAt(policy, request, ref))
  const constant = test.kind === 'compare' && test.right.kind === 'value' ? test.right.value : undefined
  const shown = one.value === undefined ? one.illTyped : one.value
  const refShown = other && (other.value === undefined ? other.illTyped : other.value)
  return {
    path: place,
    attribute: pathName(left),
    operator: test.kind === 'compare' ? test.operator : `${test.of}_match`,
    reason: passes(policy, request, test, one)
      ? 'met'
      : outside(policy, request, whyNot(test, one, other, constant), [left, ref]),
    ...(shown === undefined ? {} : { value: shorten(shown) }),
    ...(one.illTyped === undefined ? {} : { declared: typeDeclared(policy, request, left) }),
    ...(constant === undefined ? {} : { expected: shorten(constant) }),
    ...(ref === undefined ? {} : { ref: pathName(ref) }),
    ...(refShown === undefined ? {} : { ref_value: shorten(refShown) }),
  }
}

/** D6: what is stored about a tenant is missing for a user who does not belong to it. */
function outside(
  policy: Policy,
  request: Request,
  reason: Found['reason'],
  [left, ref]: readonly [AttributePath, AttributePath | undefined],
): Found['reason'] {
  if (isInTenant(policy, request)) return reason
  if (reason === 'missing' && left.root === 'tenant') return 'not_in_tenant'
  return reason === 'ref_missing' && ref?.root === 'tenant' ? 'ref_not_in_tenant' : reason
}

/** Roles and tenants are shown in order. */
function sortedKeys({ root, names: [name] }: AttributePath, operand: Operand): Operand {
  if (root !== 'user' || (name !== 'roles' && name !== 'tenants') || !Array.isArray(operand.value)) return operand
  return { ...operand, value: [...operand.value].sort() }
}

/**
 * D7: missing, not of the declared type, of a type that the operator does not take; else the two were there and the
 * test is false.
 */
function whyNot(test: Single, left: Operand, ref: Operand | undefined, constant: Json | undefined): Found['reason'] {
  if (left.value === undefined) return left.illTyped === undefined ? 'missing' : 'wrong_type'
  if (ref !== undefined && ref.value === undefined) return ref.illTyped === undefined ? 'ref_missing' : 'ref_wrong_type'
  if (test.kind === 'match') return LEFT_OF_MATCH[test.of](left.value, test.foreignType) ? 'not_met' : 'wrong_type'
  const time = left.time || ref?.time === true
  const other = ref === undefined ? constant : ref.value
  const takes = time && IN_TIME.includes(test.operator) ? [isInstant, isInstant] : SIDES[test.operator]!
  if (!takes[0]!(left.value)) return 'wrong_type'
  if (takes === ORDERED) {
    const compared = Array.isArray(other) ? other[0] : other
    if (isOrdered(compared) && typeof compared !== typeof left.value) return 'wrong_type'
  }
  return ref !== undefined && !takes[1]!(ref.value) ? 'ref_wrong_type' : 'not_met'
}

type Is = (value: Json | undefined) => boolean
const isText: Is = (value) => typeof value === 'string'
const isList: Is = (value) => Array.isArray(value)
const isOrdered: Is = (value) => typeof value === 'string' || typeof value === 'number'
const isScalar: Is = (value) => isOrdered(value) || typeof value === 'boolean'
const isInstant: Is = (value) => parseInstant(value) !== undefined
const SCALARS = [isScalar, isScalar]
const ORDERED = [isOrdered, isOrdered]
const TEXTS = [isText, isText]
const LISTS = [isList, isList]
const IN_TIME = [
  'equals',
  'not-equals',
  'less-than',
  'less-than-equals',
  'greater-than',
  'greater-than-equals',
  'between',
]

/** What each operator takes on its left and on its right. */
const SIDES: Readonly<Record<string, readonly Is[]>> = {
  equals: SCALARS,
  'not-equals': SCALARS,
  'less-than': ORDERED,
  'less-than-equals': ORDERED,
  'greater-than': ORDERED,
  'greater-than-equals': ORDERED,
  between: ORDERED,
  contains: TEXTS,
  'starts-with': TEXTS,
  'ends-with': TEXTS,
  in: [isScalar, isList],
  array_contains: [isList, isScalar],
  array_subset: LISTS,
  array_superset: LISTS,
  array_intersect: LISTS,
}
const LEFT_OF_MATCH: Record<'object' | 'any' | 'all', (value: Json, foreign: string | null) => boolean> = {
  object: (value, foreign) => (foreign === null ? isObject(value) : isText(value)),
  any: isList,
  all: isList,
}
