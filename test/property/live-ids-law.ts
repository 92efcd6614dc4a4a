// The law of deletes and re-creations: an image that was asked, and then took deltas that end objects and begin them
// again, answers as one that is built of what is left and was never asked. Everything that names something by key is
// compared, before and after each delta, so that whatever an image remembers of a key has been remembered.
import fc from 'fast-check'
import { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import { type GroupedBy, ReviewCounts } from '../../src/image/access-review/counts.ts'
import { AccessReview, type ReviewPlace } from '../../src/image/access-review/review.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyKind } from '../../src/kinds/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import { FixedImage } from '../../src/pdp/fixed-image.ts'
import { Pdp } from '../../src/pdp/pdp.ts'
import { applyChanges } from '../reference/policy.ts'
import { cascades } from '../support/cascade.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import type { World } from '../support/world.ts'
import { filterWorld } from './filter-worlds.ts'
import { numbers } from './numbers.ts'
import { MIDNIGHT, type Next } from './values.ts'

/** What can be deleted by a change of its own. */
export const ENDING = [
  'user',
  'tenant',
  'role',
  'resource_role',
  'resource',
  'resource_instance',
  'condition_set',
  'set_rule',
  'role_assignment',
  'relationship_tuple',
  'membership',
] as const satisfies readonly PolicyKind[]

/** Deltas for each environment. */
const DELTAS = 4

export const worlds: fc.Arbitrary<number> = fc.nat()

/** One door: what it answers after a delta, of the image that took it and of one built anew. */
export interface Answered {
  readonly door: string
  readonly ended: readonly PolicyKind[]
  readonly kept: unknown
  readonly fresh: unknown
}

/** Answers after each delta of a random environment. */
export function* liveIdsLaw(seed: number): Iterable<Answered> {
  const next = numbers(seed)
  const { world } = filterWorld(next, 0)
  enlarge(world)
  const original = world.contents()
  const first = Image.build(ENVIRONMENT, makePosition(1), original)
  const image = first.clone()
  const names = collectNames(world)
  const subjects = makeSubjects(image, names)
  const all: PolicyChange[] = []
  collectAnswers(image, names)
  subjects.ask()
  for (let delta = 0; delta < DELTAS; delta++) {
    const { changes, ended } = delta % 2 === 0 ? ends(world, next) : begins(world, original, next)
    if (changes.length === 0) continue
    all.push(...changes)
    image.apply(deltaTo(image.revision + 1, changes))
    const fresh = Image.build(ENVIRONMENT, makePosition(image.revision), world.contents())
    const [kept, anew] = [collectAnswers(image, names), collectAnswers(fresh, names)]
    for (const [door, answer] of kept) yield { door, ended, kept: answer, fresh: anew.get(door) }
    yield { door: 'subject', ended, kept: subjects.ask(), fresh: makeSubjects(fresh, names).ask() }
    yield { door: 'access diff', ended, kept: diffAccess(first, image, all), fresh: diffAccess(first, fresh, all) }
  }
}

/** Members, one more action, and a rule whose sides both read the row, so that the user alone decides nothing. */
function enlarge(world: World): void {
  world.runAll([
    ['put', 'resource', { ...world.policy.resource.get('doc')!, key: 'doc', actions: ['read', 'write'] }],
    ['put', 'role', { key: 'writer', permissions: ['doc:write'], extends: ['guest'] }],
    ['put', 'role_assignment', { user: 'ben', role: 'writer', tenant: 'acme' }],
    ['put', 'membership', { user: 'ben', tenant: 'umbra' }],
    ['put', 'condition_set', { key: 'rows', type: 'userset', conditions: { 'resource.n': { 'greater-than': 1 } } }],
    [
      'put',
      'condition_set',
      { key: 'numbered', type: 'resourceset', resource: 'doc', conditions: { 'resource.n': { 'less-than': 9 } } },
    ],
    ['put', 'set_rule', { user_set: 'rows', permission: 'doc:write', resource_set: 'numbered' }],
  ])
}

/** One or two objects deleted, with what that takes along. */
function ends(world: World, next: Next): { changes: PolicyChange[]; ended: PolicyKind[] } {
  const changes: PolicyChange[] = []
  const ended: PolicyKind[] = []
  for (let count = 1 + next(2); count > 0; count--) {
    const kind = ENDING[next(ENDING.length)]!
    const keys = [...world.policy[kind].keys()]
    const key = keys[next(Math.max(1, keys.length))]
    if (key === undefined) continue
    const ending: PolicyChange = { op: 'delete', kind, key }
    applyChanges(world.policy, [ending])
    changes.push(...cascades(world.policy, world.relations), ending)
    ended.push(kind)
  }
  return { changes, ended }
}

/** Everything that is missing, or some of it, as it was: under the keys that were deleted. */
function begins(world: World, original: readonly PolicyChange[], next: Next) {
  const changes: PolicyChange[] = []
  for (const change of original) {
    const isThere =
      change.op !== 'put' || JSON.stringify(world.policy[change.kind].get(change.key)) === JSON.stringify(change.value)
    if (isThere || next(4) === 0) continue
    applyChanges(world.policy, [change])
    changes.push(change)
  }
  // what was left out may be what something put back refers to
  changes.push(...cascades(world.policy, world.relations))
  return { changes, ended: [] as PolicyKind[] }
}

interface Names {
  readonly users: readonly string[]
  readonly tenants: readonly string[]
  readonly types: readonly string[]
  readonly keys: readonly string[]
}

function collectNames({ policy }: World): Names {
  return {
    users: [...policy.user.keys()],
    tenants: [...policy.tenant.keys()],
    types: [...policy.resource.keys()].filter((key) => !key.startsWith('__')),
    keys: [...policy.resource_instance.keys()],
  }
}

/** What images are asked with. */
export const MODULES = { Image, AccessReview, ReviewCounts, accessDiff }
type Modules = typeof MODULES

/** Questions that send no time are all asked at one. */
function pdpAt(image: Image, now: number): Pdp {
  const pdp = new Pdp(new FixedImage(image))
  image.useClock(() => now)
  return pdp
}

/** What the image answers at each door that takes keys. @param now the instant of all questions */
export function collectAnswers(
  image: Image,
  { users, tenants, types, keys }: Names,
  now = MIDNIGHT,
  modules: Modules = MODULES,
): Map<string, readonly unknown[]> {
  const sent = { context: { now } }
  const answers = new Map<string, unknown[]>()
  const add = (door: string, answer: () => unknown) => {
    answers.set(door, answers.get(door) ?? [])
    answers.get(door)!.push(outcome(answer))
  }
  const pdp = pdpAt(image, now)
  const relations = { parent: keys.filter((key) => key.startsWith('folder:')).slice(0, 2) }
  for (const user of users) {
    add('knows', () => pdp.knows(user))
    add('permissions', () => pdp.userPermissions(user))
    add('user tenants', () => pdp.userTenants(user))
    for (const tenant of tenants) {
      const { expiresAt: _, ...snapshot } = pdp.snapshot(user, { tenants: [tenant] })
      add('snapshot', () => snapshot)
    }
    for (const type of types) {
      for (const action of ['read', 'write']) {
        add('tenants', () => pdp.tenants(user, action, type, sent.context))
        for (const tenant of tenants) {
          const resource = { type, tenant }
          add('filter', () => pdp.filter(user, action, type, { tenant }))
          add('check', () => pdp.check(user, action, resource))
          add('related', () => pdp.check(user, action, { ...resource, relations }))
          add('explain', () => pdp.explain(user, action, resource))
          add('why', () => pdp.why(user, action, { ...resource, relations }))
          const first = keys.find((key) => key.startsWith(`${type}:`))?.slice(type.length + 1)
          const about = { type, key: undefined, tenant, sent }
          for (const after of ['', first ?? ''])
            add('resources', () => image.listings.resources(user, action, about, { after, limit: 1 }))
        }
      }
    }
  }
  for (const key of keys) {
    const [type = '', name = ''] = key.split(':')
    for (const after of ['', users[0]!]) {
      const about = { type, key: name, tenant: undefined, sent }
      add('users', () => image.listings.users('read', about, { after, limit: 1 }))
    }
  }
  add('assignments', () => image.listings.assignments({}, 0, 100))
  for (const tenant of tenants) add('assignments', () => image.listings.assignments({ tenant }, 1, 2))
  add('names', () => [image.names.all(), image.names.tenants(), tenants.map((each) => image.names.hasTenant(each))])
  add('review', () => listReviewLines(image, now, modules))
  for (const by of ['role', 'resource'] as const) add('counts', () => countUsers(image, by, now, modules))
  return answers
}

/** Whom it lets do what on each instance, by which ways, and why. @param now the instant of all questions */
export function collectReasons(image: Image, { users, keys }: Names, now: number): Map<string, readonly unknown[]> {
  const pdp = pdpAt(image, now)
  const asked = keys.flatMap((key) => ['read', 'write'].map((action) => ({ action, key })))
  const ofUsers = asked.flatMap((each) => users.map((user) => ({ ...each, user })))
  const findHops = (user: string, action: string, key: string) => {
    const [type = '', name] = key.split(':')
    return image.inside(() => image.explainWays(user, action, type, undefined, name).ways.hops, now)
  }
  return new Map([
    ['authorized', asked.map(({ action, key }) => outcome(() => pdp.authorizedUsers({ action, resource: key })))],
    ['explain on instances', ofUsers.map(({ user, action, key }) => outcome(() => pdp.explain(user, action, key)))],
    ['hops', ofUsers.map(({ user, action, key }) => outcome(() => findHops(user, action, key)))],
  ])
}

function outcome(answer: () => unknown): unknown {
  try {
    return answer()
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED', 'LISTING_TOO_LARGE', 'UNDECIDED')) return error.code
    throw error
  }
}

function countUsers(image: Image, by: GroupedBy, now: number, { ReviewCounts: Counts }: Modules): unknown {
  return image.inside((is) => {
    const counts = new Counts(is, by)
    while (counts.step(1_000));
    return counts.groups
  }, now)
}

function listReviewLines(image: Image, now: number, { AccessReview: Review }: Modules): unknown[] {
  const lines: unknown[] = []
  for (let after: ReviewPlace | undefined, isMore = true; isMore; ) {
    const page = image.inside(
      (is) => new Review(is, undefined, { filter: {}, changed: false }).page(after, 5, 1_000_000),
      now,
    )
    lines.push(...page.lines)
    after = page.next
    isMore = after !== undefined
  }
  return lines
}

export const diffAccess = (
  before: Image,
  after: Image,
  changes: readonly PolicyChange[],
  now = MIDNIGHT,
  modules = MODULES,
) => modules.accessDiff(before, after, changes, { now }).access

/** Handles of each user in each tenant, made once. */
function makeSubjects(image: Image, { users, tenants, types, keys }: Names) {
  const pdp = pdpAt(image, MIDNIGHT)
  const handles = users.flatMap((user) => [undefined, ...tenants].map((tenant) => pdp.subject(user, { tenant })))
  const resources = [...types, ...keys]
  return {
    ask: () => handles.map((handle) => resources.map((each) => outcome(() => handle.can('read', each)))),
  }
}
