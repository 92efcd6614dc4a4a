// The bytes that are accounted for the objects of an environment are never fewer than its image takes: over random
// histories, and kind by kind over many objects of awkward sizes, where the room that every image has anyway hides
// nothing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { type ImageSize, imageBytes, measureChange, NO_SIZE, plus, sizeOfPolicy } from '../../src/kernel/image-bytes.ts'
import type { PolicyPut } from '../../src/kinds/index.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { type Json, type JsonObject, partKey } from '../../src/model/objects.ts'
import { mixedHistories } from '../property/histories.ts'
import { play } from '../property/laws.ts'
import { parameters } from '../property/seed.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'

const realBytes = (changes: readonly PolicyChange[]) => Image.build(ENVIRONMENT, makePosition(1), changes).stats().bytes

/** What is accounted for a policy: the relations that its tuples and rules name are objects of their own. */
function accounted(changes: readonly PolicyChange[]): ImageSize {
  const relations = new Set<string>()
  let size = NO_SIZE
  for (const change of changes) {
    if (change.op === 'delete') continue
    size = plus(size, sizeOfPolicy(change))
    const { kind, value } = change
    if (kind === 'relationship_tuple') relations.add(partKey(instanceType(value.object), value.relation))
    if (kind === 'resource_role')
      for (const rule of value.granted_to?.users_with_role ?? [])
        relations.add(partKey(value.resource, rule.linked_by_relation))
  }
  for (const key of relations) {
    const value = { ...STORED, key, name: '', description: null, resource: '', relation: '', subject_resource: '' }
    size = plus(size, measureChange({ op: 'put', kind: 'relation', key, value }))
  }
  return size
}
const instanceType = (instance: string) => instance.slice(0, instance.indexOf(':'))
const STORED = { id: '', created_at: 0, updated_at: 0 }

type Make = (at: number) => PolicyPut[]
const put = <K extends PolicyPut['kind']>(kind: K, key: string, value: (PolicyPut & { kind: K })['value']): PolicyPut =>
  ({ op: 'put', kind, key, value }) as PolicyPut
/** Lengths about the borders of words and of blocks. */
const LENGTHS = [1, 2, 3, 4, 5, 31, 87, 89, 230]
const keyed = (at: number) => `${at}${'k'.repeat(LENGTHS[at % LENGTHS.length]!)}`
const texts = (at: number): Json =>
  [
    {},
    { [`n${at}`]: `v${at}` },
    { a: [[`${at}`, [{ b: null }]], 5] },
    { t: `${at}${'x'.repeat(506)}` },
    { e: '', [`${at}`]: '' },
  ][at % 5]!

const BASE: PolicyPut[] = [
  put('resource', 'doc', { actions: ['read'] }),
  put('tenant', 'default', {}),
  put('role', 'viewer', { permissions: ['doc:read'], extends: [] }),
  put('role', 'writer', { permissions: [], extends: [] }),
]
const people = Array.from({ length: 1200 }, (_, at) => put('user', `u${at}`, {}))
const things = Array.from({ length: 1200 }, (_, at) => put('resource_instance', `doc:i${at}`, { tenant: 'default' }))
const sets = Array.from({ length: 60 }, (_, at) =>
  put('condition_set', `s${at}`, {
    type: 'userset',
    resource: null,
    parent: null,
    conditions: { 'user.a': { equals: at } },
  }),
)
const many = Array.from({ length: 4500 }, (_, at) => `a${at}`)
const wide = [0, 1, 2, 3, 4].map((at) => put('resource', `w${at}`, { actions: many.slice(0, 900) }))

/** So that the text of a key is most of what the permission that stands for a role takes. */
const longKey = (at: number) => `${at}${'k'.repeat(230)}`
/** As many as make these permissions more than a page of each row. */
const heldRoles = Array.from({ length: 2_100 }, (_, at) =>
  put('resource_role', `doc/${longKey(at)}`, {
    ...{ resource: 'doc', role: longKey(at), permissions: [], granted_to: null },
    extends: at > 0 && at % 50 === 0 ? [longKey(at - 1)] : [],
  }),
)
const ruleOfRole = (at: number): PolicyPut => {
  const rule = { user_set: `__autogen_doc#${longKey(at)}`, permission: 'doc:read', resource_set: '__autogen_doc' }
  return put('set_rule', Object.values(rule).join('/'), rule)
}

const condition = (at: number): JsonObject =>
  [
    {},
    { 'user.department': { equals: `d${at}` } },
    {
      allOf: [
        { [`user.p${at}.q.r`]: { in: ['a', 'b', `${at}`] } },
        { not: { 'resource.x': { equals: { ref: `user.y${at}` } } } },
      ],
    },
    { anyOf: [{}, {}, { 'resource.list': { any_match: { match: { [`k${at}`]: { 'greater-than': at } } } } }] },
    { 'user.z': { anyOf: Array.from({ length: 40 }, (_, n) => ({ equals: `${at}-${n}` })) } },
    { 'user.m': { object_match: { fk_resource_type: 'doc', match: { 'a.b.c': { not: [`${at}`, 'x'] } } } } },
  ][at % 6] as JsonObject

const KINDS: Record<string, { before: PolicyPut[]; make: Make; count: number }> = {
  users: { before: BASE, count: 4000, make: (at) => [put('user', keyed(at), { attributes: texts(at) as JsonObject })] },
  tenants: {
    before: BASE,
    count: 4000,
    make: (at) => [put('tenant', keyed(at), { attributes: texts(at) as JsonObject })],
  },
  instances: {
    before: BASE,
    count: 4000,
    make: (at) => [
      put('resource_instance', `doc:${keyed(at)}`, { tenant: 'default', attributes: texts(at) as JsonObject }),
    ],
  },
  'assignments, one role each': {
    before: [...BASE, ...people],
    count: 1200,
    make: (at) => [
      put('role_assignment', `u${at}/viewer/default`, { user: `u${at}`, role: 'viewer', tenant: 'default' }),
    ],
  },
  'assignments, role sets of their own': {
    before: [
      ...BASE,
      ...people,
      ...Array.from({ length: 80 }, (_, at) => put('role', `r${at}`, { permissions: [], extends: [] })),
    ],
    count: 1200,
    make: (at) =>
      [at % 80, (at + 1 + Math.floor(at / 80)) % 80]
        .filter((role, n, all) => all.indexOf(role) === n)
        .map((role) => {
          return put('role_assignment', `u${at}/r${role}/default`, {
            user: `u${at}`,
            role: `r${role}`,
            tenant: 'default',
          })
        }),
  },
  memberships: {
    before: [...BASE, ...people],
    count: 1200,
    make: (at) => [put('membership', `default/u${at}`, { user: `u${at}`, tenant: 'default' })],
  },
  tuples: {
    before: [...BASE, ...things],
    count: 1199,
    make: (at) => {
      const tuple = { subject: `doc:i${at}`, relation: `r${at % 300}`, object: `doc:i${at + 1}` }
      return [put('relationship_tuple', Object.values(tuple).join('/'), tuple)]
    },
  },
  resources: {
    before: BASE,
    count: 600,
    make: (at) => [
      put('resource', keyed(at), {
        actions: many.slice(0, at % 7),
        ...(at % 3 === 0 ? {} : { attributes: { [`n${at}`]: 'time', m: 'json' } }),
      }),
    ],
  },
  roles: {
    before: [...BASE, ...wide],
    count: 400,
    make: (at) => {
      const permissions = [0, 1, 2, 3, 4].slice(0, at % 6).map((n) => `w${n}:a${(at * 7) % 900}`)
      return [put('role', keyed(at), { permissions, extends: at % 2 === 0 ? [] : ['viewer', 'writer'] })]
    },
  },
  'roles of a resource': {
    before: BASE,
    count: 400,
    make: (at) => [
      put('resource_role', `doc/${keyed(at)}`, {
        resource: 'doc',
        role: keyed(at),
        permissions: [],
        extends: [],
        granted_to: {
          when: { no_direct_roles_on_object: false },
          users_with_role:
            at === 0
              ? []
              : [
                  {
                    role: keyed(at - 1),
                    on_resource: 'doc',
                    linked_by_relation: `l${at}`,
                    when: { no_direct_roles_on_object: true },
                  },
                ],
        },
      }),
    ],
  },
  'condition sets': {
    before: BASE,
    count: 600,
    make: (at) => [
      put('condition_set', keyed(at), { type: 'userset', resource: null, parent: null, conditions: condition(at) }),
    ],
  },
  'set rules': {
    before: [...BASE, ...sets, ...wide],
    count: 60,
    make: (at) =>
      many.slice(0, 40).map((action) => {
        const rule = { user_set: `s${at}`, permission: `w0:${action}`, resource_set: '__autogen_w0' }
        return put('set_rule', `s${at}/w0:${action}/__autogen_w0`, rule)
      }),
  },
  'set rules for roles on instances, one role each': {
    before: [...BASE, ...heldRoles],
    count: heldRoles.length,
    make: (at) => [ruleOfRole(at)],
  },
  'proxy configs': {
    before: BASE,
    count: 200,
    make: (at) => {
      const rule = {
        url: `/${'x'.repeat(at * 3)}`,
        url_type: null,
        http_method: 'get',
        resource: 'doc',
        action: null,
        priority: null,
      } as const
      return [put('proxy_config', keyed(at), { rules: Array.from({ length: 1 + (at % 4) }, () => rule) })]
    },
  },
}

describe('the bytes that are accounted', () => {
  it('are never fewer than the image of a random history takes', () => {
    fc.assert(
      fc.property(mixedHistories, (history) => {
        const { world } = play({ history, seed: 1 }, { checksPerRevision: 0 })
        const contents = world.contents()
        expect(realBytes(contents)).toBeLessThanOrEqual(imageBytes(accounted(contents)))
      }),
      parameters(30),
    )
  })

  it.each(Object.keys(KINDS))('are never fewer than many objects add to an image: %s', (name) => {
    const { before, make, count } = KINDS[name]!
    const added = Array.from({ length: count }, (_, at) => make(at)).flat()
    const real = realBytes([...before, ...added]) - realBytes(before)
    const least = imageBytes(accounted([...before, ...added])) - imageBytes(accounted(before))
    expect(real).toBeLessThanOrEqual(least)
  })

  it('have a permission that stands for a role only where a rule is for the role (D17)', () => {
    const [role, ofTenants] = [
      ruleOfRole(0),
      put('set_rule', 's/doc:read/__autogen_doc', {
        user_set: 's',
        permission: 'doc:read',
        resource_set: '__autogen_doc',
      }),
    ]
    const least = sizeOfPolicy(role).bytes - sizeOfPolicy(ofTenants).bytes
    expect([sizeOfPolicy(role).permissions, sizeOfPolicy(ofTenants).permissions]).toEqual([1, 0])
    expect(least).toBeGreaterThan(longKey(0).length)
  })

  it('are more than an empty image takes', () => {
    expect(realBytes([])).toBeLessThanOrEqual(imageBytes(NO_SIZE))
  })
})
