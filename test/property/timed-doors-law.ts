// The law of times at every door (D15): an image that is asked at an instant answers as one that has nothing but what is
// in force then, without a time. It is asked at one instant after another and back, so that what it keeps of one must not
// be used at the next.
import type { Hop } from '../../src/image/explain/hops.ts'
import type { Image } from '../../src/image/image.ts'
import { type PolicyKind, type PolicyPut, PROJECTIONS } from '../../src/kinds/index.ts'
import type { TimesPolicy } from '../../src/kinds/times.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { assignmentKey, tupleKey } from '../../src/model/objects.ts'
import { applyChanges, type Policy, toPolicy } from '../reference/policy.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { collectAnswers, collectReasons, diffAccess, MODULES } from './live-ids-law.ts'
import { numbers } from './numbers.ts'
import { drawChanges, ENDS, INSTANTS, inForceAt, NAMES, POLICY } from './times-law.ts'

const put = (kind: PolicyChange['kind'], key: string, value: object): PolicyChange =>
  ({ op: 'put', kind, key, value }) as PolicyChange
const [subject, object] = ['folder:sub', 'doc:one']
const related = (relation: string, times: TimesPolicy) =>
  put('relationship_tuple', tupleKey(subject, relation, object), { subject, relation, object, ...times })
const keeper = (user: string) => {
  const value = { user, role: 'keeper', tenant: 'acme', resource_instance: subject }
  return put('role_assignment', assignmentKey(user, 'keeper', 'acme', subject), value)
}

/** What is in every environment: two ways over relations, and another way; one of the two begins when the other ends. */
const WAYS: readonly PolicyChange[] = [
  ...['ana', 'ben'].flatMap((user) => [put('user', user, {}), keeper(user)]),
  put('role_assignment', 'ana/viewer/acme', { user: 'ana', role: 'viewer', tenant: 'acme' }),
  related('parent', { valid_until: ENDS[1]! }),
  related('near', { valid_from: ENDS[1]!, valid_until: ENDS[2]! }),
]

/** Instants for each environment. */
const ASKED = 4

/** What says until when an answer is right, or what would be in force at another time: only one of the two does. */
const OF_TIMES = new Set([
  'suspension',
  'validUntil',
  'lifetimeMs',
  'etag',
  'valid_from',
  'valid_until',
  'not_in_force',
])
/** The same as `explain`, in words. */
const IN_WORDS = 'why'

/** An answer as text, without these. */
export const answerText = (answer: unknown): string =>
  JSON.stringify(answer, (name, value) => {
    if (value === 'user_suspended') return 'user_not_synced' // and nothing else
    return OF_TIMES.has(name) ? undefined : value
  })

/** Doors that say what is stored. */
const OF_STORED = new Set(['knows'])

/** Whether the relations that the steps of ways name are in force: of two that are, either may be named. */
function findRelations(ways: unknown, { relationship_tuple }: Policy): unknown {
  const say = (hops: readonly Partial<Hop>[]) =>
    hops.map(({ on, role, relation }, at) => {
      const from = hops[at - 1]?.on
      return { on, role, by: relation && from && on && relationship_tuple.has(tupleKey(from, relation, on)) }
    })
  return (ways as readonly unknown[]).map((way) => (Array.isArray(way) ? say(way) : way))
}

interface Answered {
  readonly door: string
  readonly now: number
  readonly timed: unknown
  readonly right: unknown
}

/** What is right at one instant. */
interface Right {
  readonly now: number
  /** what is in force then */
  readonly then: Policy
  /** by door */
  readonly answers: ReadonlyMap<string, unknown>
  readonly accessDiff: unknown
}

interface Drawn {
  readonly was: Policy
  readonly policy: Policy
  readonly changes: readonly PolicyChange[]
  /** the right answers at the instant with that number */
  rightAt(number: number): Right
}

/** By seed: every planted fault is looked for in the same environments, and what is right in them is the same. */
const drawn = new Map<number, Drawn>()

const buildWith = ({ Image }: typeof MODULES, of: Policy): Image =>
  Image.build(ENVIRONMENT, makePosition(1), listPuts(of))

function draw(seed: number): Drawn {
  const next = numbers(seed)
  const policy = toPolicy(POLICY)
  drawChanges(policy, next, 30)
  applyChanges(policy, WAYS)
  const was = toPolicy(listPuts(policy))
  const changes = drawChanges(policy, next, 10)
  const asked: Right[] = []
  const findRight = (now: number): Right => {
    const then = inForceAt(policy, now)
    const inForce = (of: Policy) => buildWith(MODULES, withoutTimes(inForceAt(of, now)))
    const right = inForce(policy)
    const answers = collectAt(buildWith(MODULES, withoutSuspended(withoutTimes(then))), now)
    for (const [door, answer] of collectAt(right, now)) if (OF_STORED.has(door)) answers.set(door, answer)
    return { now, then, answers, accessDiff: diffAccess(inForce(was), right, changes, now) }
  }
  const rightAt = (number: number) => {
    while (asked.length <= number) asked.push(findRight(INSTANTS[next(INSTANTS.length)]!))
    return asked[number]!
  }
  return { was, policy, changes, rightAt }
}

const collectAt = (image: Image, now: number, by = MODULES): Map<string, unknown> =>
  new Map([...collectAnswers(image, NAMES, now, by), ...collectReasons(image, NAMES, now)])

/** Answers at some instants of a random environment. @param modules what is tested */
export function* timedDoorsLaw(seed: number, modules = MODULES): Iterable<Answered> {
  const environment = drawn.get(seed) ?? draw(seed)
  drawn.set(seed, environment)
  const { was, policy, changes, rightAt } = environment
  const [before, after] = [buildWith(modules, was), buildWith(modules, policy)]
  for (let number = 0; number < ASKED; number++) {
    const { now, then, answers, accessDiff } = rightAt(number)
    for (const [door, timed] of collectAt(after, now, modules)) {
      const find = (answer: unknown) => (door === 'hops' ? findRelations(answer, then) : answer)
      if (door !== IN_WORDS) yield { door, now, timed: find(timed), right: find(answers.get(door)) }
    }
    yield { door: 'access diff', now, timed: diffAccess(before, after, changes, now, modules), right: accessDiff }
  }
}

const listPuts = (policy: Policy): PolicyPut[] =>
  (Object.keys(PROJECTIONS) as PolicyKind[]).flatMap((kind) =>
    [...policy[kind]].map(([key, value]) => ({ op: 'put', kind, key, value }) as PolicyPut),
  )

/** The same grants, for good. */
function withoutTimes(policy: Policy): Policy {
  const strip = <T extends TimesPolicy>(grants: ReadonlyMap<string, T>) =>
    new Map([...grants].map(([key, { valid_from: _, valid_until: __, ...value }]) => [key, value as unknown as T]))
  const { role_assignment, relationship_tuple } = policy
  return { ...policy, role_assignment: strip(role_assignment), relationship_tuple: strip(relationship_tuple) }
}

/** The same without the users who are suspended, and their roles: nothing at all is known of them (D16). */
function withoutSuspended(policy: Policy): Policy {
  const user = new Map([...policy.user].filter(([, { suspension }]) => suspension === undefined))
  const role_assignment = new Map([...policy.role_assignment].filter(([, each]) => user.has(each.user)))
  return { ...policy, user, role_assignment }
}
