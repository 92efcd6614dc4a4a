// Every call of the first API version that clients make, and the same object read by the second. An environment key
// acts on its environment, the key of the organization on the environment of what is outside of environments.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from '../management/harness.ts'

let api: Harness
let key: string
beforeAll(async () => {
  api = await joinHarness({})
  key = api.made.environments[0]?.secret ?? ''
})
afterAll(() => api.close())

const HEX = /^[0-9a-f]{32}$/
type Method = Parameters<Harness['ask']>[0]
const v1 = (method: Method, path: string, body?: unknown) => api.ask(method, `/v1/${path}`, body, { key })
const v2 = async (path: string) => (await api.ask('GET', path)).body

describe('users of v1', () => {
  it('are made by PUT, and are users of the environment of the key', async () => {
    const sent = { key: 'eva@example.com', firstName: 'Eva', lastName: 'Roth', email: 'eva@example.com' }
    const { status, body, headers } = await v1('PUT', 'users', { ...sent, attributes: { team: 'blue' } })
    expect([status, headers['x-revision']]).toEqual([200, expect.stringMatching(/^\d+$/)])
    const model = { customId: 'eva@example.com', firstName: 'Eva', lastName: 'Roth', email: 'eva@example.com' }
    const organizationId = api.made.organization.id
    const whole = {
      id: expect.stringMatching(HEX),
      ...model,
      attributes: { team: 'blue' },
      organizationId,
      tenantIds: [],
    }
    expect(body).toEqual(whole)
    expect((await v1('GET', 'users/eva@example.com')).body).toEqual(whole)
    expect((await v1('GET', `users/${body.id}`)).body).toEqual(whole)
    expect(await v2('$F/users/eva@example.com')).toMatchObject({
      id: body.id,
      key: 'eva@example.com',
      first_name: 'Eva',
      last_name: 'Roth',
      email: 'eva@example.com',
      attributes: { team: 'blue' },
    })
  })

  it('keep by PUT what it does not name: fields, attributes, roles on instances', async () => {
    await api.ask('POST', '$S/resources/hello/roles', { key: 'owner', permissions: ['say'] })
    await api.ask('PUT', '$F/users/mia', { email: 'mia@example.com', attributes: { blocked: true, level: 1 } })
    await api.ask('POST', '$F/users/mia/roles', { role: 'owner', resource_instance: 'hello:mine', tenant: 'default' })
    await api.ask('POST', '$F/users/mia/roles', { role: 'viewer' })
    expect((await v1('PUT', 'users', { customId: 'mia', firstName: 'Mia', attributes: { level: 2 } })).status).toBe(200)
    const user = await v2('$F/users/mia')
    expect(user).toMatchObject({ email: 'mia@example.com', first_name: 'Mia', attributes: { blocked: true, level: 2 } })
    expect(user.roles).toEqual([{ role: 'viewer', tenant: 'default' }])
    const { status, body } = await v1('PUT', 'users', { key: 'mia', roles: [{ role: 'admin', tenant: 'default' }] })
    expect([status, body.tenantIds]).toEqual([200, ['default']])
    const held = (await v2('$F/role_assignments?user=mia')) as { role: string; resource_instance: string | null }[]
    expect(held.map(({ role, resource_instance }) => [role, resource_instance]).toSorted()).toEqual([
      ['admin', null],
      ['owner', 'hello:mine'],
    ])
    await v1('PUT', 'users', { key: 'mia', roles: [] })
    expect((await v2('$F/users/mia')).roles).toEqual([])
  })

  it('are listed with the URL of the list, all at once or in pages', async () => {
    const { status, body } = await v1('GET', 'users')
    expect([status, Object.keys(body), body.url]).toEqual([200, ['url', 'data'], '/v1/users'])
    const all = body.data.map(({ customId }: { customId: string }) => customId)
    expect(all).toEqual((await v2('$F/users?per_page=100')).data.map((user: { key: string }) => user.key))
    const second = await v1('GET', 'users?page=2&per_page=1')
    expect(second.body.data.map(({ customId }: { customId: string }) => customId)).toEqual([all[1]])
  })

  it('are deleted', async () => {
    await v1('PUT', 'users', { key: 'leaver' })
    expect((await v1('DELETE', 'users/leaver')).status).toBe(204)
    expect((await v1('GET', 'users/leaver')).status).toBe(404)
    expect((await api.ask('GET', '$F/users/leaver')).status).toBe(404)
    expect((await v1('DELETE', 'users/leaver')).status).toBe(404)
  })
})

describe('tenants of v1', () => {
  it('are made, changed, read, listed and deleted', async () => {
    const made = await v1('PUT', 'tenants', { externalId: 'acme', name: 'Acme', description: 'who buys' })
    const organizationId = api.made.organization.id
    const model = { externalId: 'acme', name: 'Acme', description: 'who buys', settings: {}, organizationId }
    expect([made.status, made.body]).toEqual([200, { id: expect.stringMatching(HEX), ...model }])
    expect((await v1('GET', 'tenants/acme')).body).toEqual(made.body)
    expect(await v2('$F/tenants/acme')).toMatchObject({ id: made.body.id, name: 'Acme', attributes: null })
    await api.ask('PATCH', '$F/tenants/acme', { attributes: { plan: 'gold' } })
    expect((await v1('PATCH', 'tenants/acme', { name: 'Acme Ltd' })).body).toEqual({ ...made.body, name: 'Acme Ltd' })
    expect((await v1('PUT', 'tenants', { externalId: 'acme', name: 'ACME' })).body.id).toBe(made.body.id)
    expect(await v2('$F/tenants/acme')).toMatchObject({
      name: 'ACME',
      description: 'who buys',
      attributes: { plan: 'gold' },
    })
    const { data } = (await v1('GET', 'tenants')).body
    expect(data.map((one: { externalId: string }) => one.externalId)).toEqual(['default', 'acme'])
    expect((await v1('DELETE', `tenants/${made.body.id}`)).status).toBe(204)
    expect((await api.ask('GET', '$F/tenants/acme')).status).toBe(404)
  })
})

describe('roles and assignments of v1', () => {
  it('roles have their permissions as objects, and keep attributes and settings', async () => {
    const hello = await v2('$S/resources/hello')
    const sent = { name: 'greeter', description: 'says', attributes: { a: 1 }, settings: { b: 2 } }
    const permissions = ['hello:say', { actionId: hello.actions.wave.id }]
    const { status, body } = await v1('POST', 'roles', { ...sent, permissions })
    const permission = (action: string) => {
      const { id } = hello.actions[action]
      return { id, name: `hello:${action}`, scope: null, resourceId: hello.id, actionId: id }
    }
    const model = { ...sent, isBuiltIn: false, permissions: [permission('say'), permission('wave')] }
    expect([status, body]).toEqual([200, { id: expect.stringMatching(HEX), ...model }])
    expect((await v1('GET', 'roles/greeter')).body).toEqual(body)
    expect((await v1('GET', `roles/${body.id}`)).body).toEqual(body)
    const role = { key: 'greeter', name: 'greeter', permissions: ['hello:say', 'hello:wave'], attributes: null }
    expect(await v2('$S/roles/greeter')).toMatchObject({
      ...role,
      v1compat_attributes: { a: 1 },
      v1compat_settings: { b: 2 },
    })
    await api.ask('PUT', '$S/roles/greeter', { description: 'by v2' })
    expect((await v1('GET', 'roles/greeter')).body).toMatchObject({ description: 'by v2', settings: { b: 2 } })
    const { data } = (await v1('GET', 'roles')).body
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['admin', 'viewer', 'greeter'])
    expect((await v1('POST', 'roles', sent)).status).toBe(409)
  })

  it('an assignment names role, user and scope; taking it away answers with it', async () => {
    await v1('PUT', 'tenants', { externalId: 'branch' })
    await v1('PUT', 'users', { key: 'tom' })
    const { status, body } = await v1('POST', 'role_assignments', { role: 'viewer', user: 'tom', scope: 'branch' })
    const role = (await v1('GET', 'roles/viewer')).body
    expect([status, body]).toEqual([200, { id: expect.stringMatching(HEX), role, user: 'tom', scope: 'branch' }])
    const [assignment] = await v2('$F/role_assignments?user=tom')
    expect(assignment).toMatchObject({ id: body.id, role: 'viewer', tenant: 'branch', resource_instance: null })
    await v1('POST', 'role_assignments', { role: 'admin', user: 'tom', scope: 'default' })
    const list = async (query: string) => (await v1('GET', `role_assignments?${query}`)).body
    expect(await list('user=tom&tenant=branch')).toEqual({ url: '/v1/role_assignments', data: [body] })
    expect((await list('user=tom')).data.map(({ scope }: { scope: string }) => scope)).toEqual(['branch', 'default'])
    expect((await list('user=tom&role=admin')).data).toHaveLength(1)
    expect((await list('tenant=branch')).data).toHaveLength(1)
    expect((await list('user=nobody')).data).toEqual([])
    expect((await v1('POST', 'role_assignments', { role: 'viewer', user: 'tom', scope: 'branch' })).status).toBe(409)
    const gone = await v1('DELETE', 'role_assignments?role=viewer&user=tom&scope=branch')
    expect([gone.status, gone.body]).toEqual([200, body])
    expect((await v1('DELETE', 'role_assignments?role=viewer&user=tom&scope=branch')).status).toBe(404)
    expect((await list('user=tom&tenant=branch')).data).toEqual([])
  })
})

describe('resources of v1', () => {
  it('several by their type: made or changed, and what v1 does not name stays', async () => {
    const actions = { read: { title: 'Read', path: '/documents/:id' }, print: {} }
    const first = await v1('PUT', 'resources', {
      resources: [{ type: 'document', description: 'text', attributes: { a: 1 }, actions }],
    })
    expect([first.status, first.body.url]).toEqual([200, '/v1/resources'])
    const action = (name: string, of: object) => ({
      id: expect.stringMatching(HEX),
      name,
      title: name,
      description: null,
      path: null,
      attributes: {},
      permissionName: `document:${name}`,
      isBuiltIn: false,
      ...of,
    })
    const model = {
      type: 'document',
      name: 'document',
      path: null,
      description: 'text',
      attributes: { a: 1 },
      isBuiltIn: false,
    }
    expect(first.body.data).toEqual([
      {
        id: expect.stringMatching(HEX),
        ...model,
        actions: [action('read', { title: 'Read', path: '/documents/:id' }), action('print', {})],
      },
    ])
    const before = await v2('$S/resources/document')
    expect(before).toMatchObject({
      type_attributes: { a: 1 },
      actions: { read: { name: 'Read', v1compat_path: '/documents/:id', v1compat_name: 'read' } },
    })
    const kept = { attributes: { size: { type: 'number' } }, roles: { owner: { permissions: ['read'] } } }
    await api.ask('PATCH', '$S/resources/document', { ...kept, relations: { parent: 'document' } })
    await api.ask('POST', '$S/roles', { key: 'reader', permissions: ['document:read'] })
    await v1('PUT', 'resources', {
      resources: [{ type: 'document', attributes: { b: 2 }, actions: { print: { title: 'Print' } } }],
    })
    const after = await v2('$S/resources/document')
    expect(after.type_attributes).toEqual({ a: 1, b: 2 })
    expect(after.actions.read).toEqual(before.actions.read)
    expect(after.actions.print.name).toBe('Print')
    expect([Object.keys(after.attributes), Object.keys(after.roles), Object.keys(after.relations)]).toEqual([
      ['size'],
      ['owner'],
      ['parent'],
    ])
    expect((await v2('$S/roles/reader')).permissions).toEqual(['document:read'])
  })

  it('one by its name, with a list of actions, then further actions one by one', async () => {
    const sent = { name: 'task', type: 'rest', path: '/tasks', description: 'work', attributes: {} }
    const { status, body } = await v1('PUT', 'resources/task', { ...sent, actions: [{ name: 'list', path: '/tasks' }] })
    expect([status, body]).toEqual([
      200,
      { id: expect.stringMatching(HEX), ...sent, isBuiltIn: false, actions: [expect.anything()] },
    ])
    const action = await v1('PUT', `resources/${body.id}/actions`, {
      name: 'close',
      title: 'Close',
      attributes: { verb: 'post' },
    })
    expect(action.body).toMatchObject({
      name: 'close',
      title: 'Close',
      permissionName: 'task:close',
      attributes: { verb: 'post' },
    })
    expect((await v1('PUT', `resources/task/actions`, { name: 'close', description: 'done' })).body.id).toBe(
      action.body.id,
    )
    // a client that starts again sends the resource without its actions
    expect((await v1('PUT', 'resources/task', { ...sent, actions: [] })).body.actions).toHaveLength(2)
    expect(await v2('$S/resources/task')).toMatchObject({
      v1compat_type: 'rest',
      v1compat_path: '/tasks',
      v1compat_name: 'task',
      actions: {
        list: { v1compat_path: '/tasks' },
        close: { name: 'Close', description: 'done', attributes: { verb: 'post' } },
      },
    })
    const { body: one } = await api.ask('PUT', '$S/resources/task', { description: 'by v2', actions: { list: {} } })
    expect([one.v1compat_path, one.actions.list.v1compat_path]).toEqual(['/tasks', '/tasks'])
  })
})

describe('every answer of v1', () => {
  it('says that the version is deprecated and where the way out is described', async () => {
    for (const [method, path, of, options] of [
      ['GET', '/v1/users', undefined, { key }],
      ['GET', '/v1/users/nobody', undefined, { key }],
      ['PUT', '/v1/users', { nonsense: 1 }, { key }],
      ['PUT', '/v1/users', {}, { key: 'wrong' }],
      ['DELETE', '/v1/tenants/nothing', undefined, { key: null }],
    ] as const) {
      const { headers } = await api.ask(method, path, of, options)
      expect(headers.deprecation, path).toMatch(/^@\d{10}$/)
      expect(headers.link, path).toBe('</docs/migration>; rel="deprecation"; type="text/markdown"')
    }
    expect((await api.ask('GET', '$F/users')).headers).not.toHaveProperty('deprecation')
    const guide = await api.ask('GET', '/docs/migration', undefined, { key: null })
    expect([guide.status, guide.headers['content-type']]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect(guide.body).toContain('v1compat_global_env')
  })

  it('takes the header of an old PDP', async () => {
    const headers = { 'x-include-patch': 'true' }
    expect((await api.ask('PUT', '/v1/users', { key: 'patched' }, { key, headers })).status).toBe(200)
  })

  it('to a login into embedded pages is as that of v2: no host is configured', async () => {
    const login = (userId: string, tenantId: string) => v1('POST', 'embeddables/login', { userId, tenantId })
    expect((await login('ana', 'default')).status).toBe(400)
    expect((await login('nobody', 'default')).status).toBe(404)
    expect((await login('ana', 'nowhere')).status).toBe(404)
  })
})
