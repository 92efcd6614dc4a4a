// Where a condition can become true because something is gone (D7: missing values): tests below an odd number of `not`s
// on an attribute without which the condition may still hold, and tests of a list that pass when it gets shorter. For
// warnings only: nothing here decides.
import type { AttributePath, Condition, Operator, Root, Term, Test } from './condition.ts'
import type { Json } from './objects.ts'

/** An attribute without which a `not` is true. */
export interface Gap {
  /** null for an attribute of stored instances whose keys the condition follows (`type`) */
  readonly root: Root | null
  readonly type: string | null
  readonly names: readonly string[]
}

/** How it is written: `user.suspended`; of instances that are followed `folder.locked`. */
export const gapName = ({ root, type, names }: Gap): string => [root ?? type, ...names].join('.')

/** The attributes without which the condition may be true because of a `not`, each once. */
export function gapsIn(condition: Condition): Gap[] {
  const found = new Map<string, Gap>()
  for (const gap of negatedReadings(condition, false)) {
    if (gap.root === null || valueWithout(condition, { root: gap.root, names: gap.names }) !== false)
      found.set(`${gap.type ?? ''} ${gapName(gap)}`, gap)
  }
  return [...found.values()]
}

/** Whether losing an item of `user.<list>` can make the condition true. */
export function gainsByLoss(condition: Condition, list: 'roles' | 'tenants', item: string): boolean {
  const isList = ({ root, names }: AttributePath) => root === 'user' && names.length === 1 && names[0] === list
  const inTest = (isLeft: boolean, test: Test, isNegated: boolean): boolean => {
    if (test.kind === 'not') return inTest(isLeft, test.test, !isNegated)
    if (test.kind === 'match') return test.members.some((member) => inTest(false, member.test, isNegated))
    if (test.kind !== 'compare') return test.tests.some((each) => inTest(isLeft, each, isNegated))
    const { operator, right } = test
    const isRight = right.kind === 'ref' && isList(right.path)
    const side = isLeft ? LEFT_LIST[operator] : isRight ? RIGHT_LIST[operator] : undefined
    // a test that fails without the item helps below a `not`; one that passes without it helps elsewhere
    if (side === undefined || (side === 'fails') !== isNegated) return false
    return isRight || concerns(right, item) === (side === 'fails')
  }
  const inCondition = (each: Condition, isNegated: boolean): boolean => {
    if (each.kind === 'operand') return inTest(isList(each.left), each.test, isNegated)
    if (each.kind === 'not') return inCondition(each.item, !isNegated)
    return each.items.some((one) => inCondition(one, isNegated))
  }
  return inCondition(condition, false)
}

/** What a test of a list does when the list loses an item, with the list on the left. */
const LEFT_LIST: Readonly<Partial<Record<Operator, 'fails' | 'passes'>>> = {
  array_contains: 'fails',
  array_superset: 'fails',
  array_intersect: 'fails',
  array_subset: 'passes',
}
/** The same with the list on the right, as a `ref`. */
const RIGHT_LIST: Readonly<Partial<Record<Operator, 'fails' | 'passes'>>> = {
  in: 'fails',
  array_subset: 'fails',
  array_intersect: 'fails',
  array_superset: 'passes',
}

/** Whether the right side names the item. */
function concerns(right: Term, item: string): boolean {
  if (right.kind === 'ref') return true
  const values: readonly Json[] = Array.isArray(right.value) ? right.value : [right.value]
  return values.includes(item)
}

/** Every reading below an odd number of `not`s, where a missing value is true (D7), whatever else the condition requires. */
export const readingsBelowNot = (condition: Condition): Gap[] => [...negatedReadings(condition, false)]

function* negatedReadings(condition: Condition, isNegated: boolean): Iterable<Gap> {
  if (condition.kind === 'operand') {
    const { root, names } = condition.left
    yield* negatedInTest({ root, type: null, names }, condition.test, isNegated)
  } else if (condition.kind === 'not') yield* negatedReadings(condition.item, !isNegated)
  else for (const item of condition.items) yield* negatedReadings(item, isNegated)
}

function* negatedInTest(left: Gap, test: Test, isNegated: boolean): Iterable<Gap> {
  if (test.kind === 'not') yield* negatedInTest(left, test.test, !isNegated)
  else if (test.kind === 'compare') {
    if (!isNegated) return
    yield left
    if (test.right.kind === 'ref') yield { ...test.right.path, type: null }
  } else if (test.kind === 'match') {
    if (isNegated) yield left
    for (const { names, test: inner } of test.members)
      yield* negatedInTest(resolveMember(left, test, names), inner, isNegated)
  } else for (const each of test.tests) yield* negatedInTest(left, each, isNegated)
}

/** What a test inside a match reads: an attribute of a stored instance, a member, or of a list the list itself. */
function resolveMember(
  left: Gap,
  { of, foreignType }: Test & { readonly kind: 'match' },
  names: readonly string[],
): Gap {
  if (foreignType !== null) return { root: null, type: foreignType, names }
  return of === 'object' ? { ...left, names: [...left.names, ...names] } : left
}

/** The condition when an attribute is missing; undefined when that depends on others. */
function valueWithout(condition: Condition, missing: AttributePath): boolean | undefined {
  if (condition.kind === 'operand') return testWithout(condition.test, missing, isWithin(condition.left, missing))
  if (condition.kind === 'not') return negated(valueWithout(condition.item, missing))
  return combineResults(
    condition.kind,
    condition.items.map((item) => valueWithout(item, missing)),
  )
}

function testWithout(test: Test, missing: AttributePath, isMissing: boolean): boolean | undefined {
  if (test.kind === 'not') return negated(testWithout(test.test, missing, isMissing))
  if (test.kind === 'match') return isMissing ? false : undefined
  if (test.kind === 'compare') {
    const isOther = test.right.kind === 'ref' && isWithin(test.right.path, missing)
    return isMissing || isOther ? false : undefined
  }
  return combineResults(
    test.kind,
    test.tests.map((each) => testWithout(each, missing, isMissing)),
  )
}

const isWithin = (path: AttributePath, outer: AttributePath): boolean =>
  path.root === outer.root && outer.names.every((name, at) => path.names[at] === name)

const negated = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value)

/** Of all, false decides; of any, true does. */
function combineResults(kind: 'all' | 'any', values: readonly (boolean | undefined)[]): boolean | undefined {
  const decides = kind === 'any'
  if (values.includes(decides)) return decides
  return values.includes(undefined) ? undefined : !decides
}
