// The law of listings over every kind of set rule (D12): whatever the user side and the resource side of a rule read, in
// tenants of every kind and on instances in each, the permissions of a user say what each check says, and the instances
// of a user and the users of an action are those that checks allow. Random histories seldom have a rule that tells apart
// two tenants to which the user does not belong.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { KeyPage, PageQuery } from '../../src/image/list/list-keys.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import { assignmentKey, type JsonObject, membershipKey } from '../../src/model/objects.ts'
import { give, HELLO } from '../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { permissionRows, type Reading } from '../support/listings.ts'

const USER = 'zoe'
/** With a role of the user, a role on an instance, a membership, and nothing. */
const TENANTS = ['default', 'on-instance', 'member', 'other', 'third', 'fourth']
const INSTANCES = TENANTS.flatMap((tenant) => [`${tenant}-plain`, `${tenant}-red`])
const ACTIONS = ['say', 'wave']

const equals = (path: string, value: string): JsonObject => ({ [path]: { equals: value } })
const USER_SIDES: Readonly<Record<string, JsonObject>> = {
  everybody: {},
  nobody: equals('user.level', 'high'),
  'by its roles': { 'user.roles': { array_contains: 'viewer' } },
  'without its roles': { not: { 'user.roles': { array_contains: 'viewer' } } },
  'by its tenants': { 'user.tenants': { array_contains: 'member' } },
  'by the key of the tenant': equals('tenant.key', 'third'),
  'by the tenant of the resource': equals('resource.tenant', 'fourth'),
  'by what the tenant has': equals('tenant.plan', 'gold'),
  'without what the tenant has': { not: equals('tenant.plan', 'gold') },
  'by the instance': equals('resource.color', 'red'),
  'by the instance and the tenant': { allOf: [equals('resource.color', 'red'), equals('tenant.key', 'other')] },
  'by what is sent': equals('context.mood', 'good'),
}
const RESOURCE_SIDES: Readonly<Record<string, JsonObject>> = {
  any: {},
  red: equals('resource.color', 'red'),
  'not red': { not: equals('resource.color', 'red') },
  'one key': equals('resource.key', 'third-plain'),
  'of a tenant': equals('resource.tenant', 'third'),
  'of a tenant by its key': equals('tenant.key', 'other'),
  'of a plan': equals('tenant.plan', 'gold'),
  'own tenants': { 'user.tenants': { array_contains: { ref: 'resource.tenant' } } },
}

const put = (kind: string, key: string, value: object) => ({ op: 'put', kind, key, value }) as PolicyChange
const on = 'hello:on-instance-plain'
const FACTS: readonly PolicyChange[] = [
  ...HELLO,
  ...TENANTS.map((key) => put('tenant', key, { attributes: { plan: 'gold' } })),
  ...INSTANCES.map((key) => {
    const [tenant, color] = [key.slice(0, key.lastIndexOf('-')), key.endsWith('red') ? 'red' : 'none']
    return put('resource_instance', `hello:${key}`, { tenant, attributes: { color } })
  }),
  put('resource_role', 'hello/friend', { resource: 'hello', role: 'friend', permissions: ['hello:say'], extends: [] }),
  give(USER, 'viewer'),
  put('role_assignment', assignmentKey(USER, 'friend', 'on-instance', on), {
    ...{ user: USER, role: 'friend', tenant: 'on-instance', resource_instance: on },
  }),
  put('membership', membershipKey('member', USER), { user: USER, tenant: 'member' }),
]
const READINGS: readonly Reading[] = [{}, { limit: 1 }, { limit: 3, work: 1 }, { walkMax: 0 }, { limit: 2, walkMax: 0 }]
const SENT = { context: { mood: 'good' } }

function build(users: string, resources: string): Image {
  const [userSet, resourceSet] = [USER_SIDES[users], RESOURCE_SIDES[resources]]
  const set = (key: string, type: string, conditions: JsonObject | undefined) =>
    conditions === undefined
      ? []
      : [put('condition_set', key, { type, resource: type === 'userset' ? null : 'hello', conditions, parent: null })]
  const rule = { user_set: users, permission: 'hello:say', resource_set: resources }
  const sets = [...set(users, 'userset', userSet), ...set(resources, 'resourceset', resourceSet)]
  return Image.build(ENVIRONMENT, makePosition(1), [...FACTS, ...sets, put('set_rule', 'rule', rule)])
}

/** The tenant of an entry, by its name. */
const findTenant = (name: string): string =>
  name.startsWith('__tenant:') ? name.slice(9) : name.slice(name.indexOf(':') + 1, name.lastIndexOf('-'))

/** What the checks say, by the name of the entry. */
function entriesByChecks(image: Image): [string, string[]][] {
  const allowed = (tenant?: string, key?: string) =>
    ACTIONS.filter((action) => image.check(USER, action, 'hello', tenant, key, SENT)).map((action) => `hello:${action}`)
  const entries: [string, string[]][] = []
  for (const tenant of [...TENANTS, 'acme'].sort()) {
    const inTenant = allowed(tenant)
    if (tenant === 'default' || inTenant.length > 0) entries.push([`__tenant:${tenant}`, inTenant])
  }
  for (const key of [...INSTANCES].sort()) {
    const [onInstance, inTenant] = [allowed(undefined, key), allowed(key.slice(0, key.lastIndexOf('-')))]
    if (`hello:${key}` === on || onInstance.join() !== inTenant.join()) entries.push([`hello:${key}`, onInstance])
  }
  return entries
}

/** All keys, in pages of two. */
function join(list: (page: PageQuery) => KeyPage): string[] {
  const keys: string[] = []
  for (let after: string | undefined; ; ) {
    const page = list({ after, limit: 2 })
    keys.push(...page.keys)
    if (page.next === undefined) return keys
    after = page.next
  }
}

const sides = [...Object.keys(USER_SIDES), '__autogen_viewer', '__autogen_admin']

describe('the instances of a user and the users of an action', () => {
  it.each(sides)('[D12] are those that checks allow, where a rule holds %s', (users) => {
    for (const resources of [...Object.keys(RESOURCE_SIDES), '__autogen_hello']) {
      const image = build(users, resources)
      const { listings } = image
      for (const action of ACTIONS) {
        for (const tenant of [undefined, ...TENANTS, 'acme', 'unknown']) {
          const about = { type: 'hello', key: undefined, tenant, sent: SENT }
          const allowed = [...INSTANCES].sort().filter((key) => {
            const isWanted = tenant === undefined || key.slice(0, key.lastIndexOf('-')) === tenant
            return isWanted && image.check(USER, action, 'hello', undefined, key, SENT)
          })
          const found = join((page) => listings.resources(USER, action, about, page))
          expect([resources, action, tenant, found]).toEqual([resources, action, tenant, allowed])
        }
        for (const key of [undefined, ...INSTANCES]) {
          const allowed = ['ana', 'ben', USER].filter((user) =>
            image.check(user, action, 'hello', undefined, key, SENT),
          )
          const about = { type: 'hello', key, tenant: undefined, sent: SENT }
          const found = join((page) => listings.users(action, about, page))
          expect([resources, action, key, found]).toEqual([resources, action, key, allowed])
        }
      }
    }
  })
})

describe('the permissions of a user', () => {
  it.each(sides)('[D12] are what checks say, where a rule holds %s', (users) => {
    for (const resources of [...Object.keys(RESOURCE_SIDES), '__autogen_hello']) {
      const image = build(users, resources)
      const expected = entriesByChecks(image)
      for (const reading of READINGS) {
        const found = permissionRows(image, USER, SENT, reading).map(([name, { permissions }]) => [name, permissions])
        expect([resources, reading, found]).toEqual([resources, reading, expected])
      }
      for (const tenants of [['third'], ['default', 'other', 'unknown']]) {
        const whole = expected.filter(([name]) => tenants.some((tenant) => findTenant(name) === tenant))
        const found = permissionRows(image, USER, SENT, {}, { tenants }).map(([name, { permissions }]) => [
          name,
          permissions,
        ])
        expect([resources, tenants, found]).toEqual([resources, tenants, whole])
      }
    }
  })
})
