// The law of listings over random environments of roles, relations and set rules: each is { x | check(x) } as the
// definition has it, over an image made by deltas and over one that was built; pages joined are the whole; entries of
// permissions say what each check says.
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { PageQuery } from '../../src/image/list/listings.ts'
import { loadImage } from '../../src/index.ts'
import { LISTING_PAGE_MAX } from '../../src/model/limits.ts'
import type { Pdp } from '../../src/pdp/pdp.ts'
import type { AssignmentRow, RoleAssignmentsQuery } from '../../src/pdp/pdp-listings.ts'
import type { Policy } from '../reference/policy.ts'
import { askedAt, type Request } from '../reference/request.ts'
import { isSuspended } from '../reference/suspensions.ts'
import { ENVIRONMENT } from '../support/deltas.ts'
import { type Instant, policyIn } from '../support/instants.ts'
import { permissionRows, type Reading } from '../support/listings.ts'
import { toAbout } from '../support/parts.ts'
import { findPool, mixedHistories, numbers } from './histories.ts'
import { ask, askedIn, listsAsDefined, type Play, permitsAsDefined, play } from './laws.ts'
import { questions } from './questions.ts'
import { parameters } from './seed.ts'
import { instants, makeInstants } from './times.ts'
import { MIDNIGHT } from './values.ts'

/** Ways to read the permissions of a user: in pages, a step at a time, without finding all instances at once. */
const READINGS: readonly Reading[] = [
  { limit: 1 },
  { limit: 3 },
  { work: 1 },
  { limit: 2, work: 1 },
  { walkMax: 0 },
  { limit: 2, walkMax: 0 },
  { work: 1, walkMax: 0 },
  { limit: 2, work: 1, walkMax: 0 },
]

const plays: fc.Arbitrary<Play> = fc.record({ history: mixedHistories, seed: fc.nat() })

/** All pages, each asked behind the one before. */
function joined(list: (page: PageQuery) => { keys: string[]; next: string | undefined }, limit: number): string[] {
  const keys: string[] = []
  for (let after: string | undefined; ; ) {
    const page = list({ after, limit })
    expect(page.keys.length).toBeLessThanOrEqual(limit)
    keys.push(...page.keys)
    if (page.next === undefined) return keys
    if (after !== undefined) expect(Buffer.compare(Buffer.from(page.next), Buffer.from(after))).toBe(1)
    after = page.next
  }
}

describe('listings', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('[D12] are exactly what checks allow, by deltas and built, whole and in pages', () => {
    const seen = { listed: 0, instances: 0, users: 0 }
    fc.assert(
      fc.property(plays, fc.integer({ min: 1, max: 7 }), (drawn, limit) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const built = Image.build(ENVIRONMENT, image.position, world.contents())
        const when = makeInstants(world.policy, numbers(drawn.seed))
        for (const request of questions(world, findPool(drawn.history), numbers(drawn.seed), 6)) {
          const { user, action } = request
          for (const t of when()) {
            const { users, instances } = listsAsDefined([image, built], world.policy, request, t)
            const about = toAbout(request)
            seen.listed++
            seen.users += users.length
            seen.instances += instances.length
            for (const each of [image, built]) {
              const pages = (list: Parameters<typeof joined>[0]) => askedIn(each, t, () => joined(list, limit))
              expect(pages((page) => each.listings.resources(user, action, about, page))).toEqual(instances)
              expect(pages((page) => each.listings.users(action, about, page))).toEqual(users)
            }
          }
        }
      }),
      parameters(30),
    )
    // A run in which nothing is ever listed would show little.
    expect(seen.users).toBeGreaterThan(seen.listed / 4)
    expect(seen.instances).toBeGreaterThan(seen.listed / 20)
  })

  it('[D12] of permissions name what is allowed: in the entry of the instance, or without one in that of its tenant', () => {
    const clock = vi.spyOn(Date, 'now')
    fc.assert(
      fc.property(plays, (drawn) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const { policy } = world
        const pdp = loadImage(image.save())
        const when = makeInstants(policy, numbers(drawn.seed))
        for (const request of questions(world, findPool(drawn.history), numbers(drawn.seed), 3)) {
          const { user, sent = {} } = request
          const [t] = when()
          const now = t ?? MIDNIGHT
          clock.mockReturnValue(now)
          permitsAsDefined(image, policy, request, t)
          const read = (reading?: Reading) => askedIn(image, t, () => permissionRows(image, user, sent, reading))
          const whole = read()
          for (const reading of READINGS) expect([reading, read(reading)]).toEqual([reading, whole])
          for (const instance of [...policy.resource_instance.keys()].slice(0, 8)) {
            const [type = '', key = ''] = instance.split(':')
            const { tenant } = policy.resource_instance.get(instance)!
            // what everyone has counts where it is named (D16)
            const named = { resources: [`__tenant:${tenant}`, instance] }
            const entries = pdp.userPermissions({ key: user, attributes: sent.user ?? null }, named, sent.context)
            const entry = entries[instance] ?? entries[`__tenant:${tenant}`]
            for (const action of policy.resource.get(type)!.actions) {
              const asked = { user, action, resource: { type, key }, sent: { user: sent.user, context: sent.context } }
              const allowed = entry?.permissions.includes(`${type}:${action}`) === true
              expect([asked, allowed]).toEqual([asked, ask(image, askedAt(asked as Request, now), t)])
            }
          }
        }
      }),
      parameters(20),
    )
  })

  it('of role assignments are what is assigned, in one order, whole and in pages', () => {
    const clock = vi.spyOn(Date, 'now')
    fc.assert(
      fc.property(plays, fc.integer({ min: 1, max: 5 }), (drawn, perPage) => {
        const { image, world } = play(drawn, { checksPerRevision: 0 })
        const pdp = loadImage(image.save())
        const when = instants(world.policy, numbers(drawn.seed), 2)
        const page = (t: Instant, query: { page: number; perPage: number }) => {
          clock.mockReturnValue(t ?? MIDNIGHT)
          return pdp.roleAssignments(query)
        }
        for (const t of when) {
          clock.mockReturnValue(t ?? MIDNIGHT)
          listsAssignments(pdp, policyIn(world.policy, t), perPage)
        }
        // each page is of its own instant, whenever those before it were read
        const whole = new Map(when.map((t) => [t, page(t, { page: 1, perPage: LISTING_PAGE_MAX })]))
        for (const [at, number] of [1, 2, 3, 4, 5, 2, 3].entries()) {
          const t = when[at % when.length]
          const rows = whole.get(t)!.slice((number - 1) * perPage, number * perPage)
          expect([number, t, page(t, { page: number, perPage })]).toEqual([number, t, rows])
        }
      }),
      parameters(12),
    )
  })
})

/** All rows, each page behind the last row of the one before. */
function walkAssignments(pdp: Pdp, query: Omit<RoleAssignmentsQuery, 'page' | 'after'>): AssignmentRow[] {
  const rows = pdp.roleAssignments({ ...query, page: 1 })
  for (let last = rows.at(-1); last !== undefined; ) {
    const next = pdp.roleAssignments({ ...query, after: last })
    rows.push(...next)
    last = next.at(-1)
  }
  return rows
}

function listsAssignments(pdp: Pdp, policy: Policy, perPage: number): void {
  const assigned = [...policy.role_assignment.values()]
    .filter(({ user }) => !isSuspended(policy, user)) // D16: listings have nothing of a suspended user
    .map(({ valid_from: _, valid_until: __, ...each }) => each)
  const whole = pdp.roleAssignments({ page: 1, perPage: LISTING_PAGE_MAX })
  const text = (row: object) =>
    JSON.stringify(
      Object.entries(row)
        .filter(([, value]) => value != null)
        .sort(),
    )
  expect(whole.map(text).sort()).toEqual(assigned.slice(0, LISTING_PAGE_MAX).map(text).sort())
  const some = whole.slice(0, perPage * 5)
  const pages = [1, 2, 3, 4, 5].flatMap((page) => pdp.roleAssignments({ page, perPage }))
  expect(pages).toEqual(some)
  const again = [4, 2, 3].map((page) => pdp.roleAssignments({ page, perPage }))
  expect(again).toEqual([4, 2, 3].map((page) => some.slice((page - 1) * perPage, page * perPage)))
  expect(walkAssignments(pdp, { perPage })).toEqual(whole)
  const [first] = assigned
  if (first === undefined) return
  const { user, role, tenant } = first
  for (const filter of [{ user }, { role }, { tenant }, { resource: 'doc' }])
    expect(walkAssignments(pdp, { ...filter, perPage })).toEqual(
      pdp.roleAssignments({ ...filter, page: 1, perPage: 1000 }),
    )
  const wanted = whole.filter((row) => row.user === user && row.role === role && row.tenant === tenant)
  expect(pdp.roleAssignments({ user, role, tenant, page: 1, perPage: 1000 })).toEqual(wanted)
  const on = whole.filter((row) => row.resource_instance === 'doc:1')
  expect(pdp.roleAssignments({ resourceInstance: 'doc:1', page: 1, perPage: 1000 })).toEqual(on)
}
