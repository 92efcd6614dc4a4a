// Groups over HTTP: what a group is made of, who is in it, which roles its members have by it, and what goes when it
// goes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, ID, joinHarness } from './harness.ts'

describe('groups', () => {
  let api: Harness
  const group = async (key: string) => (await api.ask('GET', `$S/groups/${key}`)).body
  const names = (objects: readonly { group_instance_key: string }[]) => objects.map((one) => one.group_instance_key)
  const revision = () => api.store.head(api.environment).revision
  beforeAll(async () => {
    api = await joinHarness()
    await api.ask('POST', '$F/tenants', { key: 'acme' })
    for (const key of ['ana', 'ben']) await api.ask('POST', '$F/users', { key })
    const video = { key: 'video', actions: { edit: {} }, roles: { editor: { permissions: ['edit'] } } }
    await api.ask('POST', '$S/resources', video)
    await api.ask('POST', '$F/resource_instances', { key: 'intro', resource: 'video', tenant: 'default' })
  })
  afterAll(() => api.close())

  it('a group is an instance of a type with the role member, both made when they are missing', async () => {
    const sent = { group_instance_key: 'marketing', group_resource_type_key: 'team', group_tenant: 'default' }
    const { status, body } = await api.ask('POST', '$S/groups', sent)
    expect(status).toBe(200)
    expect(body).toEqual({ id: ID, ...sent, assigned_roles: ['team:marketing#member'], users: [] })
    const instance = await api.ask('GET', '$F/resource_instances/team:marketing')
    expect(instance.body).toMatchObject({ id: body.id, tenant: 'default' })
    expect((await api.ask('GET', '$S/resources/team')).body.roles.member.key).toBe('member')
    expect((await api.ask('POST', '$S/groups', sent)).status).toBe(409)
    expect((await api.ask('POST', '$S/groups', { ...sent, group_tenant: 'nothing' })).status).toBe(404)
    const bad = await api.ask('POST', '$S/groups', { ...sent, group_instance_key: 'a b' })
    expect(bad.body.detail).toMatchObject([{ loc: ['body', 'group_instance_key'] }])
    for (const ref of [body.id, 'team:marketing', 'marketing']) expect(await group(ref)).toEqual(body)
    expect((await group('nothing')).message).toMatch(/^The requested data could not be found/)
  })

  it('the type is `group` when none is named, and a key alone means a group where only one has it', async () => {
    await api.ask('POST', '$S/groups', { group_instance_key: 'marketing', group_tenant: 'acme' })
    const unclear = 'several groups have the key `marketing`: use `team:marketing` or `group:marketing`'
    for (const [method, path] of [
      ['GET', '$S/groups/marketing'],
      ['DELETE', '$S/groups/marketing'],
    ] as const) {
      const { status, body } = await api.ask(method, path)
      expect([status, body.message]).toEqual([409, unclear])
    }
    expect((await group('group:marketing')).group_resource_type_key).toBe('group')
    expect((await group('team:marketing')).group_resource_type_key).toBe('team')
    const listed = async (query: string) => names((await api.ask('GET', `$S/groups${query}`)).body)
    await api.ask('POST', '$S/groups', { group_instance_key: 'sales', group_tenant: 'default' })
    expect(await listed('')).toEqual(['marketing', 'marketing', 'sales'])
    expect(await listed('?resource=group')).toEqual(['marketing', 'sales'])
    expect(await listed('?tenant=default')).toEqual(['marketing', 'sales'])
    expect(await listed('?tenant=default&resource=group&include_total_count=true')).toEqual(['sales'])
    expect(await listed('?search=SAL')).toEqual(['sales'])
    expect(await listed('?tenant=nothing')).toEqual([])
    expect(await listed('?page=2&per_page=2')).toEqual(['sales'])
  })

  it('users join and leave; joining twice is accepted, leaving twice is 404', async () => {
    const path = '$S/groups/team:marketing/users/ana'
    const { body: ana } = await api.ask('GET', '$F/users/ana')
    const joined = await api.ask('PUT', path, { tenant: 'default' })
    expect([joined.status, joined.body.users]).toEqual([200, [ana.id]])
    const before = revision()
    expect((await api.ask('PUT', path, { tenant: 'default' })).body).toEqual({ ...joined.body, created: false })
    expect(revision()).toBe(before)
    expect((await api.ask('GET', '$F/role_assignments?user=ana')).body).toMatchObject([
      { role: 'member', resource_instance: 'team:marketing', tenant: 'default' },
    ])
    const other = await api.ask('PUT', path, { tenant: 'acme' })
    expect([other.status, other.body.error_code]).toEqual([400, 'MISMATCH_RESOURCE_INSTANCES_TENANTS'])
    expect((await api.ask('PUT', '$S/groups/team:marketing/users/nobody', { tenant: 'default' })).status).toBe(404)
    expect((await api.ask('DELETE', path, { tenant: 'default' })).status).toBe(204)
    expect((await api.ask('DELETE', path, { tenant: 'default' })).status).toBe(404)
    await api.ask('PUT', path, { tenant: 'default' })
  })

  it('a member that a body does not have is refused: a misspelt end would give something for good', async () => {
    for (const [method, path, body] of [
      ['PUT', 'users/ana', { tenant: 'default' }],
      ['POST', 'roles', { role: 'viewer', resource: 'video', resource_instance: 'intro', tenant: 'default' }],
      ['PUT', 'assign_group', { group_instance_key: 'sales' }],
    ] as const) {
      const sent = { ...body, valid_til: '2031-01-01T00:00:00Z' }
      const refused = await api.ask(method, `$S/groups/team:marketing/${path}`, sent)
      expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'valid_til']])
    }
  })

  it('a role for the group is a relation, a tuple and a derivation from member', async () => {
    const path = '$S/groups/team:marketing/roles'
    const sent = { role: 'editor', resource: 'video', resource_instance: 'intro', tenant: 'default' }
    const { status, body } = await api.ask('POST', path, sent)
    expect([status, body.assigned_roles]).toEqual([200, ['team:marketing#member', 'video:intro#editor']])
    const before = revision()
    expect((await api.ask('POST', path, { ...sent, resource_instance: 'video:intro' })).body).toEqual(body)
    expect(revision()).toBe(before)
    const { body: video } = await api.ask('GET', '$S/resources/video')
    const relation = 'team_group_editor'
    expect(video.relations[relation]).toMatchObject({ resource: 'team' })
    expect(video.roles.editor.granted_to.users_with_role).toMatchObject([
      { role: 'member', on_resource: 'team', linked_by_relation: relation },
    ])
    expect((await api.ask('GET', '$F/relationship_tuples?object=video:intro')).body).toMatchObject([
      { subject: 'team:marketing', relation },
    ])
    // an instance that is not there is made in the tenant
    await api.ask('POST', path, { ...sent, resource_instance: 'outro' })
    expect((await api.ask('GET', '$F/resource_instances/video:outro')).status).toBe(200)
    expect((await api.ask('POST', path, { ...sent, tenant: 'acme', resource_instance: 'third' })).status).toBe(400)
    expect((await api.ask('POST', path, { ...sent, role: 'nothing' })).status).toBe(404)
    expect((await api.ask('POST', path, { ...sent, resource_instance: 'team:marketing' })).status).toBe(422)

    expect((await api.ask('DELETE', path, sent)).status).toBe(204)
    expect((await api.ask('DELETE', path, sent)).status).toBe(404)
    expect((await api.ask('GET', `$S/resources/video/relations/${relation}`)).status).toBe(200)
    expect((await api.ask('DELETE', path, { ...sent, resource_instance: 'outro' })).status).toBe(204)
    expect((await api.ask('GET', `$S/resources/video/relations/${relation}`)).status).toBe(404)
    expect((await api.ask('GET', '$S/resources/video/roles/editor')).body.granted_to).toBeNull()
    await api.ask('POST', path, sent)
  })

  it('a group in a group is the role member on it', async () => {
    await api.ask('POST', '$S/groups', { group_instance_key: 'org', group_tenant: 'default' })
    const path = '$S/groups/sales/assign_group'
    const { status, body } = await api.ask('PUT', path, { group_instance_key: 'group:org' })
    expect([status, body.assigned_roles]).toEqual([200, ['group:sales#member', 'group:org#member']])
    expect((await api.ask('GET', '$S/resources/group/roles/member')).body.granted_to.users_with_role).toMatchObject([
      { role: 'member', on_resource: 'group', linked_by_relation: 'group_group_member' },
    ])
    const own = await api.ask('PUT', path, { group_instance_key: 'sales' })
    expect(own.body.detail).toMatchObject([{ loc: ['body', 'group_instance_key'] }])
    expect((await api.ask('PUT', path, { group_instance_key: 'nothing' })).status).toBe(404)
    expect((await api.ask('PUT', path, { group_instance_key: 'group:marketing' })).status).toBe(400)
    expect((await api.ask('DELETE', path, { group_instance_key: 'org' })).status).toBe(204)
    expect((await api.ask('DELETE', path, { group_instance_key: 'org' })).status).toBe(404)
    expect((await group('sales')).assigned_roles).toEqual(['group:sales#member'])
  })

  it('the reads in pages show a group by itself, the other groups, its users and its roles', async () => {
    await api.ask('PUT', '$S/groups/sales/assign_group', { group_instance_key: 'org' })
    await api.ask('PUT', '$S/groups/sales/users/ben', { tenant: 'default' })
    const given = { role: 'editor', resource: 'video', resource_instance: 'intro', tenant: 'default' }
    await api.ask('POST', '$S/groups/sales/roles', given)
    const { id, assigned_roles: _roles, users: _users, ...block } = await group('sales')
    expect((await api.ask('GET', '$S/groups/direct/group:sales')).body).toEqual({ id, ...block })
    const page = async (path: string) => (await api.ask('GET', `$S/groups/${path}`)).body
    expect(await page('direct?search=sal')).toEqual({ data: [{ id, ...block }], total_count: 1, page_count: 1 })
    expect(await page('direct?tenant=default&per_page=1&page=2')).toMatchObject({
      data: [{}],
      total_count: 3,
      page_count: 3,
    })
    expect(await page('direct?tenant=nothing')).toEqual({ data: [], total_count: 0, page_count: 0 })
    expect(await page('org/children')).toEqual({ data: [{ id, ...block }], total_count: 1, page_count: 1 })
    expect(names((await page('sales/parents')).data)).toEqual(['org'])
    expect(await page('sales/children')).toEqual({ data: [], total_count: 0, page_count: 0 })
    const { data: members, total_count } = await page('sales/users')
    expect([members, total_count]).toEqual([[(await api.ask('GET', '$F/users/ben')).body], 1])
    expect((await page('org/users')).data).toEqual([])
    const roles = await page('sales/roles')
    expect(roles).toMatchObject({
      data: [
        { key: 'member', resource: { key: 'group' }, resource_instance: { key: 'org' } },
        {
          id: ID,
          key: 'editor',
          name: 'editor',
          resource: { id: ID, key: 'video' },
          resource_instance: { id: ID, key: 'intro' },
        },
      ],
      total_count: 2,
    })
    expect(await page('sales/roles?per_page=1&page=2')).toEqual({
      data: [roles.data[1]],
      total_count: 2,
      page_count: 2,
    })
    for (const path of ['direct/nothing', 'nothing/children', 'nothing/users'])
      expect((await api.ask('GET', `$S/groups/${path}`)).status).toBe(404)
    expect((await api.ask('GET', '$S/groups/sales/users?per_page=101')).status).toBe(422)
    await api.ask('DELETE', '$S/groups/sales/roles', given)
    await api.ask('DELETE', '$S/groups/sales/assign_group', { group_instance_key: 'org' })
  })

  it('a group goes with its instance, members and roles; and with its instance, type or tenant', async () => {
    expect((await api.ask('DELETE', '$S/groups/team:marketing')).status).toBe(204)
    expect((await api.ask('DELETE', '$S/groups/team:marketing')).status).toBe(404)
    expect((await api.ask('GET', '$F/resource_instances/team:marketing')).status).toBe(404)
    expect((await api.ask('GET', '$F/role_assignments?user=ana')).body).toEqual([])
    expect((await api.ask('GET', '$S/resources/video')).body.relations).toEqual({})
    await api.ask('DELETE', '$F/resource_instances/group:sales')
    expect((await api.ask('GET', '$S/groups/sales')).status).toBe(404)
    await api.ask('DELETE', '$F/tenants/acme')
    expect(names((await api.ask('GET', '$S/groups')).body)).toEqual(['org'])
    await api.ask('DELETE', '$S/resources/group')
    expect((await api.ask('GET', '$S/groups')).body).toEqual([])
  })
})
