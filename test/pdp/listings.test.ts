// The listings of the library: their forms, filters and pages, what is refused, and that none is ever cut silently.
import { describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { isZerohopError, type PermissionPage } from '../../src/index.ts'
import type { ResourceRolePolicy } from '../../src/kinds/resource-role.ts'
import type { PolicyChange } from '../../src/log/delta.ts'
import {
  LISTING_PAGE_MAX,
  LISTING_WHOLE_WORK_MAX,
  LISTING_WORK_MAX,
  PERMISSIONS_ROWS_MAX,
  PERMISSIONS_WALK_MAX,
} from '../../src/model/limits.ts'
import { type JsonObject, tupleKey } from '../../src/model/objects.ts'
import { loadImage } from '../../src/pdp/pdp.ts'
import { ENVIRONMENT, makePosition } from '../support/deltas.ts'
import { give, HELLO, putTenant, putUser } from './policies.ts'

const code = (code: string) => expect.objectContaining({ code })
const makePdp = (changes: readonly PolicyChange[]) =>
  loadImage(Image.build(ENVIRONMENT, makePosition(7), changes).save())
const instance = (key: string, tenant: string, attributes?: JsonObject): PolicyChange => {
  return { op: 'put', kind: 'resource_instance', key, value: attributes ? { tenant, attributes } : { tenant } }
}
const set = (key: string, type: 'userset' | 'resourceset', conditions: JsonObject): PolicyChange => {
  const resource = type === 'userset' ? null : 'hello'
  return { op: 'put', kind: 'condition_set', key, value: { type, resource, conditions, parent: null } }
}
const rule = (user_set: string, permission: string, resource_set: string): PolicyChange => {
  const key = `${user_set}/${permission}/${resource_set}`
  return { op: 'put', kind: 'set_rule', key, value: { user_set, permission, resource_set } }
}

const OFF = { no_direct_roles_on_object: false }
/** The role of an instance of `hello` for who is a viewer of its folder. */
const READER: ResourceRolePolicy = {
  ...{ resource: 'hello', role: 'viewer', permissions: ['hello:wave'], extends: [] },
  granted_to: {
    when: OFF,
    users_with_role: [{ role: 'viewer', on_resource: 'folder', linked_by_relation: 'parent', when: OFF }],
  },
}
const heldOn = (resource_instance: string): PolicyChange => ({
  op: 'put',
  kind: 'role_assignment',
  key: `zoe/viewer/default/${resource_instance}`,
  value: { user: 'zoe', role: 'viewer', tenant: 'default', resource_instance },
})

const PLANS: readonly PolicyChange[] = [
  ...HELLO,
  { op: 'put', kind: 'tenant', key: 'acme', value: { attributes: { plan: 'gold' } } },
  instance('hello:a', 'default', { color: 'red' }),
  instance('hello:b', 'acme'),
  instance('hello:c', 'default'),
  set('mine', 'resourceset', { 'resource.owner': { equals: { ref: 'user.key' } } }),
  set('everybody', 'userset', {}),
  rule('everybody', 'hello:say', 'mine'),
  give('zoe', 'viewer', 'acme'),
]

describe('listings of the library', () => {
  const pdp = makePdp(PLANS)

  it('[D12] tell the permissions of a user, with what is stored about tenants and instances', () => {
    const acme = { key: 'acme', attributes: { plan: 'gold' } }
    expect(pdp.userPermissions('zoe')).toEqual({
      '__tenant:acme': { tenant: acme, permissions: ['hello:wave'], roles: ['viewer'] },
    })
    const owned = makePdp([...PLANS, instance('hello:a', 'acme', { owner: 'zoe', color: 'red' })]).userPermissions(
      'zoe',
    )
    expect(owned['hello:a']).toEqual({
      resource: { type: 'hello', key: 'a', attributes: { owner: 'zoe', color: 'red' } },
      tenant: acme,
      permissions: ['hello:say', 'hello:wave'],
      roles: [],
    })
  })

  it('filter the permissions of a user by tenants, types and instances', () => {
    const some = makePdp([...PLANS, instance('hello:a', 'acme', { owner: 'zoe' }), give('zoe', 'viewer')])
    const keys = (filter: Parameters<typeof some.userPermissions>[1]) =>
      Object.keys(some.userPermissions('zoe', filter))
    expect(keys({})).toEqual(['__tenant:acme', '__tenant:default', 'hello:a'])
    expect(keys({ tenants: ['acme'] })).toEqual(['__tenant:acme', 'hello:a'])
    expect(keys({ tenants: ['default'] })).toEqual(['__tenant:default'])
    expect(keys({ resourceTypes: ['hello'] })).toEqual(['hello:a'])
    expect(keys({ resourceTypes: ['__tenant'] })).toEqual(['__tenant:acme', '__tenant:default'])
    expect(keys({ resources: ['hello:a'] })).toEqual(['hello:a'])
    expect(keys({ resources: ['a', 'acme'] })).toEqual(['__tenant:acme', 'hello:a'])
    expect(keys({ resources: ['__tenant:acme'], tenants: null, resourceTypes: null })).toEqual(['__tenant:acme'])
    expect(keys({ resources: ['hello:c'] })).toEqual([])
  })

  it('[D8] send along what is sent with them', () => {
    expect(pdp.resources('ana', 'say', 'hello', { attributes: { owner: 'ana' } }).keys).toEqual(['a', 'b', 'c'])
    expect(pdp.resources('ben', 'say', 'hello').keys).toEqual([])
    expect(pdp.resources('ben', 'say', 'hello', { attributes: { owner: 'ben' }, tenant: 'acme' }).keys).toEqual(['b'])
    expect(pdp.users('say', { type: 'hello', key: 'c', attributes: { owner: 'zoe' } }).keys).toEqual(['ana', 'zoe'])
    expect(pdp.actions('ben', { type: 'hello', attributes: { owner: 'ben' } })).toEqual(['say', 'wave'])
    expect(pdp.tenants('ben', 'say', { type: 'hello', attributes: { owner: 'ben' } })).toEqual([
      { key: 'acme', attributes: { plan: 'gold' } },
      { key: 'default', attributes: {} },
    ])
    expect(pdp.authorizedUsers({ action: 'say', resource: 'hello' })).toEqual({
      resource: 'hello:*',
      tenant: 'default',
      users: { ana: [{ user: 'ana', tenant: 'default', resource: '__tenant:default', role: 'admin' }] },
    })
  })

  it('page through keys and assignments', () => {
    const first = pdp.resources('ana', 'wave', 'hello', { limit: 1 })
    expect(first).toEqual({ keys: ['a'], next: 'a' })
    expect(pdp.resources('ana', 'wave', 'hello', { limit: 1, after: 'a' })).toEqual({ keys: ['c'], next: undefined })
    expect(pdp.resources('ana', 'wave', 'hello', { after: 'zzz' })).toEqual({ keys: [], next: undefined })
    expect(pdp.resources('ana', 'wave', 'hello', { after: 'b' }).keys).toEqual(['c'])
    expect(pdp.users('wave', 'hello', { limit: 1, after: 'ana' })).toEqual({ keys: ['ben'], next: undefined })
    expect(pdp.roleAssignments({ user: 'zoe', page: 1, perPage: 5 })).toEqual([
      { user: 'zoe', role: 'viewer', tenant: 'acme' },
    ])
    expect(pdp.roleAssignments({ page: 2, perPage: 2 })).toEqual([{ user: 'zoe', role: 'viewer', tenant: 'acme' }])
  })

  it('refuse what is not a question, and name the wrong part', () => {
    const wrong: [() => unknown, string][] = [
      [() => pdp.resources('ana', 'say', 5 as never), 'type must be'],
      [() => pdp.resources('ana', 'say', 'hello', { limit: 0 }), 'limit must be'],
      [() => pdp.resources('ana', 'say', 'hello', { limit: 1.5 }), 'limit must be'],
      [() => pdp.resources('ana', 'say', 'hello', { after: 5 as never }), 'after must be'],
      [() => pdp.resources('ana', 'say', 'hello', { context: 'x' as never }), 'context must be'],
      [() => pdp.resources('ana', 'say', 'hello', { tenant: 5 as never }), 'resource.tenant must be'],
      [() => pdp.users(5 as never, 'hello'), 'action must be'],
      [() => pdp.actions(undefined as never, 'hello'), 'user must be'],
      [() => pdp.userPermissions('ana', { tenants: 'acme' as never }), 'tenants must be'],
      [() => pdp.roleAssignments({ page: 0, perPage: 5 }), 'page must be'],
      [() => pdp.roleAssignments({ page: 1, perPage: 5, user: 5 as never }), 'user must be'],
    ]
    for (const [ask, reason] of wrong) {
      expect(ask).toThrow(code('INPUT_INVALID'))
      expect(ask).toThrow(reason)
    }
  })

  it('answer or refuse hostile questions, and never break', () => {
    const hostile = ['', '\ud800', '__proto__', 'constructor', 'x'.repeat(100_000), 'hello:a', ':', 'ünknown']
    const cyclic: JsonObject = { owner: 'ana' }
    ;(cyclic as Record<string, unknown>).self = cyclic
    const throwing = Object.defineProperty({}, 'owner', {
      enumerable: true,
      get() {
        throw new Error('boom')
      },
    })
    for (const text of hostile) {
      expect(pdp.resources(text, text, text, { after: text, tenant: text }).keys).toEqual([])
      expect(pdp.users(text, text, { after: text }).keys).toEqual([])
      expect([pdp.actions(text, text), pdp.tenants(text, text, text), pdp.userTenants(text)]).toEqual([[], [], []])
      expect(
        Object.keys(pdp.userPermissions(text, { tenants: [text], resources: [text], resourceTypes: [text] })),
      ).toEqual([])
      expect(Object.keys(pdp.authorizedUsers({ action: text, resource: text }).users)).toEqual([])
      expect(pdp.roleAssignments({ user: text, role: text, page: 1, perPage: 5 })).toEqual([])
      expect(pdp.resources('ana', 'wave', 'hello', { after: text }).next).toBe(undefined)
    }
    expect(pdp.resources('ana', 'say', 'hello', { attributes: cyclic }).keys).toEqual(['a', 'b', 'c'])
    expect(() => pdp.resources('ben', 'say', 'hello', { attributes: throwing })).toThrow(code('INPUT_INVALID'))
    expect(() => pdp.resources('ben', 'say', 'hello', { attributes: { owner: Number.NaN } })).toThrow(
      code('NUMBER_INVALID'),
    )
  })

  it('are keyed by any name, in plain objects', () => {
    const odd = makePdp([
      ...HELLO,
      { op: 'put', kind: 'user', key: '__proto__', value: {} },
      give('__proto__', 'viewer'),
      putTenant('constructor'),
    ])
    const { users } = odd.authorizedUsers({ action: 'wave', resource: 'hello' })
    expect(Object.getPrototypeOf(users)).toBe(Object.prototype)
    expect(Object.getPrototypeOf(odd.userPermissions('ana'))).toBe(Object.prototype)
    expect(Object.keys(users).sort()).toEqual(['__proto__', 'ana', 'ben'])
    expect(Object.keys(odd.userPermissions('__proto__'))).toEqual(['__tenant:default'])
    expect(JSON.parse(JSON.stringify(odd.userPermissions('__proto__')))['__tenant:default'].roles).toEqual(['viewer'])
  })
})

describe('listings that are long', () => {
  /** More than one page looks at: 20 for each question about a record. */
  const MANY = LISTING_WORK_MAX / 20 + 5_000
  const keys = Array.from({ length: MANY }, (_, index) => `i${String(index).padStart(6, '0')}`)
  const few = [...keys.slice(0, 2), ...keys.slice(-2)]

  it('end a page when it has cost enough, and go on behind it: nothing is cut', () => {
    const pdp = makePdp([
      ...HELLO,
      set('seniors', 'userset', { 'user.level': { 'greater-than': 2 } }),
      set('open', 'resourceset', { 'resource.open': { equals: true } }),
      rule('seniors', 'hello:wave', 'open'),
      ...keys.map((key) => instance(`hello:${key}`, 'default', { open: few.includes(key) })),
    ])
    const found: string[][] = []
    let after: string | undefined
    do {
      const page = pdp.resources({ key: 'zoe', attributes: { level: 3 } }, 'wave', 'hello', { after: after ?? null })
      found.push(page.keys)
      after = page.next
    } while (after !== undefined)
    expect([found.length > 1, found[0], found.at(-1), found.flat()]).toEqual([true, few.slice(0, 2), few.slice(2), few])
  })

  it('are whole in one page when they are of one tenant, however many instances others have', () => {
    const pdp = makePdp([
      ...HELLO,
      give('zoe', 'viewer', 'acme'),
      ...keys.map((key) => instance(`hello:${key}`, few.includes(key) ? 'acme' : 'default')),
    ])
    expect(pdp.resources('zoe', 'wave', 'hello')).toEqual({ keys: few, next: undefined })
    expect(pdp.resources('zoe', 'wave', 'hello', { tenant: 'acme' })).toEqual({ keys: few, next: undefined })
    expect(pdp.resources('zoe', 'wave', 'hello', { tenant: 'default' })).toEqual({ keys: [], next: undefined })
  })

  it('do not ask about each instance when no rule looks at it', () => {
    const same = makePdp([
      ...HELLO,
      set('seniors', 'userset', { 'user.level': { 'greater-than': 2 } }),
      rule('seniors', 'hello:say', '__autogen_hello'),
      rule('__autogen_viewer', 'hello:wave', '__autogen_hello'),
      ...keys.map((key) => instance(`hello:${key}`, 'default')),
    ])
    expect(20 * 2 * keys.length).toBeGreaterThan(LISTING_WHOLE_WORK_MAX)
    expect(Object.keys(same.userPermissions('zoe'))).toEqual([])
    const senior = same.userPermissions({ key: 'zoe', attributes: { level: 3 } })
    expect(Object.entries(senior).map(([key, { permissions }]) => [key, permissions])).toEqual([
      ['__tenant:acme', ['hello:say']],
      ['__tenant:default', ['hello:say']],
    ])
    expect(same.resources('zoe', 'say', 'hello')).toEqual({ keys: [], next: undefined })
  })

  it('ask about instances only where the user side of a rule may hold', () => {
    const sided = makePdp([
      ...HELLO,
      give('zoe', 'viewer', 'acme'),
      set('seniors', 'userset', { 'user.level': { 'greater-than': 2 } }),
      set('low', 'resourceset', { 'resource.key': { 'starts-with': 'i00000' } }),
      rule('seniors', 'hello:say', 'low'),
      rule('seniors', 'hello:wave', 'low'),
      rule('__autogen_viewer', 'hello:say', 'low'),
      ...keys.map((key) => instance(`hello:${key}`, few.includes(key) ? 'acme' : 'default')),
    ])
    expect(20 * 2 * keys.length).toBeGreaterThan(LISTING_WHOLE_WORK_MAX)
    const rows = Object.entries(sided.userPermissions('zoe')).map(([key, { permissions }]) => [key, permissions])
    expect(rows).toEqual([
      ['__tenant:acme', ['hello:wave']],
      [`hello:${few[0]}`, ['hello:say', 'hello:wave']],
      [`hello:${few[1]}`, ['hello:say', 'hello:wave']],
    ])
    const asSenior = Object.keys(sided.userPermissions({ key: 'zoe', attributes: { level: 3 } }))
    expect(asSenior).toEqual(['__tenant:acme', ...keys.slice(0, 10).map((key) => `hello:${key}`)])
  })

  it('ask about users without a role only where the resource side of a rule may hold', () => {
    const users = Array.from({ length: LISTING_WHOLE_WORK_MAX / 16 }, (_, index) => `u${index}`)
    const open = makePdp([
      ...HELLO,
      give('zoe', 'viewer', 'acme'),
      set('everybody', 'userset', {}),
      set('public', 'resourceset', { 'resource.public': { equals: true } }),
      rule('everybody', 'hello:wave', 'public'),
      instance('hello:open', 'acme', { public: true }),
      instance('hello:shut', 'acme', { public: false }),
      ...users.map((key) => putUser(key)),
    ])
    const waving = (resource: string) => ({ action: 'wave', resource })
    expect(Object.keys(open.authorizedUsers(waving('hello:shut')).users)).toEqual(['zoe'])
    expect(open.users('wave', 'hello:shut')).toEqual({ keys: ['zoe'], next: undefined })
    expect(open.users('wave', 'hello:open').keys.length).toBe(LISTING_PAGE_MAX)
    expect(() => open.authorizedUsers(waving('hello:open'))).toThrow(code('LISTING_TOO_LARGE'))
  })

  it('look at as much as a rule needs, in several pages or at once', () => {
    const mine = few.map((key) => instance(`hello:${key}`, 'default', { owner: 'zoe' }))
    const ruled = makePdp([
      ...HELLO,
      set('everybody', 'userset', {}),
      set('mine', 'resourceset', { 'resource.owner': { equals: { ref: 'user.key' } } }),
      rule('everybody', 'hello:say', 'mine'),
      rule('everybody', 'hello:wave', 'mine'),
      ...keys.map((key) => instance(`hello:${key}`, 'default')),
      ...mine,
    ])
    expect(2 * 20 * keys.length).toBeGreaterThan(LISTING_WHOLE_WORK_MAX)
    const names = few.map((key) => `hello:${key}`)
    expect(Object.keys(ruled.userPermissions('zoe'))).toEqual(names)
    const pages: string[][] = []
    for (let after: string | null = null; ; ) {
      const page: PermissionPage = ruled.userPermissionsPage('zoe', { after })
      pages.push(Object.keys(page.permissions))
      if (page.next === undefined) break
      after = page.next
    }
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.flat()).toEqual(names)
    expect(ruled.userPermissions('zoe', { resourceTypes: ['__tenant'] })).toEqual({})
  })

  it('name the rows of a whole answer that are too many, and give them in pages', () => {
    const tenants = Array.from({ length: PERMISSIONS_ROWS_MAX + 1 }, (_, at) => `t${String(at).padStart(6, '0')}`)
    const wide = makePdp([
      ...HELLO,
      set('everybody', 'userset', {}),
      rule('everybody', 'hello:say', '__autogen_hello'),
      ...tenants.map((key) => putTenant(key)),
    ])
    const limit = `${PERMISSIONS_ROWS_MAX} rows`
    const refused = { code: 'LISTING_TOO_LARGE', details: expect.objectContaining({ limit }) }
    expect(() => wide.userPermissions('zoe')).toThrow(expect.objectContaining(refused))
    const { permissions, next } = wide.userPermissionsPage('zoe', { limit: 2 })
    expect([Object.keys(permissions), next]).toEqual([['__tenant:acme', '__tenant:default'], '__tenant:default'])
    const last = wide.userPermissionsPage('zoe', { after: `__tenant:${tenants.at(-2)}` })
    expect([Object.keys(last.permissions), last.next]).toEqual([[`__tenant:${tenants.at(-1)}`], undefined])
  })

  it('find the roles of a user who has very many, whole and in pages', () => {
    const folder = { resource: 'folder', role: 'viewer', permissions: [], extends: [], granted_to: null }
    const pdp = makePdp([
      ...HELLO,
      { op: 'put', kind: 'resource', key: 'folder', value: { actions: ['open'] } },
      { op: 'put', kind: 'resource_role', key: 'folder/viewer', value: folder },
      { op: 'put', kind: 'resource_role', key: 'hello/viewer', value: READER },
      instance('folder:top', 'default'),
      heldOn('folder:top'),
      ...keys.map((key) => instance(`hello:${key}`, 'default')),
      ...keys.map((key): PolicyChange => {
        const value = { subject: 'folder:top', relation: 'parent', object: `hello:${key}` }
        return { op: 'put', kind: 'relationship_tuple', key: tupleKey('folder:top', 'parent', value.object), value }
      }),
    ])
    expect(2 * keys.length).toBeGreaterThan(PERMISSIONS_WALK_MAX)
    const whole = pdp.userPermissions('zoe')
    expect(Object.keys(whole)).toEqual(['folder:top', ...keys.map((key) => `hello:${key}`)])
    expect(whole[`hello:${keys.at(-1)}`]).toMatchObject({ roles: ['viewer'], permissions: ['hello:wave'] })
    const page = pdp.userPermissionsPage('zoe', { after: `hello:${keys.at(-2)}` })
    expect(page).toEqual({ permissions: { [`hello:${keys.at(-1)}`]: whole[`hello:${keys.at(-1)}`] }, next: undefined })
  })
})

describe('a listing with a question that could not be decided', () => {
  /** Far more ways up than one check looks at. */
  const folders = Array.from({ length: 9_000 }, (_, index) => `folder:f${index}`)
  const pdp = makePdp([
    ...HELLO,
    { op: 'put', kind: 'resource', key: 'folder', value: { actions: ['wave'] } },
    {
      op: 'put',
      kind: 'resource_role',
      key: 'folder/viewer',
      value: { resource: 'folder', role: 'viewer', permissions: [], extends: [], granted_to: null },
    },
    {
      op: 'put',
      kind: 'resource_role',
      key: 'hello/viewer',
      value: READER,
    },
    ...folders.map((key) => instance(key, 'default')),
    instance('hello:deep', 'default'),
    ...folders.map((subject): PolicyChange => {
      const value = { subject, relation: 'parent', object: 'hello:deep' }
      return { op: 'put', kind: 'relationship_tuple', key: tupleKey(subject, 'parent', 'hello:deep'), value }
    }),
    heldOn('folder:f0'),
  ])

  it('[D13] fails as a whole and names the question', () => {
    const what = (ask: () => unknown): unknown => {
      try {
        return ask()
      } catch (error) {
        return isZerohopError(error, 'UNDECIDED') ? error.details.what : error
      }
    }
    const named = 'zoe wave hello:deep in default'
    expect(what(() => pdp.resources('zoe', 'wave', 'hello'))).toBe(named)
    expect(what(() => pdp.actions('zoe', 'hello:deep'))).toBe(named)
    expect(what(() => pdp.users('wave', 'hello:deep'))).toBe(named)
    expect(what(() => pdp.userPermissions('zoe'))).toBe(named)
    expect(what(() => pdp.tenants('zoe', 'wave', 'hello:deep'))).toBe(named)
    expect(what(() => pdp.authorizedUsers({ action: 'wave', resource: 'hello:deep' }))).toBe(named)
    expect(pdp.resources('ana', 'wave', 'hello').keys).toEqual(['deep'])
  })
})
