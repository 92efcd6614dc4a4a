// Reviews decide a set rule once for users, and for instances, that are alike to it. Here users and instances differ in all
// that rules can read of them, by few values, so that some are alike and others only nearly: a line on an instance says
// allowed exactly where a check allows, and counts agree with the lines.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ReviewCounts } from '../../src/image/access-review/counts.ts'
import { AccessReview } from '../../src/image/access-review/review.ts'
import { Image } from '../../src/image/image.ts'
import type { ConditionSetPolicy } from '../../src/kinds/condition-set.ts'
import type { PolicyObjects, PolicyPut } from '../../src/kinds/index.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { parameters } from './seed.ts'
import { MIDNIGHT } from './values.ts'

const put = <K extends keyof PolicyObjects>(kind: K, key: string, value: PolicyObjects[K]): PolicyPut =>
  ({ op: 'put', kind, key, value }) as PolicyPut

/** Of each rule: the user set, or a role, and the resource set. */
const RULES: readonly (readonly [users: JsonObject | 'member', resources: JsonObject])[] = [
  [{}, { 'resource.level': { equals: { ref: 'user.level' } } }],
  [{ 'user.level': { equals: 1 } }, { 'resource.state': { equals: 'open' } }],
  [{}, { 'resource.owner': { equals: { ref: 'user.key' } } }],
  [{}, { 'resource.key': { equals: { ref: 'user.favourite' } } }],
  ['member', { 'resource.level': { equals: { ref: 'user.level' } } }],
  [{}, { 'resource.tenant': { equals: { ref: 'user.home' } } }],
  [{ 'user.key': { equals: 'u1' } }, { 'resource.state': { equals: 'open' } }],
  [{ 'user.roles': { array_contains: 'member' } }, { 'resource.level': { 'greater-than': { ref: 'user.level' } } }],
  [{ 'user.level': { equals: { ref: 'resource.level' } } }, { 'resource.state': { equals: 'open' } }],
  [{ 'user.level': { equals: { ref: 'tenant.tier' } } }, { 'resource.state': { equals: 'open' } }],
  [{ 'user.tenants': { array_contains: 't1' } }, { 'resource.level': { equals: { ref: 'user.level' } } }],
  [{ 'user.level': { equals: 0 } }, { 'tenant.key': { equals: { ref: 'user.home' } } }],
]
const TENANTS = ['t0', 't1', 't2']
const USERS = ['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6']
const DOCUMENTS = ['d0', 'd1', 'd2', 'd3', 'd4', 'd5', 'd6', 'd7', 'd8', 'd9']

const level = fc.option(fc.nat(2), { freq: 4, nil: undefined })
const some = (object: Readonly<Record<string, string | number | undefined>>): { attributes?: JsonObject } => {
  const known = Object.entries(object).filter(([, value]) => value !== undefined)
  return known.length === 0 ? {} : { attributes: Object.fromEntries(known) as JsonObject }
}
const each = <T>(keys: readonly string[], of: fc.Arbitrary<T>) =>
  fc.tuple(...keys.map(() => of)).map((values) => keys.map((key, at) => [key, values[at]!] as const))

const world = fc.record({
  tenants: each(TENANTS, fc.record({ tier: level })),
  users: each(
    USERS,
    fc.record({
      level,
      favourite: fc.option(fc.constantFrom(...DOCUMENTS), { nil: undefined }),
      home: fc.option(fc.constantFrom(...TENANTS), { nil: undefined }),
    }),
  ),
  documents: each(
    DOCUMENTS,
    fc.record({
      tenant: fc.constantFrom(...TENANTS),
      level,
      state: fc.option(fc.constantFrom('open', 'closed'), { nil: undefined }),
      owner: fc.option(fc.constantFrom(...USERS), { nil: undefined }),
    }),
  ),
  members: fc.subarray(USERS.flatMap((user) => TENANTS.map((tenant) => [user, tenant] as const))),
})

type Drawn = typeof world extends fc.Arbitrary<infer T> ? T : never

function build({ tenants, users, documents, members }: Drawn): Image {
  const set = (type: 'userset' | 'resourceset', conditions: JsonObject): ConditionSetPolicy =>
    ({ type, resource: type === 'userset' ? null : 'doc', conditions, parent: null }) as ConditionSetPolicy
  const rules = RULES.flatMap(([who, what], at) => {
    const user_set = who === 'member' ? '__autogen_member' : `who-${at}`
    return [
      ...(who === 'member' ? [] : [put('condition_set', user_set, set('userset', who))]),
      put('condition_set', `what-${at}`, set('resourceset', what)),
      put('set_rule', `${user_set}/doc:a${at}/what-${at}`, {
        user_set,
        permission: `doc:a${at}`,
        resource_set: `what-${at}`,
      }),
    ]
  })
  return Image.build(ENVIRONMENT, makePosition(1), [
    put('resource', 'doc', { actions: RULES.map((_, at) => `a${at}`) }),
    put('role', 'member', { permissions: [], extends: [] }),
    ...tenants.map(([key, { tier }]) => put('tenant', key, some({ tier }))),
    ...users.map(([key, attributes]) => put('user', key, some(attributes))),
    ...documents.map(([key, { tenant, ...attributes }]) =>
      put('resource_instance', `doc:${key}`, { tenant, ...some(attributes) }),
    ),
    ...members.map(([user, tenant]) =>
      put('role_assignment', `${user}/member/${tenant}`, { user, role: 'member', tenant }),
    ),
    ...rules,
  ])
}

it('what is decided once for all that are alike is what each check says', () => {
  let allowed = 0
  fc.assert(
    fc.property(world, (drawn) => {
      const image = build(drawn)
      const lines = image.inside(
        (inside) => new AccessReview(inside, undefined, { filter: {}, changed: false }).page(undefined, 1e6, 1e9).lines,
        MIDNIGHT,
      )
      const names = new Set(
        lines
          .filter(({ access }) => access === 'allowed')
          .map((line) => `${line.user} ${line.action} ${line.resource_instance}`),
      )
      expect(lines.filter(({ access }) => access === 'undecided' || access === 'incomplete')).toEqual([])
      for (const user of USERS)
        for (const at of RULES.keys())
          for (const [key, { tenant }] of drawn.documents) {
            const isAllowed = image.check(user, `a${at}`, 'doc', tenant, key, { context: { now: MIDNIGHT } })
            if (isAllowed) allowed++
            const isOnInstance = names.has(`${user} a${at} ${key}`)
            // a rule that reads nothing of the instance says it of the type, in its tenant or in all
            const isOnType = lines.some(
              (line) =>
                line.user === user &&
                line.action === `a${at}` &&
                line.access === 'allowed' &&
                line.resource_instance === null &&
                (line.tenant ?? tenant) === tenant,
            )
            expect([user, at, key, isOnInstance || isOnType]).toEqual([user, at, key, isAllowed])
          }
      const counts = image.inside((inside) => {
        const made = new ReviewCounts(inside, 'resource')
        while (made.step(1e6));
        return made
      }, MIDNIGHT)
      for (const { key, users } of counts.groups) {
        const action = key.slice('doc:'.length)
        const who = lines.filter((line) => line.action === action && line.access === 'allowed').map(({ user }) => user)
        expect({ key, users }).toEqual({ key, users: new Set(who).size })
      }
    }),
    parameters(40),
  )
  expect(allowed).toBeGreaterThan(300)
})
