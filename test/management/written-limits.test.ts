// What management accepts every image can hold: what an image could not is refused when it is written, and says where.
// And what is written about an attribute is of its declared type.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { buildSnapshot } from '../../src/management/snapshot/snapshot.ts'
import {
  ATTRIBUTES_BYTES_MAX,
  CONDITIONS_BYTES_MAX,
  PATHS_MAX,
  STORED_VALUE_BYTES_MAX,
} from '../../src/model/limits.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { type ManagementData, openManagementData } from './harness.ts'

let management: ManagementData
beforeAll(async () => {
  management = await openManagementData()
  await management.run('createResource', {
    key: 'doc',
    actions: { read: {} },
    attributes: { cost: { type: 'number' } },
  })
  for (const [key, type] of Object.entries(TYPES))
    await management.run('createAttribute', { resource: '__user', attribute: { key, type } })
  await management.run('createAttribute', { resource: '__tenant', attribute: { key: 'plan', type: 'string' } })
})
afterAll(() => management.close())

const TYPES = {
  b: 'bool',
  n: 'number',
  s: 'string',
  t: 'time',
  a: 'array',
  o: 'object',
  oa: 'object_array',
  j: 'json',
} as const

const refused = (promise: Promise<unknown>, code: string, path: readonly (string | number)[]) =>
  expect(promise).rejects.toMatchObject({ code, path })
/** The image of what is there, built and by the bytes of a build. */
const image = () => Image.load(buildSnapshot(management.view()).bytes)

describe('[D7] attributes of another type than the declared one', () => {
  it.each<[keyof typeof TYPES, JsonObject[string][], JsonObject[string][]]>([
    ['b', [true, false, null], [0, 'true', [true]]],
    ['n', [0, -1.5, null], ['1', true, {}]],
    ['s', ['', 'x', null], [1, ['x'], false]],
    ['t', [0, '2026-11-20', '2026-11-20T10:00:00Z', null], ['soon', '20.11.2026', true, []]],
    ['a', [[], [1, 'x'], null], [{}, 'x', 1]],
    ['o', [{}, { x: 1 }, null], [[], 'x', 1]],
    ['oa', [[], [{}], null], [[1], [{}, null], {}]],
    ['j', [1, 'x', [], {}, null], []],
  ])('declared %s', async (key, good, bad) => {
    await management.run('replaceUser', { ref: 'ana', fields: {} })
    for (const value of good)
      await management.run('updateUser', { ref: 'ana', fields: { attributes: { [key]: value } } })
    for (const value of bad) {
      const path = ['body', 'attributes', key]
      const fields = { attributes: { [key]: value } }
      await refused(management.run('updateUser', { ref: 'ana', fields }), 'ATTRIBUTE_ILL_TYPED', path)
      await refused(management.run('replaceUser', { ref: 'ana', fields }), 'ATTRIBUTE_ILL_TYPED', path)
    }
    expect(management.view().get('user', 'ana')?.attributes).toEqual({ [key]: good.at(-1) })
  })

  it('are refused wherever they are written: of users, tenants and instances, one or many', async () => {
    const user = { key: 'ben', attributes: { n: 'x' } }
    const tenant = { key: 'acme', attributes: { plan: 1 } }
    const instance = { key: '1', resource: 'doc', tenant: 'default', attributes: { cost: 'much' } }
    const at = (...path: (string | number)[]) => ['body', ...path]
    const ILL = 'ATTRIBUTE_ILL_TYPED'
    await refused(management.run('createUser', user), ILL, at('attributes', 'n'))
    await refused(management.run('replaceUser', { ref: 'ben', fields: user }), ILL, at('attributes', 'n'))
    await refused(
      management.run('createUsers', { operations: [{ key: 'x' }, user] }),
      ILL,
      at('operations', 1, 'attributes', 'n'),
    )
    await refused(management.run('replaceUsers', { operations: [user] }), ILL, at('operations', 0, 'attributes', 'n'))
    await refused(management.run('createTenant', tenant), ILL, at('attributes', 'plan'))
    await refused(
      management.run('createTenants', { operations: [tenant] }),
      ILL,
      at('operations', 0, 'attributes', 'plan'),
    )
    await refused(
      management.run('updateTenant', { ref: 'default', fields: { attributes: tenant.attributes } }),
      ILL,
      at('attributes', 'plan'),
    )
    await refused(management.run('addTenantUser', { tenant: 'default', user }), ILL, at('attributes', 'n'))
    await refused(management.run('createInstance', instance), ILL, at('attributes', 'cost'))
    await refused(
      management.run('putInstances', { operations: [instance] }),
      ILL,
      at('operations', 0, 'attributes', 'cost'),
    )
    await management.run('createInstance', { ...instance, attributes: { cost: 1, other: 'much' } })
    const change = { ref: 'doc:1', fields: { attributes: { cost: false } } }
    await refused(management.run('updateInstance', change), ILL, at('attributes', 'cost'))
    await refused(management.run('replaceInstance', change), ILL, at('attributes', 'cost'))
    expect([management.view().get('user', 'ben'), management.view().get('tenant', 'acme')]).toEqual([
      undefined,
      undefined,
    ])
  })

  it('that were stored before the declaration stay, and count as missing until they are written', async () => {
    await management.run('createUser', { key: 'cleo', attributes: { later: 'x' } })
    await management.run('createAttribute', { resource: '__user', attribute: { key: 'later', type: 'number' } })
    await management.run('updateUser', { ref: 'cleo', fields: { first_name: 'Cleo' } })
    expect(management.view().get('user', 'cleo')?.attributes).toEqual({ later: 'x' })
    const path = ['body', 'attributes', 'later']
    const fields = { attributes: { later: 'x' } }
    await refused(management.run('updateUser', { ref: 'cleo', fields }), 'ATTRIBUTE_ILL_TYPED', path)
  })
})

describe('values that are small as JSON and large in an image', () => {
  const numbers = (count: number) => Array.from({ length: count }, () => 1)
  const MOST = Math.floor((STORED_VALUE_BYTES_MAX - 200) / 16)

  it('are stored up to the limit, and refused beyond', async () => {
    expect(JSON.stringify(numbers(MOST + 100)).length).toBeLessThan(ATTRIBUTES_BYTES_MAX)
    const names = { email: 'e@example.com', first_name: 'é'.repeat(1000), last_name: '€'.repeat(1000) }
    await management.run('createUser', { key: 'large', ...names, attributes: { a: numbers(MOST) } })
    await management.run('createInstance', {
      key: 'large',
      resource: 'doc',
      tenant: 'default',
      attributes: { x: numbers(MOST) },
    })
    expect(image().check('large', 'read', 'doc', 'default')).toBe(false)
    const path = ['body', 'attributes']
    const fields = { attributes: { a: numbers(MOST + 100) } }
    await refused(management.run('updateUser', { ref: 'large', fields }), 'LIMIT_EXCEEDED', path)
  })

  it('are refused in conditions, too, whatever form they have', async () => {
    const conditions = (count: number, test: JsonObject): JsonObject => ({
      'user.x': test,
      'user.y': { equals: count },
    })
    expect(JSON.stringify(conditions(1, { in: numbers(MOST + 100) })).length).toBeLessThan(CONDITIONS_BYTES_MAX)
    await management.run('createConditionSet', { key: 'most', conditions: conditions(1, { in: numbers(MOST - 100) }) })
    await management.run('createConditionSet', { key: 'none', conditions: conditions(1, { not: numbers(MOST - 100) }) })
    const more = numbers(MOST + 100)
    const tests: JsonObject[] = [{ in: more }, { not: more }, { array_subset: more }]
    for (const test of tests) {
      const path = ['body', 'conditions']
      await refused(
        management.run('createConditionSet', { key: 'more', conditions: conditions(1, test) }),
        'LIMIT_EXCEEDED',
        path,
      )
    }
    image().verify()
  })
})

describe('attributes that conditions read', () => {
  /** A set that reads `count` attributes from `first` on, in few nodes. */
  const reading = (first: number, count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`user.p${first + index}`, { equals: 1 }]))

  it('are as many as an image has places for; using one again costs nothing', async () => {
    const used = new Set(
      [...management.view().list('condition_set')].flatMap(({ conditions }) => Object.keys(conditions)),
    ).size
    const room = PATHS_MAX - used
    const sets = Array.from({ length: Math.ceil(room / 900) }, (_, index) => index * 900)
    for (const first of sets) {
      const conditions = reading(first, Math.min(900, room - first))
      await management.run('createConditionSet', { key: `p${first}`, conditions })
    }
    const path = ['body', 'conditions']
    const one = (name: string): JsonObject => ({ [`user.${name}`]: { equals: 1 } })
    await refused(management.run('createConditionSet', { key: 'q', conditions: one('q') }), 'LIMIT_EXCEEDED', path)
    await management.run('createConditionSet', { key: 'q', conditions: one('p7') })
    await refused(
      management.run('updateConditionSet', { ref: 'q', fields: { conditions: one('q') } }),
      'LIMIT_EXCEEDED',
      path,
    )
    const inside = { 'user.p7': { any_match: { match: { deep: { equals: 1 } } } } }
    await refused(
      management.run('updateConditionSet', { ref: 'q', fields: { conditions: inside } }),
      'LIMIT_EXCEEDED',
      path,
    )
    image().verify()

    // What a set alone reads is free again when the set goes, or reads something else.
    await management.run('updateConditionSet', { ref: 'p0', fields: { conditions: reading(1, 899) } })
    await management.run('updateConditionSet', { ref: 'q', fields: { conditions: one('p1') } })
    await management.run('createConditionSet', { key: 'r', conditions: one('r') })
    await refused(management.run('createConditionSet', { key: 'zz', conditions: one('zz') }), 'LIMIT_EXCEEDED', path)
    expect(image().stats().conditionSets).toBe(management.view().count('condition_set'))
  })

  it('may have names of any length that is accepted', async () => {
    const long = ['user', ...Array.from({ length: 31 }, (_, index) => `${'m'.repeat(250)}${index}`)].join('.')
    const conditions = { [long]: { equals: 1 } }
    await management.run('updateConditionSet', { ref: 'r', fields: { conditions } })
    image().verify()
  })
})
