// The law of access diffs over random histories: for a revision and the one after it, what is listed is exactly what the
// definition lists, which asks every question of both policies. Also for the long run and for diffs that are wrong in
// one point.
import fc from 'fast-check'
import type { accessDiff } from '../../src/image/access-diff/access-diff.ts'
import { Image } from '../../src/image/image.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import type { AccessChange, AccessFlip } from '../../src/model/access-diff.ts'
import { type Defined, definedDiff, type Flip } from '../reference/access-diff.ts'
import { type Policy, policyOf } from '../reference/policy.ts'
import { deltaTo, ENVIRONMENT, positionOf } from '../support/deltas.ts'
import { World } from '../support/world.ts'
import { type History, mixedHistories, POOLS } from './histories.ts'
import { changesOf } from './laws.ts'
import { numbers } from './numbers.ts'
import { MIDNIGHT } from './values.ts'

export interface Drawn {
  readonly history: History
  readonly seed: number
}

/**
 * Mostly with one edit a revision, so that no other hides what it does. Of the large pools every question is too much: the
 * definition would ask for minutes.
 */
export const plays: fc.Arbitrary<Drawn> = fc
  .record({ history: mixedHistories, seed: fc.nat(), isSplit: fc.nat(3).map((drawn) => drawn > 0) })
  .map(({ history: { revisions, pool }, seed, isSplit }) => {
    const [first = [], ...rest] = revisions
    const split = isSplit ? [first, ...rest.flatMap((edits) => edits.map((edit) => [edit]))] : revisions
    return { seed, history: { pool: pool === 'odd' ? 'odd' : 'small', revisions: split } }
  })

/** One change of a policy. */
export interface Step {
  readonly before: Policy
  readonly after: Policy
  readonly changes: readonly PolicyChange[]
  readonly images: readonly [Image, Image]
}

/** Revisions of a history, each with the one before it; one in `every` of them. */
export function* steps({ history, seed }: Drawn, every = 1): Iterable<Step> {
  const next = numbers(seed)
  const world = new World()
  let before = policyOf(world.contents())
  const pool = POOLS[history.pool]
  if (pool.users.length > POOLS.odd.users.length) return
  for (const edits of history.revisions) {
    const changes = changesOf(world, history, edits, next)
    const after = policyOf(world.contents())
    if (next(every) === 0) yield { before, after, changes, images: imagesOf(before, world, changes, next(2) === 0) }
    before = after
  }
}

/** The image after the change is made by a delta, where ids stay, or built, where they do not. */
function imagesOf(policy: Policy, world: World, changes: readonly PolicyChange[], built: boolean): [Image, Image] {
  const contents = contentsOf(policy)
  const before = Image.build(ENVIRONMENT, positionOf(1), contents)
  if (built) return [before, Image.build(ENVIRONMENT, positionOf(2), world.contents())]
  const after = before.clone()
  after.apply(deltaTo(2, changes))
  return [before, after]
}

function contentsOf(policy: Policy): PolicyChange[] {
  return Object.entries(policy).flatMap(([kind, objects]) =>
    [...(objects as Map<string, unknown>)].map(([key, value]) => ({ op: 'put', kind, key, value }) as PolicyChange),
  )
}

export interface Found {
  readonly gained: AccessChange
  readonly lost: AccessChange
}

export function found(diff: typeof accessDiff, { images: [before, after], changes }: Step): Found {
  return diff(before, after, changes, { now: MIDNIGHT, first: 10_000 }).access
}

export const defined = ({ before, after }: Step): Defined => definedDiff(before, after, MIDNIGHT)

/** What is said otherwise than defined, as text; undefined when nothing is. */
export function difference({ listed }: Defined, said: Found): string | undefined {
  for (const direction of ['gained', 'lost'] as const) {
    const texts = [changeOf(listed[direction]), said[direction]].map((each) => JSON.stringify(sorted(each)))
    if (texts[0] !== texts[1]) return `${direction} must be ${texts[0]}, and is ${texts[1]}`
  }
  return undefined
}

/** The flips as the answer says them. */
function changeOf(flips: readonly Flip[]): AccessChange {
  const groups = new Map<string, { flip: Flip; users: Set<string>; decisions: number }>()
  for (const flip of flips) {
    const { because, resource, action, tenant, lifecycle } = flip
    const name = JSON.stringify([because, resource.type, action, tenant, lifecycle])
    const group = groups.get(name) ?? { flip, users: new Set(), decisions: 0 }
    group.users.add(flip.user)
    group.decisions++
    groups.set(name, group)
  }
  return {
    users: new Set(flips.map(({ user }) => user)).size,
    decisions: flips.length,
    complete: true,
    groups: [...groups.values()].map(({ flip, users, decisions }) => ({
      source: flip.because,
      resource: flip.resource.type,
      action: flip.action,
      tenant: flip.tenant,
      ...(flip.lifecycle === undefined ? {} : { lifecycle: flip.lifecycle as NonNullable<AccessFlip['lifecycle']> }),
      users: users.size,
      decisions,
    })),
    more_groups: 0,
    first: flips as AccessFlip[],
    next: null,
  }
}

/** In one form: members by name, groups in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, each]) => [name, name === 'groups' ? inOneOrder(each) : sorted(each)]))
}

const inOneOrder = (groups: readonly object[]): string[] => groups.map((group) => JSON.stringify(sorted(group))).sort()
