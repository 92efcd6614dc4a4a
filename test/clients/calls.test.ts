// Every call of the published client that has a route today, beyond those of the story: what it sends is accepted, what
// it gets it can read, and the PDP decides by it.
import { Permit, PermitApiError } from 'permitio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'
import { serveHere } from '../support/serve-here.ts'
import { endServers, freePort, readKeys, url } from '../support/server.ts'

describe('the calls of the published client', () => {
  let permit: Permit
  let organization: string
  const options = { level: 'silent' }

  beforeAll(async () => {
    const data = temporaryFolder('calls')
    const ports = { api: await freePort(), pdp: await freePort() }
    await serveHere(data, ports)
    const keys = readKeys(data)
    const token = keys.environments.development
    organization = keys.organization
    permit = new Permit({ token, apiUrl: url(ports.api), pdp: url(ports.pdp), log: options, throwOnError: true })
  })
  afterAll(endServers)

  const status = (call: Promise<unknown>) =>
    call.then(
      () => 'no error',
      (error: unknown) => (error instanceof PermitApiError ? error.response?.status : error),
    )
  const keys = (objects: readonly { readonly key: string }[]) => objects.map(({ key }) => key).sort()

  it('projects and environments: list, get by key and id, the key of an environment', async () => {
    const [project] = await permit.api.projects.list()
    expect(project!.key).toBe('default')
    expect((await permit.api.projects.getById(project!.id)).key).toBe('default')
    expect((await permit.api.projects.get('default')).id).toBe(project!.id)
    const environments = await permit.api.environments.list({ projectKey: 'default' })
    expect(keys(environments)).toEqual(['development'])
    const environment = await permit.api.environments.get('default', 'development')
    expect(environment).toMatchObject({ key: 'development', project_id: project!.id })
    expect((await permit.api.environments.getById(project!.id, environment.id)).id).toBe(environment.id)
    const { environments: wider } = new Permit({ ...permit.config, token: organization }).api
    expect((await wider.getApiKey('default', 'development')).secret).toBe(permit.config.token)
    expect(await status(permit.api.environments.getApiKey('default', 'development'))).toBe(403)
    expect(await status(permit.api.environments.delete('default', 'development'))).toBe(403)
    expect(await status(permit.api.environments.get('default', 'production'))).toBe(404)
  })

  it('resources: create, list, get, update, replace, actions and attributes, delete', async () => {
    const { resources, resourceActions, resourceAttributes } = permit.api
    const created = await resources.create({
      key: 'document',
      name: 'Document',
      description: 'what is written',
      actions: { read: {}, write: { name: 'Write' } },
      attributes: { private: { type: 'bool', description: 'for few' } },
    })
    expect(created).toMatchObject({ key: 'document', description: 'what is written' })
    expect(keys(await resources.list())).toContain('document')
    expect((await resources.list({ includeTotalCount: true })).total_count).toBe(1)
    expect((await resources.getById(created.id)).key).toBe('document')
    expect((await resources.getByKey('document')).id).toBe(created.id)
    expect((await resources.update('document', { name: 'Paper' })).name).toBe('Paper')
    expect(Object.keys((await resources.get('document')).actions ?? {}).sort()).toEqual(['read', 'write'])

    const action = await resourceActions.create('document', { key: 'print', name: 'Print' })
    expect(keys(await resourceActions.list({ resourceKey: 'document' }))).toEqual(['print', 'read', 'write'])
    expect((await resourceActions.getById(created.id, action.id)).key).toBe('print')
    expect((await resourceActions.update('document', 'print', { name: 'Press' })).name).toBe('Press')
    expect(await status(resourceActions.create('document', { key: 'print', name: 'Again' }))).toBe(409)
    await resourceActions.delete('document', 'print')
    expect(await status(resourceActions.get('document', 'print'))).toBe(404)

    const attribute = await resourceAttributes.create('document', { key: 'pages', type: 'number' })
    expect(keys(await resourceAttributes.list({ resourceKey: 'document' }))).toEqual(
      expect.arrayContaining(['pages', 'private']),
    )
    expect((await resourceAttributes.getById(created.id, attribute.id)).type).toBe('number')
    expect((await resourceAttributes.update('document', 'pages', { description: 'how many' })).description).toBe(
      'how many',
    )
    await resourceAttributes.delete('document', 'pages')
    expect(await status(resourceAttributes.get('document', 'pages'))).toBe(404)

    const replaced = await resources.replace('document', { name: 'Document', actions: { read: {}, write: {} } })
    expect(replaced).toMatchObject({ id: created.id, name: 'Document', description: null })
  })

  it('roles: create, extend, update, permissions added and removed, delete', async () => {
    const { roles } = permit.api
    const reader = await roles.create({ key: 'reader', name: 'Reader', permissions: ['document:read'] })
    // The client's types leave `extends` out; it sends and hands back what it is given.
    const extending = { key: 'writer', name: 'Writer', extends: ['reader'] }
    expect(await roles.create(extending)).toMatchObject({ permissions: [], extends: ['reader'] })
    expect(reader.permissions).toEqual(['document:read'])
    expect((await roles.assignPermissions('writer', ['document:write'])).permissions).toEqual(['document:write'])
    expect((await roles.assignPermissions('writer', ['document:write'])).permissions).toEqual(['document:write'])
    expect((await roles.removePermissions('reader', ['document:read'])).permissions).toEqual([])
    expect(
      (await roles.update('reader', { permissions: ['document:read'], description: 'reads' })).permissions,
    ).toEqual(['document:read'])
    expect((await roles.update('reader', { name: 'Readers' })).permissions).toEqual(['document:read'])
    expect((await roles.list({ includeTotalCount: true })).data.map(({ key }) => key).sort()).toEqual([
      'reader',
      'writer',
    ])
    expect(await status(roles.create({ key: 'bad', name: 'Bad', permissions: ['document'] }))).toBe(400)
    expect(await status(roles.create({ key: 'bad', name: 'Bad', permissions: ['document:sing'] }))).toBe(404)
    const circle = { name: 'Reader', extends: ['writer'] }
    expect(await status(roles.update('reader', circle))).toBe(422)
  })

  it('tenants and users: create, update, assign in several tenants, list, remove, delete', async () => {
    const { tenants, users, roleAssignments } = permit.api
    const acme = await tenants.create({ key: 'acme', name: 'Acme', attributes: { plan: 'free' } })
    expect((await tenants.update('acme', { description: 'the first' })).description).toBe('the first')
    expect((await tenants.getById(acme.id)).attributes).toEqual({ plan: 'free' })
    await users.create({ key: 'ana', email: 'ana@acme.com', attributes: { age: 30 } })
    expect((await users.update('ana', { first_name: 'Ana' })).email).toBe('ana@acme.com')
    expect((await users.getById((await users.getByKey('ana')).id)).attributes).toEqual({ age: 30 })

    const assigned = await roleAssignments.assign({ user: 'ana', role: 'writer', tenant: 'acme' })
    expect(assigned).toMatchObject({ user: 'ana', role: 'writer', tenant: 'acme' })
    await users.assignRole({ user: 'ana', role: 'reader', tenant: 'default' })
    await eventually(() => permit.check('ana', 'read', 'document'), true)
    expect(await permit.check('ana', 'write', { type: 'document', tenant: 'acme' })).toBe(true)
    expect(await permit.check('ana', 'read', { type: 'document', tenant: 'acme' })).toBe(true)
    expect(await permit.check('ana', 'write', 'document:plan')).toBe(false)
    expect(await permit.check({ key: 'ana', attributes: { age: 1 } }, 'read', 'document:plan', { now: 1 })).toBe(true)

    const inAcme = await roleAssignments.list({ tenant: 'acme' })
    expect(inAcme.map(({ user, role }) => [user, role])).toEqual([['ana', 'writer']])
    expect((await roleAssignments.list({ user: 'ana', includeTotalCount: true })).total_count).toBe(2)
    const detailed = await roleAssignments.list({ user: 'ana', tenant: 'acme', detailed: true })
    expect(detailed[0]).toMatchObject({ user: { key: 'ana' }, role: { key: 'writer' }, tenant: { key: 'acme' } })
    expect((await tenants.listTenantUsers({ tenantKey: 'acme' })).data.map(({ key }) => key)).toEqual(['ana'])

    await tenants.deleteTenantUser('acme', 'ana')
    await eventually(() => permit.check('ana', 'write', { type: 'document', tenant: 'acme' }), false)
    expect((await tenants.listTenantUsers({ tenantKey: 'acme' })).data).toEqual([])
    await roleAssignments.unassign({ user: 'ana', role: 'reader', tenant: 'default' })
    await eventually(() => permit.check('ana', 'read', 'document'), false)
    expect(await status(roleAssignments.unassign({ user: 'ana', role: 'reader', tenant: 'default' }))).toBe(404)
  })

  it('a role deleted is gone from its users and from what extends it', async () => {
    await permit.api.users.assignRole({ user: 'ana', role: 'writer', tenant: 'acme' })
    await eventually(() => permit.check('ana', 'read', { type: 'document', tenant: 'acme' }), true)
    await permit.api.roles.delete('reader')
    await eventually(() => permit.check('ana', 'read', { type: 'document', tenant: 'acme' }), false)
    expect(await permit.check('ana', 'write', { type: 'document', tenant: 'acme' })).toBe(true)
    expect(await permit.api.roles.get('writer')).toMatchObject({ extends: [] })
  })

  it('keys that are names of object members work like any others', async () => {
    const { resources, roles, tenants, users } = permit.api
    for (const key of ['__proto__', 'constructor']) {
      await resources.create({ key, name: key, actions: JSON.parse(`{ "${key}": {} }`) })
      await roles.create({ key, name: key, permissions: [`${key}:${key}`] })
      await tenants.create({ key, name: key })
      await users.sync({ key })
      await users.assignRole({ user: key, role: key, tenant: key })
      await eventually(() => permit.check(key, key, { type: key, tenant: key }), true)
      expect(await permit.check(key, key, key)).toBe(false)
      expect((await users.get(key)).key).toBe(key)
      await resources.delete(key)
      await eventually(() => permit.check(key, key, { type: key, tenant: key }), false)
    }
  })

  it('the deprecated names of the same calls', async () => {
    const { api } = permit
    await api.createResource({ key: 'old', name: 'Old', actions: { use: {} } })
    await api.createRole({ key: 'user', name: 'User', permissions: ['old:use'] })
    await api.createTenant({ key: 'olden', name: 'Olden' })
    await api.createUser({ key: 'eve' })
    await api.syncUser({ key: 'eve', first_name: 'Eve' })
    await api.assignRole({ user: 'eve', role: 'user', tenant: 'olden' })
    expect((await api.getUser('eve')).first_name).toBe('Eve')
    expect((await api.getAssignedRoles('eve')).map(({ role }) => role)).toEqual(['user'])
    await eventually(() => permit.check('eve', 'use', { type: 'old', tenant: 'olden' }), true)
    await api.unassignRole({ user: 'eve', role: 'user', tenant: 'olden' })
    await eventually(() => permit.check('eve', 'use', { type: 'old', tenant: 'olden' }), false)
    expect((await api.updateRole('user', { name: 'Users' })).name).toBe('Users')
    expect((await api.updateResource('old', { name: 'Older' })).name).toBe('Older')
    await api.deleteRole('user')
    await api.deleteResource('old')
    await api.deleteTenant('olden')
    await api.deleteUser('eve')
    expect((await api.listUsers()).map(({ key }) => key)).not.toContain('eve')
    expect(keys(await api.listRoles())).not.toContain('user')
  })
})
