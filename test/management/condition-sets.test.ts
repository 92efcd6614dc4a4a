// Condition sets: what may be written, and that nothing widens by omission or deletion.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { put } from '../../src/log/change.ts'
import { replaceConditionSet, updateConditionSet } from '../../src/management/objects/condition-sets.ts'
import { keepReaders } from '../../src/management/objects/condition-types.ts'
import { SET_DEPTH_MAX } from '../../src/model/limits.ts'
import type { JsonObject } from '../../src/model/objects.ts'
import { Draft } from '../../src/store/draft.ts'
import type { Mint } from '../../src/store/view.ts'
import { type ManagementData, openManagementData } from './harness.ts'

let management: ManagementData
let round = 0
let doc = ''
const named = (name: string) => `${name}${round}`
beforeAll(async () => {
  management = await openManagementData()
  for (const [key, type] of [
    ['age', 'number'],
    ['name', 'string'],
    ['member', 'bool'],
    ['skills', 'array'],
    ['since', 'time'],
    ['address', 'object'],
    ['contracts', 'object_array'],
    ['anything', 'json'],
    ['folder', 'string'],
  ] as const) {
    await management.run('createAttribute', { resource: '__user', attribute: { key, type } })
  }
  await management.run('createAttribute', { resource: '__tenant', attribute: { key: 'plan', type: 'string' } })
})
afterAll(() => management.close())
beforeEach(async () => {
  round++
  doc = named('doc')
  await management.run('createResource', {
    key: doc,
    attributes: { secret: { type: 'bool' }, cost: { type: 'number' } },
  })
})
const refused = async (promise: Promise<unknown>, code: string, path?: readonly (string | number)[]) =>
  expect(promise).rejects.toMatchObject({ code, ...(path ? { path } : {}) })
const conditions = (of: JsonObject) => management.run('createConditionSet', { key: named('set'), conditions: of })
const over = (of: JsonObject) =>
  management.run('createConditionSet', { key: named('set'), type: 'resourceset', resource_id: doc, conditions: of })
const set = (key: string) => management.view().get('condition_set', named(key))

describe('conditions', () => {
  it('are kept as they were sent', async () => {
    const sent: JsonObject = { anyOf: [{ 'user.age': { 'greater-than': 17 } }, { not: { 'user.name': {} } }] }
    await refused(conditions(sent), 'INPUT_INVALID', ['body', 'conditions', 'anyOf', 1, 'not', 'user.name'])
    const well: JsonObject = {
      anyOf: [{ 'user.age': { 'greater-than': 17, 'less-than': 65 } }, { not: { 'user.x': { in: [] } } }],
    }
    expect((await conditions(well)).conditions).toEqual(well)
  })

  it.each<JsonObject>([
    {},
    { 'user.age': { equals: 3 } },
    { 'user.age': { between: [1, 2] } },
    { 'user.age': { in: [1, 2] } },
    { 'user.age': { equals: { ref: 'user.anything' } } },
    { 'user.age': { equals: { ref: 'user.not_declared' } } },
    { 'user.age': { in: { ref: 'user.skills' } } },
    { 'user.not_declared': { contains: 'x' } },
    { 'context.age': { contains: 'x' } },
    { 'user.since': { 'less-than': '2026-01-01T00:00:00Z' } },
    { 'user.since': { 'less-than': { ref: 'user.age' } } },
    { 'user.since': { between: [1, 2] } },
    { 'user.skills': { array_contains: 'go' } },
    { 'user.skills': { array_contains: { ref: 'user.age' } } },
    { 'user.skills': { not: { array_subset: ['go'] } } },
    { 'user.address': { object_match: { match: { city: { equals: 1 } } } } },
    { 'user.address.city': { equals: 'Rome' } },
    { 'user.contracts': { any_match: { match: { level: { 'greater-than': 2 } } } } },
    { 'user.anything.deep': { contains: 'x' } },
    { 'user.name': { anyOf: [{ 'starts-with': 'a' }, { not: ['b', 'c'] }] } },
    { 'tenant.plan': { equals: { ref: 'user.name' } } },
    { 'context.now': { 'less-than': '2026-12-31' } },
    { 'context.now': { between: ['2026-01-01T08:30', '2026-12-31T23:59:59.999+01:00'] } },
    { 'context.now': { in: ['2026-01-01', 1_800_000_000_000] } },
    { 'context.now': { equals: { ref: 'context.now' } } },
    { 'environment.now': { not: 1_800_000_000_000 } },
    { 'context.now': { 'less-than': { ref: 'user.since' } } },
    { 'context.now': { 'less-than': { ref: 'user.name' } } },
    { 'context.now': { 'less-than': { ref: 'user.not_declared' } } },
    { 'context.now': { in: { ref: 'user.roles' } } },
    { 'user.roles': { array_contains: { ref: 'context.now' } } },
    { 'user.not_declared': { 'less-than': { ref: 'environment.now' } } },
    { 'context.clock.now': { equals: '09:00' } },
    { 'user.now': { equals: '09:00' } },
  ])('%j fits what is declared', async (of) => {
    await conditions(of)
  })

  it.each<[JsonObject, string]>([
    [{ 'user.age': { contains: 'x' } }, 'user.age'],
    [{ 'subject.age': { equals: 'x' } }, 'user.age'],
    [{ 'user.age': { in: [1, '2'] } }, 'user.age'],
    [{ 'user.age': { equals: { ref: 'user.name' } } }, 'user.age'],
    [{ 'user.age': { in: { ref: 'user.name' } } }, 'user.age'],
    [{ 'user.age': { between: ['a', 'b'] } }, 'user.age'],
    [{ 'user.age': { array_contains: 1 } }, 'user.age'],
    [{ 'user.member': { 'less-than': 3 } }, 'user.member'],
    [{ 'user.member': { equals: 'yes' } }, 'user.member'],
    [{ 'user.since': { 'less-than': 'yesterday' } }, 'user.since'],
    [{ 'user.since': { not: '2026-02-30' } }, 'user.since'],
    [{ 'user.name': { equals: 3 } }, 'user.name'],
    [{ 'user.name': { not: [3] } }, 'user.name'],
    [{ 'user.name': { any_match: { match: {} } } }, 'user.name'],
    [{ 'user.name.first': { equals: 'x' } }, 'user.name'],
    [{ 'user.age': { object_match: { match: {} } } }, 'user.age'],
    [{ 'user.skills': { equals: 'go' } }, 'user.skills'],
    [{ allOf: [{ not: { 'tenant.plan': { 'greater-than': 3 } } }] }, 'tenant.plan'],
    [{ 'context.x': { equals: { ref: 'user.age.deep' } } }, 'user.age'],
    [{ 'context.now': { 'less-than': '09:00' } }, 'context.now'],
    [{ not: { 'context.now': { 'less-than': '09:00' } } }, 'context.now'],
    [{ not: { 'environment.now': { 'greater-than-equals': '31.12.2026' } } }, 'context.now'],
    [{ 'context.now': { equals: '2026-02-30' } }, 'context.now'],
    [{ 'context.now': { 'not-equals': 'now' } }, 'context.now'],
    [{ 'context.now': { equals: true } }, 'context.now'],
    [{ 'context.now': { between: ['2026-01-01', '31.12.2026'] } }, 'context.now'],
    [{ 'context.now': { in: ['2026-01-01', 1, 'tomorrow'] } }, 'context.now'],
    [{ 'context.now': { in: ['2026-01-01', false] } }, 'context.now'],
    [{ 'context.now': { not: '09:00' } }, 'context.now'],
    [{ 'context.now': { not: ['2026-01-01', '09:00'] } }, 'context.now'],
    [{ 'context.now': { anyOf: [{ 'less-than': '2026-01-01' }, { not: { equals: '' } }] } }, 'context.now'],
    [{ 'context.now': { 'starts-with': '2026' } }, 'context.now'],
    [{ 'context.now': { contains: '2026' } }, 'context.now'],
    [{ 'context.now': { array_contains: '2026-01-01' } }, 'context.now'],
    [{ not: { 'context.now.hour': { equals: '09:00' } } }, 'context.now'],
    [{ not: { 'user.name': { equals: { ref: 'environment.now.hour' } } } }, 'context.now'],
    [{ 'context.now': { object_match: { match: { hour: { equals: 9 } } } } }, 'context.now'],
    [{ 'context.now': { 'less-than': { ref: 'user.member' } } }, 'context.now'],
    [{ 'context.now': { 'less-than': { ref: 'user.skills' } } }, 'context.now'],
    [{ 'context.now': { in: { ref: 'user.since' } } }, 'user.since'],
    [{ 'context.now': { equals: { ref: 'user.tenants' } } }, 'context.now'],
    [{ 'user.since': { equals: { ref: 'user.roles' } } }, 'user.since'],
    [{ 'user.roles': { 'less-than': { ref: 'context.now' } } }, 'context.now'],
    [{ 'user.member': { equals: { ref: 'context.now' } } }, 'user.member'],
    [{ not: { 'user.note': { contains: { ref: 'context.now' } } } }, 'context.now'],
    [{ not: { 'user.note': { 'starts-with': { ref: 'user.since' } } } }, 'user.since'],
    [{ not: { 'user.note': { in: { ref: 'environment.now' } } } }, 'context.now'],
    [{ not: { 'user.anything': { array_subset: { ref: 'context.now' } } } }, 'context.now'],
    [{ 'user.x': { any_match: { match: { from: { not: { contains: { ref: 'context.now' } } } } } } }, 'context.now'],
  ])('%j does not fit', async (of, attribute) => {
    await expect(conditions(of)).rejects.toMatchObject({ code: 'ATTRIBUTE_MISMATCH', details: { attribute } })
  })

  it('of a resource set are checked against its resource, and those of a user set are not', async () => {
    const of = { 'resource.cost': { equals: 'much' } }
    await refused(
      management.run('createConditionSet', {
        key: named('set'),
        type: 'resourceset',
        resource_id: doc,
        conditions: of,
      }),
      'ATTRIBUTE_MISMATCH',
    )
    await conditions(of)
  })

  it('that follow the key of an instance are checked against its type', async () => {
    const match = (type: string, of: JsonObject): JsonObject => ({
      'user.folder': { object_match: { match: of, fk_resource_type: type } },
    })
    await refused(conditions(match('nothing', {})), 'OBJECT_NOT_FOUND', ['body', 'conditions'])
    await refused(conditions(match(doc, { cost: { equals: 'much' } })), 'ATTRIBUTE_MISMATCH')
    await conditions(match(doc, { cost: { equals: 3 }, secret: { equals: true } }))
  })

  const undeclared = (attribute: string) => ({ code: 'ATTRIBUTE_UNDECLARED', details: { resource: doc, attribute } })

  it.each<[string, JsonObject]>([
    ['other', { 'resource.other': { equals: 1 } }],
    ['other', { 'resource.other.deep': { equals: 1 } }],
    ['other', { 'user.age': { equals: { ref: 'resource.other' } } }],
    ['other', { anyOf: [{ 'resource.cost': { equals: 1 } }, { not: { 'resource.other': { equals: 1 } } }] }],
    ['roles', { 'resource.roles': { array_contains: 'x' } }],
  ])('of a resource set may not read `%s`, which its resource does not declare: %j', async (attribute, of) => {
    await expect(over(of)).rejects.toMatchObject(undeclared(attribute))
    await over({ 'resource.cost': { equals: 1 } })
    for (const write of ['updateConditionSet', 'replaceConditionSet'] as const)
      await expect(management.run(write, { ref: named('set'), fields: { conditions: of } })).rejects.toMatchObject(
        undeclared(attribute),
      )
    await management.run('createAttribute', { resource: doc, attribute: { key: attribute, type: 'json' } })
    await management.run('updateConditionSet', { ref: named('set'), fields: { conditions: of } })
    await refused(management.run('deleteAttribute', { resource: doc, ref: attribute }), 'OBJECT_IN_USE')
  })

  it('may not read of a followed instance what its type does not declare, be it a name of identity', async () => {
    for (const attribute of ['other', 'key']) {
      const match = { match: { [attribute]: { equals: 'x' } }, fk_resource_type: doc }
      await expect(conditions({ 'user.folder': { object_match: match } })).rejects.toMatchObject(undeclared(attribute))
    }
  })

  it('may read the question itself, and what does not belong to a resource set or a resource', async () => {
    const tests = ['type', 'key', 'tenant'].map((name) => ({ [`resource.${name}`]: { equals: 'x' } }))
    const others = ['user.u', 'tenant.t', 'context.c', 'action.a'].map((path) => ({ [path]: { equals: 'x' } }))
    await over({ allOf: [...tests, ...others] })
    await management.run('createConditionSet', {
      key: named('users'),
      conditions: { 'resource.other': { equals: 'x' } },
    })
  })

  it('hold nothing that cannot be kept exactly', async () => {
    await refused(conditions({ 'user.x': { equals: 2 ** 60 } }), 'NUMBER_INVALID')
    await refused(conditions({ 'user.x': { equals: '\ud800' } }), 'TEXT_INVALID')
  })
})

describe('a set that was stored before attributes had to be declared', () => {
  const mint: Mint = { now: 2, id: () => 'f'.repeat(32), secret: () => '' }
  const legacy: JsonObject = { 'resource.other': { equals: 1 } }

  it('may be changed otherwise and written again as it is, and its attribute may be declared', async () => {
    await over({ 'resource.cost': { equals: 1 } })
    const stored = set('set')!
    const old = new Draft(management.view()).stage([put('condition_set', { ...stored, conditions: legacy })])
    const ref = named('set')
    const patched = updateConditionSet(old, { ref, fields: { name: 'Named' } }, mint)
    expect(patched.result).toMatchObject({ name: 'Named', conditions: legacy })
    const again = replaceConditionSet(old, { ref, fields: { name: 'Again', conditions: legacy } }, mint)
    expect(again.result).toMatchObject({ name: 'Again', conditions: legacy })
    const resource = management.view().get('resource', doc)!
    const costly = resource.attributes.map((each) => (each.key === 'cost' ? { ...each, type: 'json' as const } : each))
    const declared = { ...resource, attributes: [...costly, { ...costly[0]!, key: 'other', type: 'number' as const }] }
    expect(() => keepReaders(old, 'resource', resource, declared)).not.toThrow()
    const more = { ...legacy, 'resource.cost': { equals: 1 } }
    expect(() => updateConditionSet(old, { ref, fields: { conditions: more } }, mint)).toThrow('attribute `other`')
  })
})

describe('a set that was stored before `context.now` was only compared with instants', () => {
  it('may be changed otherwise and written again as it is, and attributes that it reads may change', async () => {
    const mint: Mint = { now: 2, id: () => 'f'.repeat(32), secret: () => '' }
    const older: JsonObject = { 'resource.cost': { equals: 1 }, not: { 'context.now': { 'less-than': '09:00' } } }
    await over({ 'resource.cost': { equals: 1 } })
    const old = new Draft(management.view()).stage([put('condition_set', { ...set('set')!, conditions: older })])
    const ref = named('set')
    const fields = { name: 'Again', conditions: older }
    expect(replaceConditionSet(old, { ref, fields }, mint).result).toMatchObject(fields)
    expect(updateConditionSet(old, { ref, fields: { name: 'Named' } }, mint).result).toMatchObject({
      conditions: older,
    })
    const resource = management.view().get('resource', doc)!
    const attributes = resource.attributes.map((each) => ({ ...each, type: 'json' as const }))
    expect(() => keepReaders(old, 'resource', resource, { ...resource, attributes })).not.toThrow()
    const other = { not: { 'context.now': { 'less-than': '08:00' } } }
    expect(() => updateConditionSet(old, { ref, fields: { conditions: other } }, mint)).toThrow('`08:00`')
  })
})

describe('what resource types declare as a time', () => {
  let due = ''
  beforeEach(async () => {
    due = named('due')
    await management.run('createAttribute', { resource: doc, attribute: { key: due, type: 'time' } })
  })
  const at = ['body', 'conditions']

  it.each<[string, (path: string) => JsonObject]>([
    ['a time of day', (path) => ({ not: { [path]: { 'less-than': '09:00' } } })],
    ['a word', (path) => ({ [path]: { 'not-equals': 'soon' } })],
    ['a day that does not exist', (path) => ({ not: { [path]: { equals: '2026-02-30' } } })],
    ['an hour that does not exist', (path) => ({ [path]: { between: ['2026-01-01T24:00', '2026-01-02'] } })],
    ['a leap second', (path) => ({ [path]: { in: ['2026-06-30T23:59:60Z'] } })],
    ['one of several scalars', (path) => ({ [path]: { not: ['2026-01-01', 'never'] } })],
    ['truth', (path) => ({ anyOf: [{ not: [{ [path]: { equals: true } }] }] })],
    ['text', (path) => ({ not: { [path]: { contains: '2026' } } })],
    ['the text in it', (path) => ({ not: { 'user.note': { contains: { ref: path } } } })],
    ['its items', (path) => ({ not: { 'user.note': { in: { ref: path } } } })],
    ['its hour', (path) => ({ not: { [`${path}.hour`]: { equals: 9 } } })],
    ['what is declared as no time', (path) => ({ not: { 'user.member': { equals: { ref: path } } } })],
  ])('is not compared with %s in a user set, which may be asked about each of them', async (_, over) => {
    const path = `resource.${due}`
    await refused(conditions(over(path)), 'ATTRIBUTE_MISMATCH', at)
    await conditions({})
    for (const write of ['updateConditionSet', 'replaceConditionSet'] as const) {
      const fields = { conditions: over(path) }
      await refused(management.run(write, { ref: named('set'), fields }), 'ATTRIBUTE_MISMATCH', at)
    }
  })

  it.each<(path: string) => JsonObject>([
    (path) => ({ [path]: { 'less-than': '2026-01-31T10:00' } }),
    (path) => ({ not: { [path]: { between: [0, 1_800_000_000_000] } } }),
    (path) => ({ [path]: { 'greater-than': { ref: 'context.now' } } }),
    (path) => ({ 'user.since': { equals: { ref: path } } }),
    (path) => ({ 'user.skills': { array_contains: { ref: path } } }),
  ])('is compared with instants in a user set', async (over) => {
    await conditions(over(`resource.${due}`))
  })

  it.each<(name: string) => JsonObject>([
    (name) => ({ not: { [`resource.${name}`]: { equals: 'soon' } } }),
    (name) => ({ not: { [`resource.${name}.hour`]: { equals: 9 } } }),
    (name) => ({ not: { 'user.note': { contains: { ref: `resource.${name}` } } } }),
  ])('was not compared with something else before, in a user set', async (over) => {
    const later = named('later')
    await conditions(over(later))
    const times = { [later]: { type: 'time' as const } }
    const inUse = { code: 'OBJECT_IN_USE', details: { key: later, by: `condition set \`${named('set')}\`` } }
    const declare = (type: 'time' | 'json') =>
      management.run('createAttribute', { resource: doc, attribute: { key: later, type } })
    await expect(declare('time')).rejects.toMatchObject(inUse)
    await expect(management.run('createResource', { key: named('task'), attributes: times })).rejects.toMatchObject(
      inUse,
    )
    await declare('json')
    for (const write of ['updateResource', 'replaceResource'] as const)
      await expect(management.run(write, { ref: doc, fields: { attributes: times } })).rejects.toMatchObject(inUse)
    const retype = { resource: doc, ref: later, fields: { type: 'time' as const } }
    await expect(management.run('updateAttribute', retype)).rejects.toMatchObject(inUse)
    await management.run('deleteConditionSet', { ref: named('set') })
    await management.run('updateAttribute', retype)
  })

  describe('and others declare as something else', () => {
    let other = ''
    beforeEach(async () => {
      other = named('other')
      const fields = { actions: { read: {} }, attributes: { [due]: { type: 'string' as const } } }
      await management.run('createResource', { key: other, ...fields })
      await management.run('createAction', { resource: doc, action: { key: 'read' } })
    })
    const soon = () => ({ not: { [`resource.${due}`]: { equals: 'soon' } } })
    const rule = (type: string, user_set = named('set')) =>
      management.run('createSetRule', { user_set, permission: `${type}:read`, resource_set: type })
    const atSet = ['body', 'user_set']

    it('is compared with text in a user set that no rule for the first type uses', async () => {
      await conditions(soon())
      await management.run('createConditionSet', { key: named('child'), parent_id: named('set') })
      await rule(other)
      await rule(other, named('child'))
      await refused(rule(doc), 'ATTRIBUTE_MISMATCH', atSet)
      await refused(rule(doc, named('child')), 'ATTRIBUTE_MISMATCH', atSet)
    })

    it('is not in a user set that such a rule uses, itself or as a parent', async () => {
      await conditions({})
      await management.run('createConditionSet', { key: named('child'), parent_id: named('set') })
      await rule(doc, named('child'))
      const write = { ref: named('set'), fields: { conditions: soon() } }
      await refused(management.run('updateConditionSet', write), 'ATTRIBUTE_MISMATCH', at)
      await management.run('createConditionSet', { key: named('soon'), conditions: soon() })
      const move = (ref: string) => management.run('updateConditionSet', { ref, fields: { parent_id: named('soon') } })
      for (const moved of ['set', 'child'])
        await refused(move(named(moved)), 'ATTRIBUTE_MISMATCH', ['body', 'parent_id'])
    })

    it('does not become a time for a rule that is there', async () => {
      await conditions(soon())
      await rule(other)
      const retype = { resource: other, ref: due, fields: { type: 'time' as const } }
      await refused(management.run('updateAttribute', retype), 'OBJECT_IN_USE')
    })
  })

  it('has no members behind the key of an instance', async () => {
    const match = { match: { [`${due}.hour`]: { equals: 9 } }, fk_resource_type: doc }
    await refused(conditions({ not: { 'user.folder': { object_match: match } } }), 'ATTRIBUTE_MISMATCH', at)
  })
})

describe('an attribute that conditions compare with `context.now`', () => {
  it.each<JsonObject>([
    { equals: { ref: 'context.now' } },
    { not: { equals: { ref: 'environment.now' } } },
    { anyOf: [{ 'not-equals': { ref: 'context.now' } }] },
  ])('is not declared as what is no instant: %j', async (test) => {
    const key = named('until')
    await management.run('createConditionSet', {
      key: named('set'),
      type: 'userset',
      conditions: { [`user.${key}`]: test },
    })
    const declare = (type: 'bool' | 'array' | 'object' | 'string') =>
      management.run('createAttribute', { resource: '__user', attribute: { key, type } })
    for (const type of ['bool', 'array', 'object'] as const) await refused(declare(type), 'OBJECT_IN_USE')
    await declare('string')
  })
})

describe('condition sets', () => {
  it('are about users, or about one resource, for good', async () => {
    const create = (fields: object) => management.run('createConditionSet', { key: named('set'), ...fields })
    await refused(create({ type: 'resourceset' }), 'INPUT_INVALID', ['body', 'resource_id'])
    await refused(create({ resource_id: doc }), 'INPUT_INVALID', ['body', 'resource_id'])
    await refused(create({ type: 'resourceset', resource_id: 'nothing' }), 'OBJECT_NOT_FOUND', ['body', 'resource_id'])
    await refused(create({ autogenerated: true }), 'NOT_SUPPORTED', ['body', 'autogenerated'])
    await create({ type: 'resourceset', resource_id: management.view().require('resource', doc).id })
    expect(set('set')).toMatchObject({ type: 'resourceset', resource: doc, conditions: {}, parent: null })
    const put = (fields: object) =>
      management.run('replaceConditionSet', { ref: named('set'), fields: { conditions: {}, ...fields } })
    await refused(put({ type: 'userset' }), 'INPUT_INVALID', ['body', 'type'])
    await management.run('createResource', { key: named('other') })
    await refused(put({ resource_id: named('other') }), 'INPUT_INVALID', ['body', 'resource_id'])
    await refused(put({ key: 'other' }), 'KEY_MISMATCH', ['body', 'key'])
    await put({ type: 'resourceset', resource_id: doc, key: named('set') })
    await refused(create({ key: '__autogen_admin' }), 'KEY_RESERVED', ['body', 'key'])
  })

  it('have a parent of the same type and resource, without a circle, in bounded chains', async () => {
    await management.run('createConditionSet', { key: named('top') })
    await management.run('createConditionSet', { key: named('mid'), parent_id: named('top') })
    await management.run('createConditionSet', { key: named('low'), parent_id: set('mid')?.id ?? '' })
    const move = (key: string, parent_id: string | null) =>
      management.run('updateConditionSet', { ref: named(key), fields: { parent_id } })
    const at = ['body', 'parent_id']
    await refused(move('top', named('low')), 'PARENT_CYCLE', at)
    await refused(move('top', named('top')), 'PARENT_CYCLE', at)
    await refused(move('top', 'nothing'), 'OBJECT_NOT_FOUND', at)
    await management.run('createConditionSet', { key: named('docs'), type: 'resourceset', resource_id: doc })
    await refused(move('top', named('docs')), 'INPUT_INVALID', at)
    await management.run('createResource', { key: named('other') })
    const others = { key: named('others'), type: 'resourceset', resource_id: named('other') } as const
    await refused(management.run('createConditionSet', { ...others, parent_id: named('docs') }), 'INPUT_INVALID', at)
    await move('mid', null)
    expect(set('mid')?.parent).toBeNull()
    await move('top', named('low'))
  })

  it('stand in chains of bounded length', async () => {
    for (let at = 1; at <= SET_DEPTH_MAX; at++) {
      const parent = at === 1 ? {} : { parent_id: named(`s${at - 1}_`) }
      await management.run('createConditionSet', { key: named(`s${at}_`), ...parent })
    }
    const beyond = { key: named('beyond'), parent_id: named(`s${SET_DEPTH_MAX}_`) }
    await refused(management.run('createConditionSet', beyond), 'LIMIT_EXCEEDED', ['body', 'parent_id'])
  })
})

describe('[D11] nothing widens by omission or deletion', () => {
  it('PUT says the conditions, and what becomes of a parent', async () => {
    await management.run('createConditionSet', { key: named('top') })
    await management.run('createConditionSet', { key: named('set'), parent_id: named('top') })
    const put = (fields: object) => management.run('replaceConditionSet', { ref: named('set'), fields })
    await refused(put({ parent_id: null }), 'INPUT_INVALID', ['body', 'conditions'])
    await refused(put({ parent_id: null, conditions: null }), 'INPUT_INVALID', ['body', 'conditions'])
    await refused(put({ conditions: {} }), 'INPUT_INVALID', ['body', 'parent_id'])
    await put({ conditions: {}, parent_id: named('top') })
    await put({ conditions: {}, parent_id: null })
    await put({ conditions: {} })
    const patched = management.run('updateConditionSet', { ref: named('set'), fields: { conditions: null } })
    await refused(patched, 'INPUT_INVALID', ['body', 'conditions'])
  })

  it('a set with children stays', async () => {
    await management.run('createConditionSet', { key: named('top') })
    await management.run('createConditionSet', { key: named('low'), parent_id: named('top') })
    await refused(management.run('deleteConditionSet', { ref: named('top') }), 'OBJECT_IN_USE')
    await management.run('deleteConditionSet', { ref: named('low') })
    await management.run('deleteConditionSet', { ref: named('top') })
    expect(management.lastChanges()).toEqual([`delete condition_set ${named('top')}`])
  })

  it('an attribute that a condition reads stays, on the left and as a reference', async () => {
    const resource = { type: 'resourceset', resource_id: doc } as const
    const of = { 'resource.cost': { 'less-than': { ref: 'user.age' } } }
    await management.run('createConditionSet', { key: named('cheap'), ...resource, conditions: of })
    await refused(management.run('deleteAttribute', { resource: doc, ref: 'cost' }), 'OBJECT_IN_USE')
    await refused(management.run('deleteAttribute', { resource: '__user', ref: 'age' }), 'OBJECT_IN_USE')
    const attributes = { secret: { type: 'bool' } } as const
    await refused(management.run('updateResource', { ref: doc, fields: { attributes } }), 'OBJECT_IN_USE')
    await refused(management.run('replaceResource', { ref: doc, fields: {} }), 'OBJECT_IN_USE')
    await management.run('deleteAttribute', { resource: doc, ref: 'secret' })
    await management.run('deleteConditionSet', { ref: named('cheap') })
    await management.run('deleteAttribute', { resource: doc, ref: 'cost' })
  })

  it('an attribute becomes no type that a condition does not fit', async () => {
    const of = { 'resource.cost': { 'less-than': 3 }, 'user.later': { equals: 'x' } }
    const resource = { type: 'resourceset', resource_id: doc } as const
    await management.run('createConditionSet', { key: named('cheap'), ...resource, conditions: of })
    const retype = (type: 'string' | 'time') =>
      management.run('updateAttribute', { resource: doc, ref: 'cost', fields: { type } })
    await refused(retype('string'), 'OBJECT_IN_USE')
    await retype('time')
    const declare = (type: 'number' | 'string') =>
      management.run('createAttribute', { resource: '__user', attribute: { key: 'later', type } })
    await refused(declare('number'), 'OBJECT_IN_USE')
    await declare('string')
  })

  it('a resource takes its sets along, but stays while another set follows its instances', async () => {
    await management.run('createConditionSet', { key: named('docs'), type: 'resourceset', resource_id: doc })
    await management.run('createConditionSet', {
      key: named('low'),
      type: 'resourceset',
      resource_id: doc,
      parent_id: named('docs'),
    })
    const match = { object_match: { match: {}, fk_resource_type: doc } }
    await conditions({ 'user.folder': match })
    await refused(management.run('deleteResource', { ref: doc }), 'OBJECT_IN_USE')
    await management.run('deleteConditionSet', { ref: named('set') })
    await management.run('deleteResource', { ref: doc })
    expect(management.lastChanges()).toEqual([
      `delete condition_set ${named('docs')}`,
      `delete condition_set ${named('low')}`,
      `delete resource ${doc}`,
    ])
  })
})

describe('__user and __tenant', () => {
  it('have attributes, and are resources nowhere else', async () => {
    for (const use of [
      () => management.run('deleteResource', { ref: '__user' }),
      () => management.run('updateResource', { ref: '__user', fields: { name: 'x' } }),
      () => management.run('createAction', { resource: '__user', action: { key: 'read' } }),
      () => management.run('createResourceRole', { resource: '__tenant', role: { key: 'r' } }),
      () => management.run('createRelation', { resource: doc, relation: { key: 'r', subject_resource: '__user' } }),
      () => management.run('createConditionSet', { key: 'c', type: 'resourceset', resource_id: '__user' }),
      () => management.run('createRole', { key: 'r', permissions: ['__user:read'] }),
    ]) {
      await refused(use(), 'OBJECT_NOT_FOUND')
    }
    await refused(
      management.run('createAttribute', { resource: '__user', attribute: { key: 'age', type: 'bool' } }),
      'OBJECT_EXISTS',
    )
  })
})
