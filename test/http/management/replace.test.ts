// PUT on the parts of a resource type, on organizations, invites and proxy configs: what is not sent is reset, what
// others refer to stays, and what decisions lose is in the answer.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

describe('PUT', () => {
  let api: Harness
  beforeAll(async () => {
    api = await joinHarness()
    await api.ask('POST', '$S/resources', { key: 'folder' })
    await api.ask('POST', '$S/resources', {
      key: 'doc',
      actions: { read: { name: 'Read', description: 'see it', attributes: { level: 1 } }, edit: {} },
      attributes: { state: { type: 'string', description: 'of the draft' }, size: { type: 'number' } },
      relations: { parent: 'folder' },
      roles: { owner: { permissions: ['read'] } },
    })
    await api.ask('POST', '$S/roles', { key: 'viewer', permissions: ['doc:read'] })
    await api.ask('POST', '$F/tenants', { key: 'acme' })
  })
  afterAll(() => api.close())

  it('of an action keeps its id and the permissions on it', async () => {
    const { body: before } = await api.ask('GET', '$S/resources/doc/actions/read')
    const { status, body } = await api.ask('PUT', '$S/resources/doc/actions/read', { name: 'Look' })
    expect([status, body]).toEqual([
      200,
      { ...before, name: 'Look', description: null, attributes: null, updated_at: body.updated_at },
    ])
    expect((await api.ask('PUT', `$S/resources/doc/actions/${before.id}`, {})).body).toMatchObject({ name: 'read' })
    expect((await api.ask('GET', '$S/roles/viewer')).body.permissions).toEqual(['doc:read'])
    expect((await api.ask('GET', '$S/resources/doc/roles/owner')).body.permissions).toEqual(['read'])
    expect((await api.ask('PUT', '$S/resources/doc/actions/nope', {})).status).toBe(404)
    expect((await api.ask('PUT', '$S/resources/doc/actions/read', { title: 'x' })).status).toBe(422)
  })

  it('of an attribute needs a type, and is 409 with another one that a condition does not fit', async () => {
    const conditions = { 'resource.state': { equals: 'draft' } }
    const set = { key: 'drafts', type: 'resourceset', resource_id: 'doc', conditions }
    expect((await api.ask('POST', '$S/condition_sets', set)).status).toBe(200)
    const path = '$S/resources/doc/attributes/state'
    const missing = await api.ask('PUT', path, { description: 'x' })
    expect([missing.status, missing.body.detail[0].loc]).toEqual([422, ['body', 'type']])
    expect((await api.ask('PUT', path, { type: 'string' })).body).toMatchObject({ type: 'string', description: null })
    const inUse = await api.ask('PUT', path, { type: 'number' })
    expect([inUse.status, inUse.body.message]).toEqual([409, expect.stringContaining('`drafts`')])
    expect((await api.ask('PUT', '$S/resources/doc/attributes/size', { type: 'string' })).body.type).toBe('string')
  })

  it.each(['__user', '__tenant'])('of an attribute of %s is the same', async (of) => {
    await api.ask('POST', `$S/resources/${of}/attributes`, { key: 'plan', type: 'string', description: 'paid' })
    const { body } = await api.ask('PUT', `$S/users/attributes/plan?resource_id=${of}`, { type: 'string' })
    expect(body).toMatchObject({ resource_key: of, type: 'string', description: null })
    const root = of === '__user' ? 'user' : 'tenant'
    const conditions = { [`${root}.plan`]: { equals: 'free' } }
    expect((await api.ask('POST', '$S/condition_sets', { key: `${root}s_free`, conditions })).status).toBe(200)
    const path = `$S/resources/${of}/attributes/plan`
    expect((await api.ask('PUT', path, { type: 'bool' })).status).toBe(409)
  })

  it('says what conditions lose by another type', async () => {
    await api.ask('POST', '$S/users/attributes', { key: 'state', type: 'json' })
    const conditions = { not: { 'user.state': { equals: 'left' } } }
    await api.ask('POST', '$S/condition_sets', { key: 'not_left', conditions })
    const rule = { user_set: 'not_left', permission: 'doc:read', resource_set: '__autogen_doc' }
    expect((await api.ask('POST', '$F/set_rules', rule)).status).toBe(200)
    await api.ask('POST', '$F/users', { key: 'eva', attributes: { state: ['left'] } })
    const { status, headers } = await api.ask('PUT', '$S/users/attributes/state', { type: 'string' })
    expect([status, headers.warning]).toEqual([
      200,
      [expect.stringMatching(/`not_left` has a `not` over `user.state`.*another type than string/)],
    ])
  })

  it('of an action group resets its actions', async () => {
    const sent = { key: 'all', name: 'All', description: 'of them', attributes: { a: 1 }, actions: ['read', 'edit'] }
    const { body: before } = await api.ask('POST', '$S/resources/doc/action_groups', sent)
    const path = '$S/resources/doc/action_groups/all'
    expect((await api.ask('PUT', path, { actions: ['edit'] })).body).toMatchObject({
      id: before.id,
      name: 'all',
      description: null,
      attributes: null,
      actions: ['edit'],
    })
    expect((await api.ask('PUT', path, {})).body.actions).toEqual([])
    expect((await api.ask('PUT', path, { actions: ['nope'] })).status).toBe(404)
  })

  it.each(['PUT', 'PATCH'] as const)(
    'and PATCH of a relation: %s changes its texts, never its types',
    async (method) => {
      await api.ask('PATCH', '$S/resources/doc/relations/parent', { name: 'Parent', description: 'where it is' })
      await api.ask('POST', '$F/relationship_tuples', {
        subject: 'folder:a',
        relation: 'parent',
        object: 'doc:a',
        tenant: 'acme',
      })
      const path = '$S/resources/doc/relations/parent'
      const { body: before } = await api.ask('GET', path)
      const { status, body } = await api.ask(method, path, { description: 'above', subject_resource: 'folder' })
      const name = method === 'PUT' ? 'parent' : 'Parent'
      expect([status, body]).toEqual([200, { ...before, name, description: 'above', updated_at: body.updated_at }])
      const folder = (await api.ask('GET', '$S/resources/folder')).body.id
      expect((await api.ask(method, path, { subject_resource: folder })).status).toBe(200)
      const other = await api.ask(method, path, { subject_resource: 'doc' })
      expect([other.status, other.body.error_code]).toEqual([409, 'MISMATCH_RELATION_TYPE'])
      expect((await api.ask(method, path, { subject_resource: 'nope' })).status).toBe(404)
      expect((await api.ask('GET', '$F/relationship_tuples?subject=folder:a')).body).toHaveLength(1)
    },
  )

  it('of an organization resets settings and the name, which is then the key', async () => {
    const path = `/v2/orgs/${api.made.organization.id}`
    const { body: before } = await api.ask('PATCH', path, { name: 'Acme Inc', settings: { color: 'red' } })
    expect(before).toMatchObject({ name: 'Acme Inc', settings: { color: 'red' } })
    const { status, body } = await api.ask('PUT', path, {})
    expect([status, body]).toMatchObject([200, { id: before.id, name: before.key, settings: null }])
    expect((await api.ask('PUT', '/v2/orgs/nope', {})).status).toBe(404)
    await api.addKey('env', 'admin', 'replace-environment-key')
    expect((await api.ask('PUT', path, {}, { key: 'replace-environment-key' })).status).toBe(403)
  })

  it('of an invite needs all that POST needs, and without an instance it is for a role in the tenant', async () => {
    await api.ask('POST', '$F/resource_instances', { key: 'one', resource: 'doc', tenant: 'acme' })
    const names = { status: 'pending', email: 'i@example.com', first_name: 'I', last_name: 'J' }
    const sent = { ...names, role_id: 'owner', tenant_id: 'acme', resource_instance_id: 'doc:one' }
    const { body: before } = await api.ask('POST', '$F/user_invites', { key: 'ida', ...sent })
    expect(before.resource_instance_id).not.toBeNull()
    expect((await api.ask('PUT', '$F/user_invites/ida', { email: 'x@example.com' })).status).toBe(422)
    const { body } = await api.ask('PUT', '$F/user_invites/ida', { ...names, role_id: 'viewer', tenant_id: 'acme' })
    expect(body).toMatchObject({ id: before.id, key: 'ida', resource_instance_id: null })
  })

  it('of a proxy config needs a secret, and has the mapping rules that are sent and no others', async () => {
    const rule = { url: '/docs', http_method: 'get', resource: 'doc' }
    await api.ask('POST', '$F/proxy_configs', { key: 'p', name: 'P', secret: 'one', mapping_rules: [rule] })
    const path = '$F/proxy_configs/p'
    expect((await api.ask('PUT', path, { name: 'Q' })).status).toBe(422)
    const other = { ...rule, url: '/other' }
    const put = await api.ask('PUT', path, { secret: 'a:b', auth_mechanism: 'Basic', mapping_rules: [other] })
    expect(put.body).toMatchObject({ name: 'p', secret: 'a:b', auth_mechanism: 'Basic', mapping_rules: [other] })
    expect((await api.ask('PUT', path, { secret: 'two' })).body).toMatchObject({
      secret: 'two',
      auth_mechanism: 'Bearer',
      mapping_rules: [],
    })
  })
})
