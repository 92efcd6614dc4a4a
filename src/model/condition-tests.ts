// The single tests of conditions, one by one: what tests of a policy cover, and what mutants turn around. A match of an
// object or a list is one test, whatever it tests inside.
import { type Condition, MATCHES, parseConditions, type Test } from './condition.ts'
import type { Json } from './objects.ts'
import { shorten } from './shorten.ts'

export interface ConditionTest {
  /** its place inside the conditions */
  readonly path: readonly (string | number)[]
  /** `resource.amount less-than 1000` */
  readonly text: string
}

const MATCH_NAMES = new Map([...MATCHES].map(([name, of]) => [of, name]))

/** The tests, in the order in which they are written. @throws what `parseConditions` throws */
export function testsOfConditions(conditions: Json): ConditionTest[] {
  const places = new Map<Test, readonly (string | number)[]>()
  const found: ConditionTest[] = []
  const inTest = (attribute: string, test: Test): void => {
    if (test.kind === 'not') inTest(attribute, test.test)
    else if (test.kind === 'compare' || test.kind === 'match')
      found.push({ path: places.get(test)!, text: `${attribute} ${formatTest(test)}` })
    else for (const each of test.tests) inTest(attribute, each)
  }
  const inCondition = (condition: Condition): void => {
    if (condition.kind === 'operand') {
      inTest([condition.left.root, ...condition.left.names].join('.'), condition.test)
    } else if (condition.kind === 'not') inCondition(condition.item)
    else for (const item of condition.items) inCondition(item)
  }
  inCondition(parseConditions(conditions, [], places))
  return found
}

function formatTest(test: Extract<Test, { readonly kind: 'compare' | 'match' }>): string {
  if (test.kind === 'match') return MATCH_NAMES.get(test.of) ?? test.of
  const { operator, right } = test
  if (right.kind === 'ref') return `${operator} ${[right.path.root, ...right.path.names].join('.')}`
  return `${operator} ${JSON.stringify(shorten(right.value))}`
}
