// What every collection does with fields, keys and bounds: the one mechanism in src/management/rules/collection.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useCases } from '../../src/management/host/registry.ts'
import {
  ACTIONS_PER_RESOURCE_MAX,
  ASSIGNMENTS_MAX,
  ASSIGNMENTS_PER_REQUEST_MAX,
  ATTRIBUTES_BYTES_MAX,
  ATTRIBUTES_PER_RESOURCE_MAX,
  DESCRIPTION_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  KEY_BYTES_MAX,
  NAME_LENGTH_MAX,
  RESOURCES_MAX,
  ROLES_MAX,
  ROLES_PER_GRANT_MAX,
  TENANTS_MAX,
  USERS_MAX,
} from '../../src/model/limits.ts'
import type { UseCase, View } from '../../src/store/view.ts'
import { type ManagementData, openManagementData } from './harness.ts'

describe('objects', () => {
  let management: ManagementData
  beforeAll(async () => {
    management = await openManagementData()
  })
  afterAll(() => management.close())

  it('have a name, which is the key unless one is sent', async () => {
    expect((await management.run('createTenant', { key: 'n1' })).name).toBe('n1')
    expect((await management.run('createTenant', { key: 'n2', name: 'Two' })).name).toBe('Two')
    expect((await management.run('createTenant', { key: 'n3', name: '' })).name).toBe('')
    expect((await management.run('createTenant', { key: 'n4', name: null })).name).toBe('n4')
  })

  it('PATCH changes what is sent, and null clears', async () => {
    await management.run('createTenant', { key: 'p1', name: 'One', description: 'first', attributes: { a: 1 } })
    const renamed = await management.run('updateTenant', { ref: 'p1', fields: { name: 'Uno' } })
    expect(renamed).toMatchObject({ name: 'Uno', description: 'first', attributes: { a: 1 } })
    const cleared = await management.run('updateTenant', {
      ref: 'p1',
      fields: { name: null, description: null, attributes: null },
    })
    expect(cleared).toMatchObject({ name: 'p1', description: null, attributes: null })
  })

  it('PUT resets what is not sent, and keeps id and age', async () => {
    const before = await management.run('createRole', {
      key: 'q1',
      name: 'One',
      description: 'first',
      attributes: { a: 1 },
    })
    const after = await management.run('replaceRole', { ref: 'q1', fields: { description: 'second' } })
    expect(after).toMatchObject({ id: before.id, created_at: before.created_at, name: 'q1', description: 'second' })
    expect(after).toMatchObject({ attributes: null, permissions: [], extends: [] })
  })

  it('a write that changes nothing makes no revision', async () => {
    await management.run('createUser', { key: 'same', email: 'a@b.cd', attributes: { list: [1, { x: null }] } })
    const before = management.revision()
    const fields = { email: 'a@b.cd', attributes: { list: [1, { x: null }] } }
    await management.run('replaceUser', { ref: 'same', fields })
    await management.run('updateUser', { ref: 'same', fields })
    await management.run('updateUser', { ref: 'same', fields: {} })
    expect(management.revision()).toBe(before)
  })

  it('a key in a PUT must be that of the object', async () => {
    const { id } = await management.run('createTenant', { key: 'k1' })
    await management.run('replaceTenant', { ref: id, fields: { key: 'k1', name: 'One' } })
    const other = management.run('replaceTenant', { ref: id, fields: { key: 'k2' } })
    await expect(other).rejects.toMatchObject({ code: 'KEY_MISMATCH', path: ['body', 'key'] })
  })

  it('are found by id in every form, and by keys that only look like an id', async () => {
    const { id } = await management.run('createTenant', { key: 'i1' })
    const dashed = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase()
    expect((await management.run('updateTenant', { ref: dashed, fields: { name: 'found' } })).key).toBe('i1')
    const like = '00000000-0000-0000-0000-00000000abcd'
    expect((await management.run('createTenant', { key: like })).key).toBe(like)
    expect((await management.run('updateTenant', { ref: like, fields: {} })).key).toBe(like)
  })

  it('may not take a key that is the id of another object of the type', async () => {
    const { id } = await management.run('createTenant', { key: 'j1' })
    await expect(management.run('createTenant', { key: id })).rejects.toMatchObject({ code: 'KEY_IS_ID' })
    await expect(management.run('createRole', { key: id })).resolves.toBeDefined()
  })

  it('take `__proto__`, `constructor` and `toString` as keys like any other', async () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      await management.run('createResource', {
        key,
        actions: JSON.parse(`{"${key}":{}}`),
        attributes: JSON.parse(`{"${key}":{"type":"string"}}`),
      })
      await management.run('createRole', {
        key,
        permissions: [`${key}:${key}`],
        attributes: JSON.parse(`{"${key}":"x"}`),
      })
      await management.run('createTenant', { key })
      await management.run('createUser', { key, role_assignments: [{ role: key, tenant: key }] })
      const view = management.view()
      expect(view.get('role', key)?.permissions).toEqual([`${key}:${key}`])
      expect(JSON.stringify(view.get('role', key)?.attributes)).toBe(`{"${key}":"x"}`)
      expect(view.get('resource', key)?.actions.map((action) => action.key)).toEqual([key])
      expect(view.get('role_assignment', `${key}/${key}/${key}`)).toBeDefined()
    }
  })

  it.each([
    ['createRole', { key: 'a b' }],
    ['createRole', { key: 'a:b' }],
    ['createRole', { key: '' }],
    ['createTenant', { key: 'ü' }],
    ['createTenant', { key: 'a@b' }],
    ['createTenant', { key: 'a\n' }],
    ['createUser', { key: 'a/b' }],
    ['createUser', { key: 'a\u0000' }],
    ['createResource', { key: 'a.b' }],
    ['createResource', { key: 'ok', actions: { 'no way': {} } }],
    ['createResource', { key: 'ok', attributes: { 'no:way': { type: 'bool' } } }],
  ] as const)('%s refuses a key outside the alphabet: %j', async (name, input) => {
    await expect(management.run(name, input as never)).rejects.toMatchObject({ code: 'KEY_INVALID' })
  })

  it('user keys have a wider alphabet', async () => {
    expect((await management.run('createUser', { key: 'auth0|a.b+c@d-e_F9' })).key).toBe('auth0|a.b+c@d-e_F9')
  })

  it('keys that `__user` and `__tenant` begin are reserved for resources, and `type` for attributes', async () => {
    for (const key of ['__user', '__tenant', '__users']) {
      await expect(management.run('createResource', { key })).rejects.toMatchObject({ code: 'KEY_RESERVED' })
    }
    const typed = management.run('createResource', { key: 'typed', attributes: { type: { type: 'string' } } })
    await expect(typed).rejects.toMatchObject({ code: 'KEY_RESERVED', path: ['body', 'attributes', 'type'] })
    await management.run('createRole', { key: '__user' })
  })

  it('refuse a second object of the same key, and allow it in another type', async () => {
    await management.run('createRole', { key: 'twice' })
    await expect(management.run('createRole', { key: 'twice' })).rejects.toMatchObject({ code: 'OBJECT_EXISTS' })
    await management.run('createTenant', { key: 'twice' })
  })

  it('parts keep their id while their key stays', async () => {
    const first = await management.run('createResource', { key: 'parts', actions: { a: {}, b: { name: 'B' } } })
    const second = await management.run('replaceResource', {
      ref: 'parts',
      fields: { actions: { b: { name: 'Bee' }, c: {} } },
    })
    expect(second.actions.map(({ key, name }) => [key, name])).toEqual([
      ['b', 'Bee'],
      ['c', 'c'],
    ])
    expect(second.actions[0]?.id).toBe(first.actions[1]?.id)
  })
})

describe('bounds, at the limit and one beyond', () => {
  let management: ManagementData
  beforeAll(async () => {
    management = await openManagementData()
  })
  afterAll(() => management.close())
  const refused = (write: Promise<unknown>, code = 'LIMIT_EXCEEDED') => expect(write).rejects.toMatchObject({ code })

  it('keys', async () => {
    await management.run('createUser', { key: 'u'.repeat(KEY_BYTES_MAX) })
    await refused(management.run('createUser', { key: 'u'.repeat(KEY_BYTES_MAX + 1) }), 'KEY_TOO_LONG')
  })

  it('names, descriptions and email addresses', async () => {
    await management.run('createTenant', {
      key: 't',
      name: 'n'.repeat(NAME_LENGTH_MAX),
      description: 'd'.repeat(DESCRIPTION_LENGTH_MAX),
    })
    await refused(management.run('createTenant', { key: 't2', name: 'n'.repeat(NAME_LENGTH_MAX + 1) }))
    await refused(management.run('createTenant', { key: 't2', description: 'd'.repeat(DESCRIPTION_LENGTH_MAX + 1) }))
    const email = (length: number) => `${'e'.repeat(length - 5)}@b.cd`
    await management.run('createUser', { key: 'e', email: email(EMAIL_LENGTH_MAX) })
    await refused(management.run('createUser', { key: 'e2', email: email(EMAIL_LENGTH_MAX + 1) }), 'EMAIL_INVALID')
  })

  it('attributes in bytes', async () => {
    const bag = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
    await management.run('createUser', { key: 'bag', attributes: bag(ATTRIBUTES_BYTES_MAX) })
    await refused(management.run('createUser', { key: 'bag2', attributes: bag(ATTRIBUTES_BYTES_MAX + 1) }))
  })

  it('actions and attributes of a resource', async () => {
    const many = (count: number, value: object) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, value]))
    await management.run('createResource', { key: 'big', actions: many(ACTIONS_PER_RESOURCE_MAX, {}) })
    await refused(management.run('createAction', { resource: 'big', action: { key: 'one-more' } }))
    await refused(management.run('createResource', { key: 'bigger', actions: many(ACTIONS_PER_RESOURCE_MAX + 1, {}) }))
    const typed = { type: 'bool' } as const
    const attributes = many(ATTRIBUTES_PER_RESOURCE_MAX, typed) as Record<string, typeof typed>
    await management.run('createResource', { key: 'wide', attributes })
    await refused(management.run('createAttribute', { resource: 'wide', attribute: { key: 'one-more', ...typed } }))
  })

  it('roles in one request', async () => {
    await management.run('createRole', { key: 'r' })
    const roles = (count: number) => Array.from({ length: count }, () => ({ role: 'r' }))
    await management.run('createUser', { key: 'many', role_assignments: roles(ASSIGNMENTS_PER_REQUEST_MAX) })
    await refused(
      management.run('createUser', { key: 'more', role_assignments: roles(ASSIGNMENTS_PER_REQUEST_MAX + 1) }),
    )
  })

  it('roles of one user in one tenant', async () => {
    const keys = Array.from({ length: ROLES_PER_GRANT_MAX + 1 }, (_, at) => `g${at}`)
    await Promise.all(keys.map((key) => management.run('createRole', { key })))
    const role_assignments = keys.slice(1).map((role) => ({ role }))
    await management.run('createUser', { key: 'full', role_assignments })
    await refused(management.run('assign', { user: 'full', role: 'g0' }))
    await refused(
      management.run('addTenantUser', { tenant: 'default', user: { key: 'full', role_assignments: [{ role: 'g0' }] } }),
    )
    await management.run('unassign', { user: 'full', role: 'g1' })
    await management.run('assign', { user: 'full', role: 'g0' })
  })

  it.each([
    ['createRole', { key: 'k' }, ROLES_MAX],
    ['createResource', { key: 'k' }, RESOURCES_MAX],
    ['createUser', { key: 'k' }, USERS_MAX],
    ['createTenant', { key: 'k' }, TENANTS_MAX],
    ['assign', { user: 'u', role: 'r' }, ASSIGNMENTS_MAX],
  ] as const)('%s of one object too many', (name, input, limit) => {
    const mint = { id: () => '0'.repeat(32), now: 0, secret: () => '' }
    const object = { id: '1', key: 'x', actions: [] }
    const view = (count: number) =>
      ({
        count: () => count,
        countBy: () => 0,
        get: () => undefined,
        find: () => undefined,
        require: () => object,
        refuse: () => {},
        list: () => [],
      }) as unknown as View
    const run = (count: number) => (useCases[name] as UseCase)(view(count), input as never, mint)
    expect(run(limit - 1).changes.length).toBeGreaterThan(0)
    expect(() => run(limit)).toThrow(
      expect.objectContaining({ code: 'LIMIT_EXCEEDED', details: { what: expect.any(String), limit } }),
    )
  })

  it.each(['plain', 'a@b', '@b.cd', 'a@', 'a b@c.de', 'a@b..cd', 'a@@b.cd', ''])(
    '`%s` is no email address',
    async (email) => {
      await refused(management.run('createUser', { key: 'mail', email }), 'EMAIL_INVALID')
    },
  )

  it('[D9] numbers that cannot be kept exactly, and half surrogate pairs', async () => {
    const bad = async (value: never, code: string) => {
      await refused(management.run('createUser', { key: 'exact', attributes: { deep: [{ value }] } }), code)
    }
    await bad((2 ** 53) as never, 'NUMBER_INVALID')
    await bad(Number.POSITIVE_INFINITY as never, 'NUMBER_INVALID')
    await bad('\ud800' as never, 'TEXT_INVALID')
    await refused(management.run('createUser', { key: 'exact', first_name: '\udc00' }), 'TEXT_INVALID')
    const attributes = { a: 2 ** 53 - 1, b: -(2 ** 53 - 1), c: 0.1, d: '😀' }
    expect((await management.run('createUser', { key: 'exact', attributes })).attributes).toEqual(attributes)
  })
})
