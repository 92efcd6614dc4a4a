// Permissions of resource roles are answered in the form in which they were last written: `action` or
// `resource:action`. Policy files write `resource:action`; nothing else may lose the form.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

const PATH = '$S/resources/doc/roles/owner'
const ENVIRONMENT = '/v2/projects/default/envs/development'

describe('the permissions of a resource role', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
  })
  beforeEach(async () => {
    await api.ask('DELETE', '$S/resources/doc')
    await api.ask('POST', '$S/resources', { key: 'doc', actions: { read: {}, edit: {}, sign: {} } })
  })
  afterAll(() => api.close())

  const make = (permissions: readonly string[]) =>
    api.ask('POST', '$S/resources/doc/roles', { key: 'owner', permissions })
  const stored = async () => (await api.ask('GET', PATH)).body.permissions
  const apply = async (policy: object, environment = ENVIRONMENT) => {
    const { status, body } = await api.ask('POST', `${environment}/apply`, { policy: { zerohop: 2, ...policy } })
    expect(status, JSON.stringify(body)).toBe(200)
  }
  const exported = async () => (await api.ask('GET', `${ENVIRONMENT}/export`)).body

  it.each([[['read', 'edit']], [['doc:read', 'doc:edit']]])('are %j wherever a role is answered', async (sent) => {
    expect((await make(sent)).body.permissions).toEqual(sent)
    expect(await stored()).toEqual(sent)
    expect((await api.ask('GET', '$S/resources/doc/roles')).body[0].permissions).toEqual(sent)
    expect((await api.ask('GET', '$S/resources/doc')).body.roles.owner.permissions).toEqual(sent)
    await api.ask('POST', '$S/resources/doc/roles', { key: 'child', extends: ['owner'] })
    expect((await api.ask('GET', '$S/resources/doc/roles/child/ancestors')).body.roles[0].permissions).toEqual(sent)
    await api.ask('POST', '$F/resource_instances', { key: 'one', resource: 'doc', tenant: 'default' })
    await api.ask('PUT', '$F/users/ana', {})
    await api.ask('POST', '$F/role_assignments', { user: 'ana', role: 'owner', resource_instance: 'doc:one' })
    const { data } = (await api.ask('GET', '$F/role_assignments/detailed?user=ana')).body
    expect(data[0].role.permissions).toEqual(sent)
  })

  it('are those of the last write, whatever writes them', async () => {
    await make(['doc:read'])
    const write = async (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: object) => {
      const { status } = await api.ask(method, path, body)
      expect(status).toBeLessThan(300)
      return stored()
    }
    expect(await write('PATCH', PATH, { permissions: ['read'] })).toEqual(['read'])
    expect(await write('PUT', PATH, { permissions: ['doc:read'] })).toEqual(['doc:read'])
    expect(await write('POST', `${PATH}/permissions`, { permissions: ['edit'] })).toEqual(['read', 'edit'])
    expect(await write('POST', `${PATH}/permissions`, { permissions: ['doc:sign'] })).toEqual([
      'doc:read',
      'doc:edit',
      'doc:sign',
    ])
    // also where nothing else changes
    expect(await write('POST', `${PATH}/permissions`, { permissions: ['edit'] })).toEqual(['read', 'edit', 'sign'])
    expect(await write('DELETE', `${PATH}/permissions`, { permissions: ['doc:sign'] })).toEqual(['read', 'edit'])
    expect(await write('PATCH', PATH, { name: 'Owner' })).toEqual(['read', 'edit'])
    expect(await write('PATCH', PATH, { permissions: [] })).toEqual([])
    expect(await write('PATCH', PATH, { permissions: ['read', 'doc:edit'] })).toEqual(['doc:read', 'doc:edit'])
    const roles = { owner: { permissions: ['sign'] } }
    expect(await write('PATCH', '$S/resources/doc', { roles })).toEqual(['sign'])
    expect(await write('PATCH', '$S/resources/doc', { roles: { owner: { permissions: ['doc:sign'] } } })).toEqual([
      'doc:sign',
    ])
    const operations = [{ key: 'owner', resource: 'doc', permissions: ['read'] }]
    expect(await write('PUT', '$S/bulk/roles', { operations })).toEqual(['read'])
  })

  it('stay as they are with a write that says nothing of them, and raise no revision twice', async () => {
    const first = await make(['read'])
    const again = await api.ask('POST', `${PATH}/permissions`, { permissions: ['read'] })
    expect(again.headers['x-revision']).toBe(first.headers['x-revision'])
    await api.ask('DELETE', '$S/resources/doc/actions/edit')
    await api.ask('PATCH', '$S/resources/doc', { name: 'Doc' })
    expect(await stored()).toEqual(['read'])
  })

  it('are `resource:action` in tenant roles, policy files and what users may do', async () => {
    await make(['read'])
    await api.ask('POST', '$S/roles', { key: 'viewer', permissions: ['doc:read'] })
    expect((await api.ask('GET', '$S/roles/viewer')).body.permissions).toEqual(['doc:read'])
    expect((await exported()).resources[0].roles.owner.permissions).toEqual(['doc:read'])
    await api.ask('POST', '$F/resource_instances', { key: 'one', resource: 'doc', tenant: 'default' })
    await api.ask('PUT', '$F/users/ana', {})
    await api.ask('POST', '$F/role_assignments', { user: 'ana', role: 'owner', resource_instance: 'doc:one' })
    const { instances } = (await api.ask('POST', `${ENVIRONMENT}/user-permissions`, { user: 'ana' })).body
    expect(instances[0].permissions).toEqual(['doc:read'])
  })

  it('are `resource:action` once a policy file writes others, in either form of the file', async () => {
    const file = (permissions: readonly string[]) => ({
      resources: [{ key: 'doc', actions: { read: {}, edit: {}, sign: {} }, roles: { owner: { permissions } } }],
    })
    await apply(file(['read']))
    expect(await stored()).toEqual(['doc:read'])
    await api.ask('PATCH', PATH, { permissions: ['read'] })
    await apply(file(['read']))
    await apply(file(['doc:read']))
    expect(await stored()).toEqual(['read'])
    await apply(file(['read', 'edit']))
    expect(await stored()).toEqual(['doc:read', 'doc:edit'])
  })

  it('keep their form in an export, a copy and a revert', async () => {
    const { headers } = await make(['read'])
    const file = await exported()
    await apply({ ...file }, '/v2/projects/default/envs/production')
    const S = '/v2/schema/default/production'
    expect((await api.ask('GET', `${S}/resources/doc/roles/owner`)).body.permissions).toEqual(['read'])
    await api.ask('POST', '/v2/projects/default/envs', { key: 'copied' })
    const copy = await api.ask('POST', `${ENVIRONMENT}/copy`, { target_env: { existing: 'copied' } })
    expect(copy.status).toBe(201)
    const there = await api.ask('GET', '/v2/schema/default/copied/resources/doc/roles/owner')
    expect(there.body.permissions).toEqual(['read'])
    await api.ask('DELETE', PATH)
    const revision = Number(headers['x-revision']) + 1
    expect((await api.ask('POST', `${ENVIRONMENT}/revisions/${revision}/revert`, {})).status).toBe(200)
    expect(await stored()).toEqual(['read'])
    const changed = await api.ask('PATCH', PATH, { permissions: ['doc:read'] })
    const undone = await api.ask('POST', `${ENVIRONMENT}/revisions/${changed.headers['x-revision']}/revert`, {})
    expect([undone.status, await stored()]).toEqual([200, ['read']])
  })
})
