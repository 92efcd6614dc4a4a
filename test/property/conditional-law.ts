// The second law of access diffs over random environments and random changes: whatever is sent with a question, if its
// answer is another one afterwards, then some line says so: a flip that is listed with its user, a line about what may
// change, or a rule that attributes of the user override. Also for the long run and for access diffs that are wrong in
// one point.
import fc from 'fast-check'
import { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import { Image } from '../../src/image/image.ts'
import type { AccessDiff, AccessFlip } from '../../src/model/access-diff.ts'
import { check } from '../reference/check.ts'
import { type Policy, toPolicy } from '../reference/policy.ts'
import { isElsewhere, isKnown, type Request, resolveTenant } from '../reference/request.ts'
import { policyAt } from '../reference/times.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { type Operation, World } from '../support/world.ts'
import { type Drawn as Play, plays, type Step, steps, timedPlays } from './access-diff-law.ts'
import { rowsFor } from './filter-law.ts'
import { FILTER_POOL, filterEdits, makeFilterWorld } from './filter-worlds.ts'
import { findPool, numbers } from './histories.ts'
import type { Pool } from './pool.ts'
import { questions } from './questions.ts'
import { makeWords } from './set-edits.ts'
import { busiestInstant } from './times.ts'
import { ATTRIBUTES, hintsFor, type Next, sentFrom } from './values.ts'

export type Drawn = { readonly seed: number; readonly times?: number } | Play

export const situations: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 15, arbitrary: fc.record({ seed: fc.nat() }) },
  { weight: 1, arbitrary: plays },
)
/** The same where grants are for a time. */
export const timedSituations: fc.Arbitrary<Drawn> = fc.oneof(
  { weight: 15, arbitrary: fc.record({ seed: fc.nat(), times: fc.nat() }) },
  { weight: 1, arbitrary: timedPlays },
)

/** A question whose answer the change makes another one, and whether a line says so. */
export interface Asked {
  readonly request: Request
  readonly flips: boolean
  /** which kind of line covers it */
  readonly by: 'listed' | 'conditional' | 'overridable' | undefined
  readonly diff: AccessDiff
  readonly step: Step
}

/** Questions about one change. */
const QUESTIONS = 40

export type MakeDiff = (step: Step) => AccessDiff
const diffAccess =
  (instants?: LawOptions['instants']): MakeDiff =>
  ({ images: [before, after], changes, t }) =>
    accessDiff(before, after, changes, { now: instants?.[0] ?? t, nowAfter: instants?.[1] ?? t, first: 10_000 })

interface LawOptions {
  readonly make?: MakeDiff
  readonly kinds?: readonly string[] | undefined
  /** of the two policies, each with its `context.now`; otherwise that is open, and both are asked at one */
  readonly instants?: readonly [was: number, is: number]
}

export function* conditionalLaw(
  drawn: Drawn,
  { instants, make = diffAccess(instants), kinds }: LawOptions = {},
): Iterable<Asked> {
  const next = numbers(drawn.seed)
  const changes = 'history' in drawn ? played(drawn, next) : [edited(next, kinds, drawn.times)]
  for (const { step, requests } of changes) {
    const diff = make(step)
    for (const request of requests) {
      const [was, is] = [step.before, step.after].map((policy, side) => {
        const at = instants?.[side]
        return check(policyAt(policy, at ?? step.t), at === undefined ? request : askedAt(request, at))
      })
      const flips = was !== is
      const tenants = [request.resource.tenant, ...listHomeTenants([step.before, step.after], request.resource)]
      yield { request, flips, by: flips ? findCover(diff, request, tenants) : undefined, diff, step }
    }
  }
}

const askedAt = ({ sent, ...request }: Request, now: number): Request => ({
  ...request,
  sent: { ...sent, context: { ...sent?.context, now } },
})

interface Change {
  readonly step: Step
  readonly requests: Iterable<Request>
}

function* played(drawn: Play, next: Next): Iterable<Change> {
  const pool = findPool(drawn.history)
  for (const step of steps(drawn)) yield { step, requests: asked(step, pool, next) }
}

/** A small world whose set rules read rows, and an edit of it. */
function edited(next: Next, kinds: readonly string[] | undefined, times: number | undefined): Change {
  const world = makeFilterWorld(next, times)
  if (next(4) === 0) world.runAll(followed(next))
  const before = toPolicy(world.contents())
  const image = Image.build(ENVIRONMENT, makePosition(1), world.contents())
  const changes = filterEdits(world, next, kinds)
  const after = image.clone()
  after.apply(deltaTo(2, changes))
  const t = busiestInstant(before, next)
  const step = { before, after: toPolicy(world.contents()), changes, images: [image, after], t } as const
  return { step, requests: asked(step, FILTER_POOL, next) }
}

/** A rule that follows a key of the row to a stored folder. */
function followed(next: Next): Operation[] {
  const match = { [ATTRIBUTES[next(2)]!]: { equals: ['a', 1, true][next(3)]! } }
  const test = { [['object_match', 'any_match', 'all_match'][next(3)]!]: { match, fk_resource_type: 'folder' } }
  return [
    ['put', 'condition_set', { key: 'all', type: 'userset', conditions: {} }],
    ['put', 'condition_set', { key: 'in', type: 'resourceset', resource: 'doc', conditions: { 'resource.c': test } }],
    ['put', 'set_rule', { user_set: 'all', permission: 'doc:read', resource_set: 'in' }],
  ]
}

/** Questions that could be asked of both: with a tenant, and about instances in the tenant where they are stored. */
function* asked({ before, after }: Step, pool: Pool, next: Next): Iterable<Request> {
  const worlds = [before, after].map(toWorld)
  for (let count = 0; count < QUESTIONS; count++) {
    const world = worlds[next(2)]!
    const [drawn] = next(3) === 0 ? [...questions(world, pool, next, 1)] : [aboutRow(worlds, pool, next)]
    if (drawn === undefined) continue
    const request = withTenant(drawn, [before, after])
    const isOdd = [before, after].every((policy) => !isKnown(policy, request))
    if (isOdd || [before, after].some((policy) => isElsewhere(policy, request))) continue
    yield request
  }
}

/** The same with the tenant in which it is decided; without one when that is another one afterwards. */
function withTenant({ resource, ...asked }: Request, policies: readonly [Policy, Policy]): Request {
  const homes = listHomeTenants(policies, resource)
  const [was = homes[1], is = was] = homes
  const tenant = was ?? resolveTenant(policies[0], { resource, ...asked })
  const { type, key, relations } = resource
  const about = { type, ...(key === undefined ? {} : { key }), ...(relations === undefined ? {} : { relations }) }
  return { ...asked, resource: was === is ? { ...about, tenant } : about }
}

/** The tenants in which the named instance is stored. */
function listHomeTenants(
  policies: readonly Policy[],
  { type, key }: Request['resource'],
): readonly (string | undefined)[] {
  return policies.map((policy) => policy.resource_instance.get(`${type}:${key}`)?.tenant)
}

const toWorld = (policy: Policy): World => {
  const world = new World()
  Object.assign(world, { policy })
  return world
}

/** A question about a permission with set rules in either policy, with what its conditions ask for, nearly. */
function aboutRow(worlds: readonly World[], pool: Pool, next: Next): Request | undefined {
  const any = <T>(from: readonly T[]): T | undefined => from[next(Math.max(1, from.length))]
  const rules = worlds.flatMap(({ policy }) => [...policy.set_rule.values()])
  const types = worlds.flatMap(({ policy }) => [...policy.resource])
  const [type = 'doc', { actions } = { actions: [] }] = any(types) ?? []
  const permission = any(rules)?.permission ?? `${type}:${any(actions) ?? 'read'}`
  const [resource = '', action = ''] = permission.split(':')
  const world = any(worlds)!
  const words = makeWords(world, pool)
  const sets = worlds.flatMap(({ policy }) => [...policy.condition_set.values()].map(({ conditions }) => conditions))
  const { user: ofUser, action: ofAction, context } = sentFrom(next, words, hintsFor(next, words, sets))
  const user = any(worlds.flatMap(({ policy }) => [...policy.user.keys()])) ?? 'nobody'
  const tenant = any(worlds.flatMap(({ policy }) => [...policy.tenant.keys()]))!
  const asked = { user, action, resource: { type: resource, tenant } }
  const [row] = rowsFor(world, words, asked, next)
  const sent = {
    ...(ofUser && next(2) === 0 ? { user: ofUser } : {}),
    ...(ofAction && next(4) > 0 ? { action: ofAction } : {}),
    ...(context && next(4) > 0 ? { context } : {}),
    ...(next(6) > 0 ? { resource: row!.attributes } : {}),
  }
  const relations = Object.keys(row!.relations).length === 0 ? {} : { relations: row!.relations }
  return {
    ...asked,
    resource: { ...asked.resource, ...relations, ...(row!.key === undefined ? {} : { key: row!.key }) },
    sent,
  }
}

/** The line that says that the answer may be another one. */
function findCover(
  { access }: AccessDiff,
  { user, action, resource, sent }: Request,
  tenants: readonly (string | undefined)[],
): Asked['by'] {
  const { type, key } = resource
  const isListed = ({ user: of, action: does, resource: on, tenant: there }: AccessFlip): boolean =>
    of === user && does === action && on.type === type && (on.key ?? key) === key && tenants.includes(there)
  if ([...access.gained.first, ...access.lost.first].some(isListed)) return 'listed'
  const isMeant = ({ resource: of, action: does, first, first_tenants }: AccessDiff['access']['conditional'][number]) =>
    of === type && does === action && first.includes(user) && first_tenants.some((tenant) => tenants.includes(tenant))
  if (access.conditional.some(isMeant)) return 'conditional'
  const overrides = access.overridable.some(
    ({ permission, attributes }) =>
      permission === `${type}:${action}` && attributes.some((name) => Object.hasOwn(sent?.user ?? {}, name)),
  )
  return overrides ? 'overridable' : undefined
}
