// Roles, resources, users and tenants over HTTP: the shapes of the contract, and the life of one object of each type.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, ID, joinHarness, TIME } from './harness.ts'

describe('objects over HTTP', () => {
  let api: Harness
  let place: Harness['place']
  beforeAll(async () => {
    api = await joinHarness()
    place = api.place
  })
  afterAll(() => api.close())

  it('a resource has exactly the members of the contract', async () => {
    const body = {
      key: 'report',
      name: 'Report',
      urn: 'prn:demo:report',
      actions: { read: {}, approve: { name: 'Approve', description: 'sign', attributes: { level: 2 } } },
      attributes: { secret: { type: 'bool' }, owner: { type: 'string', description: 'who' } },
      roles: null,
      relations: {},
    }
    const { status, body: made } = await api.ask('POST', '$S/resources', body)
    expect(status).toBe(200)
    const v1 = { v1compat_path: null, v1compat_name: null }
    expect(made).toEqual({
      id: ID,
      key: 'report',
      name: 'Report',
      urn: 'prn:demo:report',
      description: null,
      actions: {
        read: { id: ID, key: 'read', name: 'read', description: null, attributes: null, ...v1 },
        approve: { id: ID, key: 'approve', name: 'Approve', description: 'sign', attributes: { level: 2 }, ...v1 },
      },
      type_attributes: null,
      attributes: {
        secret: { id: ID, key: 'secret', type: 'bool', description: null },
        owner: { id: ID, key: 'owner', type: 'string', description: 'who' },
      },
      roles: {},
      relations: {},
      action_groups: {},
      ...v1,
      v1compat_type: null,
      ...place,
      created_at: TIME,
      updated_at: TIME,
    })
    expect((await api.ask('GET', '$S/resources/report')).body).toEqual(made)
    expect((await api.ask('GET', `$S/resources/${made.id}`)).body).toEqual(made)
    expect((await api.ask('POST', '$S/resources', body)).status).toBe(409)
  })

  it('a resource needs only a key', async () => {
    const { body } = await api.ask('POST', '$S/resources', { key: 'bare' })
    expect(body).toMatchObject({ name: 'bare', actions: {}, attributes: {} })
    expect((await api.ask('DELETE', '$S/resources/bare')).status).toBe(204)
    expect((await api.ask('GET', '$S/resources/bare')).status).toBe(404)
    expect((await api.ask('DELETE', '$S/resources/bare')).status).toBe(404)
  })

  it('actions and attributes have paths of their own', async () => {
    const made = await api.ask('POST', '$S/resources/report/actions', { key: 'print', name: 'Print' })
    expect(made.body).toEqual({
      id: ID,
      key: 'print',
      name: 'Print',
      description: null,
      attributes: null,
      v1compat_path: null,
      v1compat_name: null,
      v1compat_is_built_in: false,
      permission_name: 'report:print',
      resource_id: ID,
      ...place,
      created_at: TIME,
      updated_at: TIME,
    })
    expect((await api.ask('POST', '$S/resources/report/actions', { key: 'print' })).status).toBe(409)
    expect((await api.ask('GET', `$S/resources/report/actions/${made.body.id}`)).body).toEqual(made.body)
    expect((await api.ask('PATCH', '$S/resources/report/actions/print', { name: 'Put on paper' })).body.name).toBe(
      'Put on paper',
    )
    const listed = await api.ask('GET', '$S/resources/report/actions?page=2&per_page=2')
    expect(listed.body.map(({ key }: { key: string }) => key)).toEqual(['print'])
    expect((await api.ask('DELETE', '$S/resources/report/actions/print')).status).toBe(204)
    expect((await api.ask('GET', '$S/resources/report/actions/print')).status).toBe(404)

    const attribute = await api.ask('POST', '$S/resources/report/attributes', { key: 'size', type: 'number' })
    expect(attribute.body).toMatchObject({
      id: ID,
      key: 'size',
      type: 'number',
      resource_key: 'report',
      built_in: false,
    })
    const changed = await api.ask('PATCH', '$S/resources/report/attributes/size', { type: 'string' })
    expect(changed.body.type).toBe('string')
    expect((await api.ask('GET', '$S/resources/report/attributes')).body).toHaveLength(3)
    expect((await api.ask('DELETE', '$S/resources/report/attributes/size')).status).toBe(204)
    expect((await api.ask('DELETE', '$S/resources/report/attributes/size')).status).toBe(404)
  })

  it('PATCH of a resource overwrites a map that is sent, PUT resets what is not', async () => {
    const patched = await api.ask('PATCH', '$S/resources/report', { actions: { read: {} } })
    expect(Object.keys(patched.body.actions)).toEqual(['read'])
    expect(patched.body.urn).toBe('prn:demo:report')
    expect(Object.keys(patched.body.attributes)).toEqual(['secret', 'owner'])
    const put = await api.ask('PUT', '$S/resources/report', { name: 'Again', actions: { read: {} } })
    expect(put.body).toMatchObject({ name: 'Again', urn: null, attributes: {}, id: patched.body.id })
    expect(put.body.actions.read.id).toBe(patched.body.actions.read.id)
  })

  it('a role has exactly the members of the contract', async () => {
    const body = { key: 'reviewer', permissions: ['report:read'], granted_to: null, extends: null }
    const { status, body: made } = await api.ask('POST', '$S/roles', body)
    expect(status).toBe(200)
    expect(made).toEqual({
      id: ID,
      key: 'reviewer',
      name: 'reviewer',
      description: null,
      permissions: ['report:read'],
      attributes: null,
      extends: [],
      granted_to: null,
      v1compat_settings: null,
      v1compat_attributes: null,
      ...place,
      created_at: TIME,
      updated_at: TIME,
    })
    const taken = await api.ask('POST', '$S/roles', body)
    expect(taken).toMatchObject({ status: 409, body: { error_code: 'DUPLICATE_ENTITY', title: 'Conflict' } })
  })

  it('permissions of a role are added and removed, the whole role comes back', async () => {
    await api.ask('PATCH', '$S/resources/report', { actions: { read: {}, write: {} } })
    const permissions = ['report:write']
    const added = await api.ask('POST', '$S/roles/reviewer/permissions', { permissions })
    expect(added).toMatchObject({ status: 200, body: { permissions: ['report:read', 'report:write'] } })
    expect((await api.ask('POST', '$S/roles/reviewer/permissions', { permissions })).body.permissions).toHaveLength(2)
    const removed = await api.ask('DELETE', `$S/roles/${added.body.id}/permissions`, { permissions })
    expect(removed).toMatchObject({ status: 200, body: { permissions: ['report:read'] } })
    expect((await api.ask('POST', '$S/roles/reviewer/permissions', { permissions: ['report:fly'] })).status).toBe(404)
    expect((await api.ask('POST', '$S/roles/nothing/permissions', { permissions })).status).toBe(404)
  })

  it('PATCH of a role keeps its permissions, PUT resets them', async () => {
    expect((await api.ask('PATCH', '$S/roles/reviewer', { name: 'R' })).body).toMatchObject({
      name: 'R',
      permissions: ['report:read'],
    })
    expect((await api.ask('PUT', '$S/roles/reviewer', { key: 'reviewer' })).body).toMatchObject({
      name: 'reviewer',
      permissions: [],
    })
    expect((await api.ask('PUT', '$S/roles/nothing', {})).status).toBe(404)
    expect((await api.ask('DELETE', '$S/roles/reviewer')).status).toBe(204)
  })

  it('a tenant has exactly the members of the contract; attributes are null until they are sent', async () => {
    const { body } = await api.ask('POST', '$F/tenants', { key: 'north', name: 'North' })
    expect(body).toEqual({
      id: ID,
      key: 'north',
      name: 'North',
      description: null,
      attributes: null,
      last_action_at: TIME,
      ...place,
      created_at: TIME,
      updated_at: TIME,
    })
    expect((await api.ask('PATCH', '$F/tenants/north', { attributes: { tier: 'gold' } })).body.attributes).toEqual({
      tier: 'gold',
    })
    expect((await api.ask('PUT', '$F/tenants/north', { name: 'N' })).body).toMatchObject({
      name: 'N',
      attributes: null,
    })
    expect((await api.ask('POST', '$F/tenants', { key: 'north' })).status).toBe(409)
  })

  it('a user has exactly the members of the contract', async () => {
    await api.ask('POST', '$S/roles', { key: 'member' })
    const { body } = await api.ask('POST', '$F/users', {
      key: 'idp|77',
      email: 'ana@example.org',
      first_name: 'Ana',
      attributes: { age: 31, nested: { __proto__x: [null] } },
      role_assignments: [{ role: 'member', tenant: 'north', resource_instance: null }, { role: 'member' }],
    })
    expect(body).toEqual({
      id: ID,
      key: 'idp|77',
      email: 'ana@example.org',
      first_name: 'Ana',
      last_name: null,
      attributes: { age: 31, nested: { __proto__x: [null] } },
      roles: [
        { role: 'member', tenant: 'north' },
        { role: 'member', tenant: 'default' },
      ],
      associated_tenants: [
        { tenant: 'north', roles: ['member'], status: 'active', resource_instance_roles: [] },
        { tenant: 'default', roles: ['member'], status: 'active', resource_instance_roles: [] },
      ],
      ...place,
      created_at: TIME,
      updated_at: TIME,
    })
    expect((await api.ask('GET', '$F/users/idp%7C77')).body).toEqual(body)
  })

  it('PUT of a user is 201 when it creates and 200 when it replaces', async () => {
    expect((await api.ask('PUT', '$F/users/cy', { key: 'cy', email: 'cy@b.cd' })).status).toBe(201)
    const again = await api.ask('PUT', '$F/users/cy', { first_name: 'Cy' })
    expect(again).toMatchObject({ status: 200, body: { email: null, first_name: 'Cy', attributes: {} } })
    const byId = await api.ask('PUT', `$F/users/${again.body.id}`, { key: 'cy' })
    expect(byId).toMatchObject({ status: 200, body: { key: 'cy', first_name: null } })
  })

  it('PUT of a user keeps the roles, unless a list of them is sent', async () => {
    const roles = (body: { roles: unknown }) => body.roles
    await api.ask('POST', '$F/users/cy/roles', { role: 'member', tenant: 'north' })
    expect(roles((await api.ask('PUT', '$F/users/cy', {})).body)).toEqual([{ role: 'member', tenant: 'north' }])
    const sent = { role_assignments: [{ role: 'member', tenant: 'default' }] }
    const set = (await api.ask('PUT', '$F/users/cy', sent)).body
    expect(set.roles).toEqual([{ role: 'member', tenant: 'default' }])
    expect(set.associated_tenants).toHaveLength(1)
    expect(roles((await api.ask('PUT', '$F/users/cy', { role_assignments: [] })).body)).toEqual([])
  })

  it('an attribute called `__proto__` is one like any other, on the way in and out', async () => {
    const text = '{"key":"proto","attributes":{"__proto__":{"constructor":1}}}'
    await api.ask('POST', '$F/users', text)
    const { body } = await api.ask('GET', '$F/users/proto')
    expect(JSON.stringify(body.attributes)).toBe('{"__proto__":{"constructor":1}}')
    const resource =
      '{"key":"constructor","actions":{"__proto__":{},"toString":{}},"attributes":{"__proto__":{"type":"bool"}}}'
    const made = await api.ask('POST', '$S/resources', resource)
    expect(Object.keys(made.body.actions)).toEqual(['__proto__', 'toString'])
    expect(Object.keys(made.body.attributes)).toEqual(['__proto__'])
    const role = await api.ask('POST', '$S/roles', { key: '__proto__', permissions: ['constructor:__proto__'] })
    expect(role.body.permissions).toEqual(['constructor:__proto__'])
    expect((await api.ask('GET', '$S/roles/__proto__')).status).toBe(200)
  })

  it('the v1 fields of a resource, an action or a role are written too, and stay when they are not sent', async () => {
    const ofResource = { v1compat_path: '/notes', v1compat_type: 'rest', v1compat_name: 'Note' }
    const ofAction = { v1compat_path: '/notes/read', v1compat_name: 'Read' }
    const made = await api.ask('POST', '$S/resources', { key: 'note', ...ofResource, actions: { read: ofAction } })
    expect(made.body).toMatchObject({ ...ofResource, actions: { read: ofAction } })
    const put = await api.ask('PUT', '$S/resources/note', { name: 'N', actions: { read: {} } })
    expect(put.body).toMatchObject({ ...ofResource, actions: { read: ofAction } })
    const patched = await api.ask('PATCH', '$S/resources/note/actions/read', { v1compat_path: null })
    expect(patched.body).toMatchObject({ v1compat_path: null, v1compat_name: 'Read' })
    await api.ask('PATCH', '$S/resources/note', { v1compat_path: null, v1compat_type: null, v1compat_name: null })
    expect((await api.ask('GET', '$S/resources/note')).body).toMatchObject({ v1compat_type: null, v1compat_name: null })
    const settings = { v1compat_settings: { a: 1 }, v1compat_attributes: { b: [] } }
    expect((await api.ask('POST', '$S/roles', { key: 'clerk', ...settings })).body).toMatchObject(settings)
    const role = await api.ask('PUT', '$S/roles/clerk', { v1compat_settings: null })
    expect(role.body).toMatchObject({ v1compat_settings: null, v1compat_attributes: { b: [] } })
    expect((await api.ask('POST', '$S/roles', { key: 'odd', v1compat_is_built_in: true })).status).toBe(422)
  })

  it('users join and leave a tenant', async () => {
    await api.ask('POST', '$F/tenants', { key: 'south' })
    const joined = await api.ask('POST', '$F/tenants/south/users', { key: 'dee', first_name: 'Dee' })
    expect(joined.body).toMatchObject({ key: 'dee', associated_tenants: [{ tenant: 'south', roles: [] }] })
    const linked = await api.ask('POST', '$F/tenants/south/users', {
      key: 'cy',
      role_assignments: [{ role: 'member', tenant: 'south' }],
    })
    expect(linked.body.associated_tenants).toMatchObject([{ tenant: 'south', roles: ['member'] }])
    const list = await api.ask('GET', '$F/tenants/south/users')
    expect(list.body).toMatchObject({ data: [{ key: 'dee' }, { key: 'cy' }], total_count: 2, page_count: 1 })
    expect((await api.ask('DELETE', '$F/tenants/south/users/cy')).status).toBe(204)
    expect((await api.ask('GET', '$F/role_assignments?user=cy')).body).toEqual([])
    const again = await api.ask('DELETE', '$F/tenants/south/users/cy')
    expect([again.status, again.body.message]).toEqual([404, expect.stringContaining('membership `south/cy`')])
    expect((await api.ask('GET', '$F/tenants/nowhere/users')).status).toBe(404)
  })

  it('the general objects have the members of the contract', async () => {
    expect((await api.ask('GET', '/v2/orgs')).body).toEqual([
      {
        id: place.organization_id,
        key: 'default',
        name: 'Default Organization',
        is_enterprise: false,
        usage_limits: null,
        settings: null,
        created_at: TIME,
        updated_at: TIME,
      },
    ])
    expect((await api.ask('GET', '/v2/orgs/active/org')).body).toEqual((await api.ask('GET', '/v2/orgs')).body[0])
    expect((await api.ask('GET', '/v2/orgs/default')).status).toBe(200)
    expect((await api.ask('GET', '/v2/orgs?search=other')).body).toEqual([])
    expect((await api.ask('GET', '/v2/projects/default')).body).toEqual({
      id: place.project_id,
      key: 'default',
      name: 'Default Project',
      description: null,
      urn_namespace: null,
      settings: null,
      active_policy_repo_id: null,
      organization_id: place.organization_id,
      created_at: TIME,
      updated_at: TIME,
    })
    expect((await api.ask('GET', '/v2/projects/default/envs/development')).body).toEqual({
      id: place.environment_id,
      key: 'development',
      name: 'Development',
      description: null,
      custom_branch_name: null,
      jwks: null,
      settings: null,
      avp_policy_store_id: null,
      email_configuration: null,
      organization_id: place.organization_id,
      project_id: place.project_id,
      created_at: TIME,
      updated_at: TIME,
    })
  })
})
