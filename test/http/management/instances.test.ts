// Instances, roles on them, and relationship tuples: statuses, shapes, implicit creation, filters.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

describe('resource instances and what hangs on them', () => {
  let api: Harness
  let round = 0
  beforeAll(async () => {
    api = await joinHarness()
    await made('POST', '$S/resources', { key: 'folder', actions: { read: {} } })
    await made('POST', '$S/resources', { key: 'doc', actions: { read: {} }, relations: { parent: 'folder' } })
    await made('POST', '$S/resources/doc/roles', { key: 'editor', permissions: ['read'] })
    await made('POST', '$S/resources/folder/roles', { key: 'editor' })
    await made('POST', '$S/roles', { key: 'editor' })
    await made('POST', '$F/tenants', { key: 'north' })
    await made('POST', '$F/users', { key: 'ana', email: 'ana@example.com' })
  })
  afterAll(() => api.close())
  beforeEach(() => {
    round++
  })
  const named = (name: string) => `${name}${round}`
  async function made(method: 'POST' | 'PUT' | 'PATCH', path: string, body: unknown) {
    const answer = await api.ask(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return answer.body
  }
  const get = async (path: string) => (await api.ask('GET', path)).body
  const listKeys = (rows: readonly { key: string }[]) => rows.map(({ key }) => key)

  it('an instance reads as the contract prints it, by id and by type:key', async () => {
    const key = named('d')
    const body = await made('POST', '$F/resource_instances', {
      key,
      resource: 'doc',
      tenant: 'north',
      attributes: { n: 1 },
    })
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      key,
      resource: 'doc',
      tenant: 'north',
      resource_id: (await get('$S/resources/doc')).id,
      tenant_id: (await get('$F/tenants/north')).id,
      attributes: { n: 1 },
      relationships: null,
      ...api.place,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    for (const ref of [body.id, `doc:${key}`, `doc%3A${key}`]) {
      expect(await get(`$F/resource_instances/${ref}`)).toEqual(body)
    }
    expect((await api.ask('GET', `$F/resource_instances/${key}`)).status).toBe(404)
  })

  it('one that is there is 409, in another type it is another one', async () => {
    const of = { key: named('d'), resource: 'doc', tenant: 'north' }
    await made('POST', '$F/resource_instances', of)
    expect((await api.ask('POST', '$F/resource_instances', of)).body.error_code).toBe('DUPLICATE_ENTITY')
    await made('POST', '$F/resource_instances', { ...of, resource: 'folder' })
  })

  it('PATCH and PUT change attributes and nothing else', async () => {
    const key = named('d')
    await made('POST', '$F/resource_instances', { key, resource: 'doc', tenant: 'north', attributes: { n: 1 } })
    const path = `$F/resource_instances/doc:${key}`
    expect((await made('PATCH', path, {})).attributes).toEqual({ n: 1 })
    expect((await made('PATCH', path, { attributes: { m: 2 } })).attributes).toEqual({ m: 2 })
    expect((await made('PUT', path, { key, resource: 'doc', tenant: 'north' })).attributes).toEqual({})
    expect((await api.ask('PATCH', path, { key: 'other' })).status).toBe(422)
    expect((await api.ask('PUT', path, { key: 'other' })).body.detail[0].loc).toEqual(['body', 'key'])
    expect((await api.ask('PUT', path, { resource: 'folder' })).body.detail[0].loc).toEqual(['body', 'resource'])
    const moved = await api.ask('PUT', path, { tenant: 'default' })
    expect([moved.status, moved.body.error_code]).toEqual([400, 'MISMATCH_RESOURCE_INSTANCES_TENANTS'])
  })

  it('are listed by tenant, resource and search, with relationships when detailed', async () => {
    const [a, b] = [named('a'), named('b')]
    await made('POST', '$F/resource_instances', { key: a, resource: 'folder', tenant: 'north' })
    await made('POST', '$F/resource_instances', { key: b, resource: 'doc', tenant: 'default' })
    const tuple = { subject: `folder:${a}`, relation: 'parent', object: `doc:${named('c')}` }
    await made('POST', '$F/relationship_tuples', { ...tuple, tenant: 'north' })
    const found = async (query: string) => listKeys((await get(`$F/resource_instances?per_page=100&${query}`)) ?? [])
    expect(await found(`search=${a}&search=${b}`)).toEqual([a, b])
    expect(await found(`search=${round}&tenant=north&resource=folder`)).toEqual([a])
    expect(await found('tenant=nowhere')).toEqual([])
    expect(await found('resource=nothing')).toEqual([])
    const detailed = await get(`$F/resource_instances/detailed?search=folder:${a}`)
    expect(detailed).toMatchObject({ total_count: 1, page_count: 1, data: [{ key: a, relationships: [tuple] }] })
    expect((await get(`$F/resource_instances?detailed=true&search=doc:${named('c')}`))[0].relationships).toEqual([
      tuple,
    ])
    expect((await get(`$F/resource_instances/folder:${a}?detailed=true`)).relationships).toEqual([tuple])
    const counted = await get(`$F/resource_instances?include_total_count=true&search=folder:${a}`)
    expect(counted).toMatchObject({ total_count: 1, data: [{ key: a, relationships: null }] })
  })

  it('a role on an instance is in the tenant of the instance', async () => {
    const key = named('d')
    const instance = await made('POST', '$F/resource_instances', { key, resource: 'doc', tenant: 'north' })
    const sent = { user: 'ana', role: 'editor', resource_instance: `doc:${key}` }
    const given = await made('POST', '$F/role_assignments', sent)
    expect(given).toMatchObject({
      user: 'ana',
      role: 'editor',
      tenant: 'north',
      resource_instance: `doc:${key}`,
      resource_instance_id: instance.id,
      role_id: (await get('$S/resources/doc/roles/editor')).id,
    })
    expect((await api.ask('POST', '$F/role_assignments', { ...sent, tenant: 'north' })).status).toBe(409)
    const elsewhere = await api.ask('POST', '$F/role_assignments', { ...sent, tenant: 'default' })
    expect([elsewhere.status, elsewhere.body.error_code]).toEqual([400, 'MISMATCH_RESOURCE_INSTANCES_TENANTS'])
    const byId = { user: 'ana', role: given.role_id, resource_instance: instance.id }
    expect((await api.ask('DELETE', '$F/role_assignments', byId)).status).toBe(204)
    expect((await api.ask('DELETE', '$F/role_assignments', byId)).status).toBe(404)
  })

  it('a role on an instance that is missing makes it in the tenant that is named, and nowhere otherwise', async () => {
    const ref = `doc:${named('new')}`
    const sent = { role: 'editor', resource_instance: ref }
    expect((await api.ask('POST', '$F/users/ana/roles', sent)).status).toBe(404)
    expect((await api.ask('POST', '$F/users/ana/roles', { ...sent, role: 'nobody', tenant: 'north' })).status).toBe(404)
    expect((await api.ask('GET', `$F/resource_instances/${ref}`)).status).toBe(404)
    expect(await made('POST', '$F/users/ana/roles', { ...sent, tenant: 'north' })).toMatchObject({ tenant: 'north' })
    expect(await get(`$F/resource_instances/${ref}`)).toMatchObject({ tenant: 'north', attributes: {} })
    const nothing = { role: 'editor', tenant: 'north', resource_instance: 'nothing:1' }
    expect((await api.ask('POST', '$F/users/ana/roles', nothing)).status).toBe(404)
    const bad = { role: 'editor', tenant: 'north', resource_instance: 'doc:a b' }
    expect((await api.ask('POST', '$F/users/ana/roles', bad)).body.detail[0].loc).toEqual(['body', 'resource_instance'])
  })

  it('assignments are found by role, resource and instance, and tell them apart', async () => {
    const user = named('ben')
    const role_assignments = [
      { role: 'editor', tenant: 'north' },
      { role: 'editor', tenant: 'north', resource_instance: `doc:${named('x')}` },
      { role: 'editor', tenant: 'north', resource_instance: `folder:${named('x')}` },
    ]
    const made_ = await made('POST', '$F/users', { key: user, role_assignments })
    expect(made_.roles).toEqual([{ role: 'editor', tenant: 'north' }])
    const found = async (query: string) =>
      (await get(`$F/role_assignments?user=${user}&${query}`)).map(
        (row: { resource_instance: string | null }) => row.resource_instance,
      )
    const [none, doc, folder] = [null, `doc:${named('x')}`, `folder:${named('x')}`]
    expect(await found('')).toEqual([none, doc, folder])
    expect(await found('role=editor')).toEqual([none, doc, folder])
    expect(await found('role=editor&tenant=north')).toEqual([none, doc, folder])
    expect(await found(`role=${(await get('$S/resources/doc/roles/editor')).id}`)).toEqual([doc])
    expect(await found(`role=${(await get('$S/roles/editor')).id}`)).toEqual([none])
    expect(await found('resource=doc')).toEqual([doc])
    expect(await found(`resource_instance=${folder}`)).toEqual([folder])
    expect(await found(`resource=doc&resource_instance=${named('x')}`)).toEqual([doc])
    expect(await found('resource_instance=doc:nothing')).toEqual([])
    expect(await found('tenant=nowhere')).toEqual([])
    const [detailed] = await get(`$F/role_assignments?detailed=true&resource_instance=${doc}`)
    expect(detailed).toMatchObject({
      role: { key: 'editor', permissions: ['read'] },
      resource_instance: { key: named('x'), resource: 'doc', attributes: {} },
    })
  })

  it('a user shows roles on instances only when asked', async () => {
    const user = named('cy')
    const role_assignments = [{ role: 'editor', tenant: 'north', resource_instance: `doc:${named('y')}` }]
    await made('POST', '$F/users', { key: user, role_assignments })
    const [plain] = (await get(`$F/users?search=${user}`)).data
    const tenant = { tenant: 'north', roles: [], status: 'active', resource_instance_roles: [] as unknown[] }
    expect(plain).toMatchObject({ roles: [], associated_tenants: [tenant] })
    const held = [{ resource: 'doc', resource_instance: named('y'), role: 'editor' }]
    const [full] = (await get(`$F/users?search=${user}&include_resource_instance_roles=true`)).data
    expect(full.associated_tenants).toEqual([{ ...tenant, resource_instance_roles: held }])
    const inTenant = await get(`$F/tenants/north/users?search=${user}&include_resource_instance_roles=true`)
    expect(inTenant.data).toEqual([full])
  })

  it('a tuple reads as the contract prints it', async () => {
    const [subject, object] = [`folder:${named('s')}`, `doc:${named('o')}`]
    const body = await made('POST', '$F/relationship_tuples', { subject, relation: 'parent', object, tenant: 'north' })
    const [read] = (await get(`$F/relationship_tuples/detailed?object=${object}`)).data
    expect(read).toEqual({
      id: body.id,
      subject,
      relation: 'parent',
      object,
      tenant: 'north',
      subject_id: (await get(`$F/resource_instances/${subject}`)).id,
      relation_id: (await get('$S/resources/doc/relations/parent')).id,
      object_id: (await get(`$F/resource_instances/${object}`)).id,
      tenant_id: (await get('$F/tenants/north')).id,
      subject_details: { key: named('s'), resource: 'folder', tenant: 'north', attributes: {} },
      relation_details: { key: 'parent', name: 'parent', description: null },
      object_details: { key: named('o'), resource: 'doc', tenant: 'north', attributes: {} },
      tenant_details: { key: 'north', name: 'north', description: null, attributes: null },
      ...api.place,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const { subject_id, relation_id, object_id } = read
    const byId = { subject: subject_id, relation: relation_id, object: object_id }
    expect((await api.ask('POST', '$F/relationship_tuples', byId)).status).toBe(409)
    expect((await api.ask('DELETE', '$F/relationship_tuples', byId)).status).toBe(204)
    expect((await api.ask('DELETE', '$F/relationship_tuples', byId)).status).toBe(404)
  })

  it('a tuple needs a relation that fits, and both ends in one tenant', async () => {
    const [subject, object] = [`folder:${named('s')}`, `doc:${named('o')}`]
    const ask = async (body: object) => {
      const answer = await api.ask('POST', '$F/relationship_tuples', body)
      return [answer.status, answer.body.error_code]
    }
    expect(await ask({ subject, relation: 'parent', object })).toEqual([404, 'NOT_FOUND'])
    const north = { subject, relation: 'parent', object, tenant: 'north' }
    expect(await ask({ ...north, relation: 'owner' })).toEqual([404, 'NOT_FOUND'])
    expect(await ask({ ...north, subject: `doc:${named('s')}` })).toEqual([400, 'MISMATCH_RELATION_TYPE'])
    expect((await api.ask('GET', `$F/resource_instances/${object}`)).status).toBe(404)
    await made('POST', '$F/resource_instances', { key: named('s'), resource: 'folder', tenant: 'north' })
    await made('POST', '$F/resource_instances', { key: named('o'), resource: 'doc', tenant: 'default' })
    const mismatch = [400, 'MISMATCH_RESOURCE_INSTANCES_TENANTS']
    expect(await ask({ subject, relation: 'parent', object })).toEqual(mismatch)
    expect(await ask(north)).toEqual(mismatch)
  })

  it('tuples are found by each of their names', async () => {
    const [folder, doc] = [`folder:${named('f')}`, `doc:${named('d')}`]
    await made('POST', '$F/relationship_tuples', { subject: folder, relation: 'parent', object: doc, tenant: 'north' })
    const other = { subject: folder, relation: 'parent', object: `doc:${named('e')}`, tenant: 'north' }
    await made('POST', '$F/relationship_tuples', other)
    const count = async (query: string) =>
      (await get(`$F/relationship_tuples?include_total_count=true&${query}`)).total_count
    expect(await count(`subject=${folder}`)).toBe(2)
    expect(await count(`object=${doc}`)).toBe(1)
    const ids = await get(`$F/resource_instances/${doc}`)
    expect(await count(`object=${ids.id}&subject=${folder}&tenant=north&relation=parent`)).toBe(1)
    expect(await count(`subject=${folder}&object_type=doc&subject_type=folder`)).toBe(2)
    expect(await count(`subject=${folder}&object_type=folder`)).toBe(0)
    expect(await count('relation=owner')).toBe(0)
    expect(await count('tenant=nowhere')).toBe(0)
    const all = await count('relation=parent')
    expect(all).toBeGreaterThanOrEqual(2)
    expect(await count('object_type=doc')).toBe(all)
  })
})
