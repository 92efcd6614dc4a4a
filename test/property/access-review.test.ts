// The law of access reviews over random environments: a line says allowed exactly where checks allow, and where what is
// sent makes an answer allowed, some line says that it may. Pages joined are the whole, filters take nothing else away,
// and what is compared is what is in one and not in the other.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ReviewCounts } from '../../src/image/access-review/counts.ts'
import { lineName } from '../../src/image/access-review/lines-of-user.ts'
import { AccessReview, type ComparedLine, type ReviewPlace } from '../../src/image/access-review/review.ts'
import { Image } from '../../src/image/image.ts'
import { ownAlone } from '../../src/image/records/everybody.ts'
import type { AccessFilter } from '../../src/model/access-line.ts'
import { check } from '../reference/check.ts'
import { EVERYBODY, holdersFor } from '../reference/everybody.ts'
import type { Policy } from '../reference/policy.ts'
import { listDirectRoles, rolesOn } from '../reference/relations.ts'
import { isElsewhere, isKnown } from '../reference/request.ts'
import { deltaTo, ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { policyIn } from '../support/instants.ts'
import type { World } from '../support/world.ts'
import { FILTER_POOL, filterEdits, makeFilterWorld } from './filter-worlds.ts'
import { GRANT_POOL, makeGrantWorld } from './grant-worlds.ts'
import { findPool, mixedHistories, numbers, withTimedToo } from './histories.ts'
import { type Play, play } from './laws.ts'
import type { Pool } from './pool.ts'
import { questions } from './questions.ts'
import { parameters } from './seed.ts'
import { bordersIn, busiestInstant } from './times.ts'

const plays: fc.Arbitrary<Play> = fc.record({ history: mixedHistories, seed: fc.nat() })

/** An environment, and the instant at which it is reviewed. */
interface Reviewed {
  readonly world: World
  readonly image: Image
  readonly pool: Pool
  readonly seed: number
  readonly t: number
}

function makeReviewed(world: World, image: Image, pool: Pool, seed: number): Reviewed {
  return { world, image, pool, seed, t: busiestInstant(world.policy, numbers(seed)) }
}

const worlds: fc.Arbitrary<Reviewed> = fc.oneof(
  {
    weight: 1,
    arbitrary: plays.map((drawn) => {
      const { world, image } = play(drawn, { checksPerRevision: 0 })
      return makeReviewed(world, image, findPool(drawn.history), drawn.seed)
    }),
  },
  {
    weight: 3,
    arbitrary: withTimedToo(fc.record({ seed: fc.nat() })).map(({ seed, times }) => {
      const world = makeFilterWorld(numbers(seed), times)
      const image = Image.build(ENVIRONMENT, makePosition(1), world.contents())
      return makeReviewed(world, image, FILTER_POOL, seed)
    }),
  },
)

const grantWorlds: fc.Arbitrary<Reviewed> = fc.nat().map((seed) => {
  const world = makeGrantWorld(seed)
  return makeReviewed(world, Image.build(ENVIRONMENT, makePosition(1), world.contents()), GRANT_POOL, seed)
})

interface Asked {
  readonly filter?: AccessFilter
  readonly changed?: boolean
  readonly limit?: number
  readonly before?: Image
}

/** All lines at an instant, joined from pages. */
function listLines(
  image: Image,
  t: number,
  { filter = {}, changed = false, limit = 10_000, before }: Asked = {},
): ComparedLine[] {
  const lines: ComparedLine[] = []
  const join = (is: Parameters<Parameters<Image['inside']>[0]>[0], was?: typeof is): void => {
    for (let after: ReviewPlace | undefined; ; ) {
      const review = new AccessReview(is, was, { filter, changed })
      const page = review.page(after, limit, 400)
      expect(page.lines.length).toBeLessThanOrEqual(limit)
      lines.push(...page.lines)
      if (page.next === undefined) return
      after = page.next
    }
  }
  image.inside((is) => (before === undefined ? join(is) : before.inside((was) => join(is, was), t)), t)
  return lines
}

const formatName = (
  user: string,
  tenant: string | null,
  type: string | null,
  key: string | null,
  action: string | null,
) => JSON.stringify([user, tenant, type, key, action])

const without = (all: Set<string>, others: Set<string>) => new Set([...all].filter((each) => !others.has(each)))

/** The policy with the grants alone that do not end before. */
function endingFrom(policy: Policy, end: number): Policy {
  const keep = <T extends { readonly valid_until?: number }>(grants: ReadonlyMap<string, T>) =>
    new Map([...grants].filter(([, { valid_until = Number.POSITIVE_INFINITY }]) => valid_until >= end))
  const { role_assignment, relationship_tuple } = policy
  return { ...policy, role_assignment: keep(role_assignment), relationship_tuple: keep(relationship_tuple) }
}

describe('an access review', () => {
  it('says allowed exactly where checks allow', () => {
    const seen = { questions: 0, allowed: 0, onInstances: 0, conditional: 0 }
    fc.assert(
      fc.property(worlds, ({ image, world: { policy }, t }) => {
        const lines = listLines(image, t)
        /** with nothing sent */
        const check = (user: string, action: string, type: string, tenant: string, key?: string): boolean =>
          image.inside(({ kernel }) => {
            const ask = () => image.check(user, action, type, tenant, key)
            // users are reviewed by what they hold themselves (D16), everybody is a line of its own
            return user === EVERYBODY ? ask() : ownAlone(kernel, ask)
          }, t)
        const namesWith = (access: ComparedLine['access']): Set<string> => {
          const of = lines.filter((line) => line.access === access)
          return new Set(
            of.map((line) => formatName(line.user, line.tenant, line.resource, line.resource_instance, line.action)),
          )
        }
        const [allowed, conditional] = [namesWith('allowed'), namesWith('conditional')]
        expect(lines.filter(({ access }) => access === 'undecided' || access === 'incomplete')).toEqual([])
        seen.conditional += conditional.size
        const has = (names: Set<string>, user: string, tenant: string, type: string, action: string): boolean =>
          names.has(formatName(user, tenant, type, null, action)) ||
          names.has(formatName(user, null, type, null, action))
        for (const user of [EVERYBODY, ...policy.user.keys()])
          for (const [type, { actions }] of policy.resource)
            for (const action of actions) {
              for (const tenant of policy.tenant.keys()) {
                const onType = has(allowed, user, tenant, type, action)
                const asked = check(user, action, type, tenant)
                seen.questions++
                if (onType) expect([user, action, type, tenant, asked]).toEqual([user, action, type, tenant, true])
                else if (asked)
                  expect(
                    has(conditional, user, tenant, type, action),
                    formatName(user, tenant, type, null, action),
                  ).toBe(true)
              }
              for (const [name, { tenant }] of policy.resource_instance) {
                const [of = '', key = ''] = name.split(':')
                if (of !== type) continue
                const onInstance = allowed.has(formatName(user, tenant, type, key, action))
                const isAllowed = onInstance || has(allowed, user, tenant, type, action)
                if (isAllowed) seen.allowed++
                if (onInstance) seen.onInstances++
                const asked = check(user, action, type, tenant, key)
                expect([user, action, name, tenant, isAllowed]).toEqual([user, action, name, tenant, asked])
              }
            }
      }),
      parameters(96),
    )
    expect(seen.onInstances).toBeGreaterThan(3)
    expect(seen.allowed).toBeGreaterThan(20)
    expect(seen.conditional).toBeGreaterThan(1)
  })

  it('says that it may be where what is sent makes it so', () => {
    const seen = { allowed: 0, byConditions: 0 }
    fc.assert(
      fc.property(worlds, ({ image, world, pool, seed, t }) => {
        const policy = policyIn(world.policy, t)
        const lines = listLines(image, t)
        for (const request of questions(world, pool, numbers(seed), 60)) {
          const { user, action, resource, sent } = request
          const stored = policy.resource_instance.get(`${resource.type}:${resource.key}`)?.tenant
          const tenant = resource.tenant ?? stored ?? 'default'
          // other attributes of the user and relations that are sent are not reviewed
          if (!isKnown(policy, request) || isElsewhere(policy, request) || resource.relations || sent?.user) continue
          if (!check(policy, request)) continue
          const covering = lines.filter(
            (line) =>
              line.user === user &&
              line.action === action &&
              line.resource === resource.type &&
              (line.tenant ?? tenant) === tenant &&
              (line.resource_instance ?? resource.key ?? null) === (resource.key ?? null),
          )
          seen.allowed++
          if (covering.length > 0 && covering.every(({ access }) => access === 'conditional')) seen.byConditions++
          expect(covering.length, JSON.stringify(request)).toBeGreaterThan(0)
        }
      }),
      parameters(80),
    )
    expect(seen.allowed).toBeGreaterThan(20)
    expect(seen.byConditions).toBeGreaterThan(1)
  })

  it('[D15] says of a role that follows over relations when the first of what it follows from ends', () => {
    const seen = { derived: 0, ending: 0, ofEverybody: 0, besideEverybody: 0 }
    fc.assert(
      fc.property(
        fc.oneof({ weight: 1, arbitrary: worlds }, { weight: 11, arbitrary: grantWorlds }),
        ({ world, image, t }) => {
          const now = policyIn(world.policy, t)
          const ends = [...new Set(bordersIn(now)), Number.POSITIVE_INFINITY].sort((a, b) => b - a)
          for (const line of listLines(image, t)) {
            if (!line.derived) continue
            const role = String(line.source?.role).split('#')[1]!
            const isHeldUntil = (end: number, holders: readonly string[]): boolean => {
              const resource = { type: line.resource!, key: line.resource_instance! }
              const { role_assignment, relationship_tuple } = endingFrom(now, end)
              const assigned = holders.flatMap((holder) => listDirectRoles({ ...now, role_assignment }, holder))
              // a direct role that switches a derivation off does so as long as it is in force
              const related = { ...now, relationship_tuple }
              return rolesOn(related, { user: line.user, action: line.action!, resource }, assigned).includes(role)
            }
            // D16: users have lines for what they hold themselves
            const end = ends.find((each) => isHeldUntil(each, [line.user]))!
            expect([line, line.valid_until ?? Number.POSITIVE_INFINITY]).toEqual([line, end])
            seen.derived++
            if (line.valid_until === undefined) continue
            seen.ending++
            if (line.user === EVERYBODY) seen.ofEverybody++
            else if (ends.find((each) => isHeldUntil(each, holdersFor(line.user)))! > end) seen.besideEverybody++
          }
        },
      ),
      parameters(160),
    )
    for (const [what, count] of Object.entries(seen)) expect([what, count > 1]).toEqual([what, true])
  })

  it('is the same whole and in pages, and filtered', () => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: 1, max: 7 }), ({ image, t }, limit) => {
        const whole = listLines(image, t)
        expect(listLines(image, t, { limit })).toEqual(whole)
        const line = whole[Math.floor(whole.length / 2)]
        if (line === undefined) return
        const { user, resource, action, source } = line
        const by = (filter: AccessFilter, keeps: (each: ComparedLine) => boolean): void =>
          expect(listLines(image, t, { filter })).toEqual(whole.filter(keeps))
        by({ user }, (each) => each.user === user)
        by({ resource: resource!, action: action! }, (each) => each.resource === resource && each.action === action)
        const role = source?.role
        if (typeof role === 'string')
          by({ role }, (each) => each.source?.role === role || each.source?.user_set === role)
        const tenant = whole.find((each) => each.tenant !== null)?.tenant ?? undefined
        if (tenant !== undefined) by({ tenant }, (each) => each.tenant === tenant || each.tenant === null)
      }),
      parameters(8),
    )
  })

  it('about one instance has what counts on it', () => {
    let lines = 0
    fc.assert(
      fc.property(worlds, ({ image, world: { policy }, t }) => {
        const whole = listLines(image, t)
        for (const [name, { tenant }] of [...policy.resource_instance].slice(0, 5)) {
          const [resource = '', instance = ''] = name.split(':')
          const actions = [undefined, ...(policy.resource.get(resource)?.actions ?? [])]
          for (const action of actions) {
            const found = listLines(image, t, { filter: { resource, instance, ...(action && { action }) } })
            lines += found.length
            const isOnIt = (line: ComparedLine): boolean =>
              line.resource === resource &&
              (line.resource_instance ?? instance) === instance &&
              (line.tenant ?? tenant) === tenant &&
              (action ?? line.action) === line.action
            expect(found).toEqual(whole.filter(isOnIt))
          }
        }
      }),
      parameters(24),
    )
    expect(lines).toBeGreaterThan(5)
  })

  it('counts the users whom its lines allow an action, and those for whom it depends', () => {
    const seen = { allowed: 0, conditional: 0 }
    fc.assert(
      fc.property(worlds, ({ image, t }) => {
        const users = { allowed: new Map<string, Set<string>>(), conditional: new Map<string, Set<string>>() }
        for (const { user, resource, action, access } of listLines(image, t)) {
          if (access !== 'allowed' && access !== 'conditional') continue
          const key = `${resource}:${action}`
          users[access].set(key, (users[access].get(key) ?? new Set()).add(user))
        }
        const counts = image.inside((inside) => {
          const made = new ReviewCounts(inside, 'resource')
          while (made.step(100));
          return made
        }, t)
        expect(counts.complete).toBe(true)
        for (const { key, users: allowed, conditional } of counts.groups) {
          const named = users.allowed.get(key) ?? new Set<string>()
          const others = without(users.conditional.get(key) ?? new Set<string>(), named)
          expect({ key, allowed, conditional }).toEqual({ key, allowed: named.size, conditional: others.size })
          seen.allowed += allowed
          seen.conditional += conditional
        }
      }),
      parameters(32),
    )
    expect(seen.allowed).toBeGreaterThan(3)
    expect(seen.conditional).toBeGreaterThan(0)
  })

  it('compared with another revision has what one has and the other has not', () => {
    let changes = 0
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const next = numbers(seed)
        const world = makeFilterWorld(next, seed % 3 === 0 ? seed : undefined)
        const before = Image.build(ENVIRONMENT, makePosition(1), world.contents())
        const edits = filterEdits(world, next)
        const t = busiestInstant(world.policy, next)
        const after = before.clone()
        after.apply(deltaTo(2, edits))
        const [was, is] = [before, after].map((image) => listLines(image, t))
        const names = (lines: readonly ComparedLine[]) => new Set(lines.map((line) => `${line.user} ${lineName(line)}`))
        const [then, now] = [names(was!), names(is!)]
        const compared = listLines(after, t, { before, changed: true, limit: 5 })
        changes += compared.length
        const withChange = (change: string) => names(compared.filter((line) => line.change === change))
        expect(withChange('added')).toEqual(without(now, then))
        expect(withChange('removed')).toEqual(without(then, now))
        expect(names(listLines(after, t, { before }))).toEqual(new Set([...now, ...then]))
      }),
      parameters(80),
    )
    expect(changes).toBeGreaterThan(10)
  })
})
