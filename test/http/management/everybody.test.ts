// Roles of everybody (D16): the flag of a role, and assignments whose user is `*`, on every way in and out.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Ask, type Harness, joinHarness } from './harness.ts'

const ENVIRONMENT = '/v2/projects/default/envs/development'
const NO_ID = '0'.repeat(32)
const IN_TENANT = { user: '*', role: 'reader', tenant: 'acme' }
const ON_INSTANCE = { user: '*', role: 'viewer', resource_instance: 'doc:plan' }
const UNTIL = '2099-06-01T12:00:00.000+00:00'

let api: Harness
let ask: Ask
beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
})
afterAll(() => api.close())

const POLICY = {
  zerohop: 2,
  resources: [
    {
      key: 'doc',
      actions: { read: {} },
      roles: { viewer: { permissions: ['read'], everybody: true }, owner: { permissions: ['read'] } },
    },
  ],
  roles: [
    { key: 'reader', permissions: ['doc:read'], everybody: true },
    { key: 'closed', permissions: ['doc:read'] },
    { key: 'short', everybody: true, default_duration: 60, max_duration: 3600 },
  ],
}
const FACTS = {
  tenants: [{ key: 'acme' }, { key: 'other' }],
  users: [{ key: 'ana' }],
  resource_instances: [{ resource: 'doc', key: 'plan', tenant: 'acme' }],
}
/** Every test begins with the same roles and with nothing for everybody. */
beforeEach(async () => {
  for (const key of ['acme', 'other']) await ask('DELETE', `$F/tenants/${key}`)
  await apply({ ...POLICY, ...FACTS })
})

const apply = async (policy: object, options: object = {}) => {
  const answer = await ask('POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, ...policy }, ...options })
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 })
  return answer.body
}
const give = (body: object = IN_TENANT, method: 'POST' | 'PUT' | 'DELETE' = 'POST') =>
  ask(method, '$F/role_assignments', body)
const listed = async (query = 'user=*') => (await ask('GET', `$F/role_assignments?${query}`)).body
const keys = () =>
  Array.from(api.store.view(api.environment).by('assignments_of_user', '*'), ({ key }: { key: string }) => key)
const revision = () => api.store.head(api.environment).revision
const refused = (answer: { readonly status: number; readonly body: unknown }, code: string, status = 422) => {
  expect({ status: answer.status, text: JSON.stringify(answer.body) }).toEqual({
    status,
    text: expect.stringContaining(code),
  })
}

describe('the flag `everybody` of a role', () => {
  it.each([
    ['a role', '$S/roles'],
    ['a role of a resource type', '$S/resources/doc/roles'],
  ])('of %s is taken, answered, kept where it is not sent, and reset by false and null', async (_, path) => {
    await ask('DELETE', `${path}/open`)
    expect(await ask('POST', path, { key: 'open', everybody: true })).toMatchObject({ body: { everybody: true } })
    const one = `${path}/open`
    expect((await ask('PUT', one, { name: 'Open' })).body).toMatchObject({ name: 'Open', everybody: true })
    expect((await ask('PATCH', one, { name: 'Still' })).body).toMatchObject({ everybody: true })
    expect((await ask('PATCH', one, { everybody: false })).body).not.toHaveProperty('everybody')
    expect((await ask('PUT', one, { everybody: true })).body).toMatchObject({ everybody: true })
    expect((await ask('PUT', one, { everybody: null })).body).not.toHaveProperty('everybody')
    expect((await ask('GET', one)).body).not.toHaveProperty('everybody')
    await ask('DELETE', one)
  })

  it('is true or false, and nothing else', async () => {
    for (const everybody of ['true', 1, {}])
      expect(await ask('PATCH', '$S/roles/closed', { everybody })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body', 'everybody'] }] },
      })
  })

  it('is needed by every write that gives the role to everybody', async () => {
    const to = { user: '*', role: 'closed', tenant: 'acme' }
    const text = 'role `closed` cannot be given to everyone: set its `everybody` to true first'
    for (const method of ['POST', 'PUT'] as const) {
      const answer = await give(to, method)
      refused(answer, text)
      expect(answer.body.detail).toMatchObject([{ loc: ['body', 'role'] }])
    }
    refused(await ask('POST', '$F/role_assignments/bulk', [to]), text)
    refused(await give({ ...ON_INSTANCE, role: 'owner' }), 'resource role `doc/owner` cannot be given to everyone')
    const policy = { zerohop: 2, role_assignments: [to] }
    refused(await ask('POST', `${ENVIRONMENT}/plan`, { policy }), text)
    refused(await ask('POST', `${ENVIRONMENT}/apply`, { policy }), text)
    expect(keys()).toEqual([])
  })

  it('[D11] cannot be taken from a role that everybody has, until that has ended', async () => {
    await give()
    await give(ON_INSTANCE)
    const used = 'is still used by assignments to everyone'
    for (const [path, body] of [
      ['$S/roles/reader', { everybody: false }],
      ['$S/roles/reader', { everybody: null }],
      ['$S/resources/doc/roles/viewer', { everybody: false }],
    ] as const)
      for (const method of ['PATCH', 'PUT'] as const) refused(await ask(method, path, body), used, 409)
    expect((await ask('PUT', '$S/roles/reader', { permissions: [] })).status).toBe(200)
    expect((await ask('PATCH', '$S/roles/short', { everybody: false })).status).toBe(200)
    const policy = { zerohop: 2, roles: [{ key: 'reader' }] }
    refused(await ask('POST', `${ENVIRONMENT}/plan`, { policy }), used, 409)
    await give(IN_TENANT, 'DELETE')
    expect((await ask('PATCH', '$S/roles/reader', { everybody: false })).status).toBe(200)
    refused(await ask('PATCH', '$S/resources/doc/roles/viewer', { everybody: false }), used, 409)
    await ask('DELETE', '$F/resource_instances/doc:plan')
    expect((await ask('PATCH', '$S/resources/doc/roles/viewer', { everybody: false })).status).toBe(200)
  })
})

describe('a role of everybody', () => {
  it('is given, answered and taken as that of a user, and makes nobody a user or a member', async () => {
    const made = await give()
    expect(made).toMatchObject({ status: 200, body: { user: '*', user_id: NO_ID, role: 'reader', tenant: 'acme' } })
    refused(await give(), 'already exists', 409)
    expect((await give(ON_INSTANCE)).body).toMatchObject({ user: '*', resource_instance: 'doc:plan', tenant: 'acme' })
    expect(keys()).toEqual(['*/reader/acme', '*/viewer/acme/doc:plan'])
    expect((await ask('GET', '$F/users')).body.data.map(({ key }: { key: string }) => key)).toEqual(['ana'])
    expect((await ask('GET', '$F/users?role=reader')).body.data).toEqual([])
    expect((await ask('GET', '$F/tenants/acme/users')).body.data).toEqual([])
    expect((await ask('GET', '$F/users/*')).status).toBe(404)
    expect((await give(IN_TENANT, 'DELETE')).status).toBe(204)
    expect((await give(IN_TENANT, 'DELETE')).status).toBe(404)
    expect(keys()).toEqual(['*/viewer/acme/doc:plan'])
  })

  it('counts for users who are stored and who are not, from its write until it ends', async () => {
    const answers = async (key: string) => {
      const resource = { type: 'doc', key, tenant: 'acme' }
      const allowed = async (user: string) =>
        (await ask('POST', `${ENVIRONMENT}/check`, { user, action: 'read', resource })).body.allow
      return [await allowed('ana'), await allowed('nobody')]
    }
    expect(await answers('plan')).toEqual([false, false])
    await give(ON_INSTANCE)
    expect([await answers('plan'), await answers('other')]).toEqual([
      [true, true],
      [false, false],
    ])
    await give(IN_TENANT)
    expect(await answers('other')).toEqual([true, true])
    await give({ ...IN_TENANT, valid_until: 5 }, 'PUT')
    await give(ON_INSTANCE, 'DELETE')
    expect([await answers('plan'), await answers('other')]).toEqual([
      [false, false],
      [false, false],
    ])
  })

  it('is in lists: of everybody, of its role, of its tenant, and with its objects', async () => {
    await give()
    await give({ ...IN_TENANT, user: 'ana' })
    await give(ON_INSTANCE)
    const users = (rows: readonly { readonly user: string }[]) => rows.map(({ user }) => user)
    expect(users(await listed())).toEqual(['*', '*'])
    expect(users(await listed('user=*&tenant=acme&role=reader'))).toEqual(['*'])
    expect(users(await listed('user=*&user=ana&tenant=acme'))).toEqual(['*', 'ana', '*'])
    expect(users(await listed('role=reader'))).toEqual(['*', 'ana'])
    expect(users(await listed('tenant=acme'))).toEqual(['*', 'ana', '*'])
    expect(await listed(`user=${NO_ID}`)).toEqual([])
    const [detailed] = await listed('user=*&detailed=true')
    expect(detailed.user).toEqual({
      ...{ id: NO_ID, key: '*', email: null, first_name: null, last_name: null },
      attributes: {},
    })
  })

  it('[D15] may be for a time, with a reason and a ticket, by the durations of its role', async () => {
    const why = { reason: 'open day', ticket: 'OPS-1' }
    expect((await give({ ...IN_TENANT, valid_until: UNTIL, ...why })).body).toMatchObject({
      valid_until: UNTIL,
      ...why,
    })
    expect((await give({ ...IN_TENANT, ticket: null }, 'PUT')).body).not.toHaveProperty('ticket')
    expect((await give({ ...IN_TENANT, role: 'short' })).body).toHaveProperty('valid_until')
    refused(await give({ ...IN_TENANT, role: 'short', valid_until: null }, 'PUT'), 'for 3600 seconds at most')
    await give({ ...IN_TENANT, valid_until: 5 }, 'PUT')
    expect((await listed()).map(({ role }: { role: string }) => role)).toEqual(['short'])
    expect((await listed('user=*&state=ended')).map(({ role }: { role: string }) => role)).toEqual(['reader'])
    expect((await give()).status).toBe(200)
  })

  it('is given and taken by bulk calls, whatever they do about users who are missing', async () => {
    for (const policy of ['fail', 'create', 'ignore']) {
      const { body } = await ask('POST', `$F/role_assignments/bulk?missing_user_policy=${policy}`, [
        IN_TENANT,
        ON_INSTANCE,
      ])
      expect({ policy, ...body }).toEqual({ policy, assignments_created: 2 })
      expect((await ask('DELETE', '$F/role_assignments/bulk', [IN_TENANT, ON_INSTANCE])).body).toMatchObject({
        assignments_removed: 2,
      })
    }
    expect((await ask('GET', '$F/users')).body.data).toHaveLength(1)
  })

  it.each([
    ['its role', 'DELETE', '$S/roles/reader', ['*/viewer/acme/doc:plan']],
    ['its role on instances', 'DELETE', '$S/resources/doc/roles/viewer', ['*/reader/acme']],
    ['its instance', 'DELETE', '$F/resource_instances/doc:plan', ['*/reader/acme']],
    ['its tenant', 'DELETE', '$F/tenants/acme', []],
  ] as const)('[D11] ends with %s', async (_, method, path, left) => {
    await give()
    await give(ON_INSTANCE)
    expect((await ask(method, path)).status).toBe(204)
    expect(keys()).toEqual(left)
  })

  it('stays when users are deleted, replaced or put out of the tenant', async () => {
    await give()
    await ask('PUT', '$F/users/ana', { role_assignments: [] })
    await ask('DELETE', '$F/tenants/acme/users/ana')
    await ask('DELETE', '$F/users/ana')
    expect(keys()).toEqual(['*/reader/acme'])
  })

  it('is on an instance of the tenant that is named, and no other', async () => {
    refused(await give({ ...ON_INSTANCE, tenant: 'other' }), 'is in tenant `acme`, not in `other`', 400)
  })

  it('is not what the first API version knows', async () => {
    await give()
    const { body } = await ask('GET', '/v1/role_assignments')
    expect(body.data ?? body).toEqual([])
    expect((await ask('POST', '/v1/role_assignments', { user: '*', role: 'reader', scope: 'other' })).status).toBe(404)
    expect((await ask('DELETE', '/v1/role_assignments?user=*&role=reader&scope=acme')).status).toBe(404)
    expect(keys()).toEqual(['*/reader/acme'])
  })
})

describe('`*` is no user', () => {
  it.each([
    ['created', 'POST', '$F/users', { key: '*' }, 422],
    ['replaced', 'PUT', '$F/users/*', {}, 422],
    ['changed', 'PATCH', '$F/users/*', { first_name: 'A' }, 404],
    ['deleted', 'DELETE', '$F/users/*', undefined, 404],
    ['suspended', 'PUT', '$F/users/*/suspension', { reason: 'left' }, 404],
    ['given a role by its path', 'POST', '$F/users/*/roles', { role: 'reader', tenant: 'acme' }, 404],
    ['deprived of a role by its path', 'DELETE', '$F/users/*/roles', { role: 'reader', tenant: 'acme' }, 404],
    ['made by a bulk call', 'POST', '$F/bulk/users', { operations: [{ key: '*' }] }, 422],
    ['put by a bulk call', 'PUT', '$F/bulk/users', { operations: [{ key: '*' }] }, 422],
    ['put into a tenant', 'POST', '$F/tenants/acme/users', { key: '*' }, 422],
    ['put out of a tenant', 'DELETE', '$F/tenants/acme/users/*', undefined, 404],
    ['put into a group', 'PUT', '$S/groups/team:ops/users/*', { tenant: 'acme' }, 404],
    [
      'invited',
      'POST',
      '$F/user_invites',
      {
        ...{ key: '*', status: 'pending', email: 'a@acme.test', first_name: 'A', last_name: 'B' },
        ...{ role_id: 'reader', tenant_id: 'acme' },
      },
      422,
    ],
    [
      'the subject of a relation',
      'POST',
      '$F/relationship_tuples',
      { subject: 'user:*', relation: 'parent', object: 'doc:plan' },
      404,
    ],
    ['a user of a file', 'POST', `${ENVIRONMENT}/apply`, { policy: { zerohop: 2, users: [{ key: '*' }] } }, 422],
    [
      'a member of a file',
      'POST',
      `${ENVIRONMENT}/apply`,
      { policy: { zerohop: 2, memberships: [{ user: '*', tenant: 'acme' }] } },
      404,
    ],
    [
      'renamed by a file',
      'POST',
      `${ENVIRONMENT}/apply`,
      { policy: { zerohop: 2, users: [{ key: 'all' }], moved: [{ kind: 'user', from: '*', to: 'all' }] } },
      200,
    ],
  ] as const)('and not %s', async (_, method, path, body, status) => {
    const group = { group_instance_key: 'ops', group_tenant: 'acme', group_resource_type_key: 'team' }
    await ask('POST', '$S/groups', group)
    await give()
    const before = revision()
    const answer = await ask(method, path, body)
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status })
    expect(keys()).toEqual(['*/reader/acme'])
    if (status !== 200) expect(revision()).toBe(before)
    await ask('DELETE', '$F/users/all')
    await ask('DELETE', '$S/groups/team:ops')
  })
})

describe('files, plans and reverts', () => {
  it('an export has the flag and the assignments, and makes the same again', async () => {
    await give({ ...IN_TENANT, valid_until: UNTIL, ticket: 'OPS-1' })
    await give(ON_INSTANCE)
    const { body } = await ask('GET', `${ENVIRONMENT}/export?facts=true`)
    const { roles, resources, role_assignments } = body
    expect(roles.find(({ key }: { key: string }) => key === 'reader')).toMatchObject({ everybody: true })
    expect(roles.find(({ key }: { key: string }) => key === 'closed')).not.toHaveProperty('everybody')
    expect(resources.find(({ key }: { key: string }) => key === 'doc').roles.viewer).toMatchObject({ everybody: true })
    expect(role_assignments).toEqual([
      { user: '*', role: 'reader', tenant: 'acme', valid_until: UNTIL, ticket: 'OPS-1' },
      { user: '*', role: 'viewer', tenant: 'acme', resource_instance: 'doc:plan' },
    ])
    expect(await ask('POST', `${ENVIRONMENT}/plan`, { policy: body })).toMatchObject({ body: { changes: [] } })
    await give(IN_TENANT, 'DELETE')
    await apply(body)
    expect(keys().sort()).toEqual(['*/reader/acme', '*/viewer/acme/doc:plan'])
  })

  it('a plan tells everyone from users, and is refused where everyone is new in it', async () => {
    const plan = async (user: string) => {
      const policy = { zerohop: 2, role_assignments: [{ ...IN_TENANT, user }] }
      return (await ask('POST', `${ENVIRONMENT}/plan`, { policy })).body
    }
    const [one, all] = [await plan('ana'), await plan('*')]
    expect(one.access.gained).toMatchObject({ users: 1, decisions: 1, groups: [{ users: 1 }] })
    expect(one.access.gained).not.toHaveProperty('everybody')
    const everyone = { users: 0, everybody: true, decisions: 1 }
    expect(all.access.gained).toMatchObject({ ...everyone, groups: [everyone], first: [{ user: '*' }] })
    const policy = { zerohop: 2, role_assignments: [IN_TENANT] }
    const expected = { policy: one.policy, access: one.access }
    const grown = await ask('POST', `${ENVIRONMENT}/apply`, { policy, expected })
    refused(grown, 'gained doc:read by reader in acme (everyone)', 409)
    expect(keys()).toEqual([])
    const agreed = { policy: all.policy, access: all.access }
    expect((await ask('POST', `${ENVIRONMENT}/apply`, { policy, expected: agreed })).status).toBe(200)
  })

  it('the users who may do something begin with it, on the first page alone', async () => {
    const query = { action: 'read', resource: 'doc:plan', limit: 1 }
    const list = async (after?: string) =>
      (await ask('POST', `${ENVIRONMENT}/authorized-users`, { ...query, after })).body
    expect((await list()).users).toEqual([])
    await give(ON_INSTANCE)
    const page = await list()
    expect(page.users).toMatchObject([
      { user: '*', because: [{ source: 'rebac', everybody: true, role: 'viewer' }] },
      { user: 'ana', because: [{ everybody: true }] },
    ])
    if (page.next !== null) expect((await list(page.next)).users).toEqual([])
    const counts = (await ask('GET', `${ENVIRONMENT}/access/counts?by=resource`)).body.counts
    expect(counts).toEqual([{ key: 'doc:read', users: 0, everybody: true, conditional: 0, permissions: null }])
  })

  it('a file gives and, with prune, takes it, together with the flag', async () => {
    const all = { ...POLICY, ...FACTS }
    await apply({ ...all, role_assignments: [IN_TENANT] }, { prune: true, cascade: true })
    expect(keys()).toEqual(['*/reader/acme'])
    const closed = POLICY.roles.map(({ everybody: _, ...role }) => role)
    const manages = [{ kind: 'role' }, { kind: 'role_assignment' }]
    await apply({ manages, roles: closed, role_assignments: [] }, { prune: true, cascade: true })
    expect(keys()).toEqual([])
    expect((await ask('GET', '$S/roles/reader')).body).not.toHaveProperty('everybody')
  })

  it('reverts undo it and make it again, and refuse to take the flag of a role that is used since', async () => {
    await ask('PATCH', '$S/roles/closed', { everybody: true })
    const flagged = revision()
    await give({ ...IN_TENANT, role: 'closed' })
    const given = revision()
    const conflict = await ask('POST', `${ENVIRONMENT}/revisions/${flagged}/revert`, {})
    refused(conflict, 'is used since', 409)
    expect((await ask('POST', `${ENVIRONMENT}/revisions/${given}/revert`, {})).status).toBe(200)
    expect(keys()).toEqual([])
    const reverted = revision()
    expect((await ask('POST', `${ENVIRONMENT}/revisions/${reverted}/revert`, {})).status).toBe(200)
    expect(keys()).toEqual(['*/closed/acme'])
    await ask('DELETE', '$F/role_assignments', { ...IN_TENANT, role: 'closed' })
    expect((await ask('POST', `${ENVIRONMENT}/revisions/${flagged}/revert`, {})).status).toBe(200)
    expect((await ask('GET', '$S/roles/closed')).body).not.toHaveProperty('everybody')
  })

  it('a copy takes the flag along, and is refused where it would take it from a role that everybody has', async () => {
    const target = '/v2/projects/default/envs/open'
    await ask('DELETE', target)
    const copied = { target_env: { new: { key: 'open', name: 'Open' } } }
    expect((await ask('POST', `${ENVIRONMENT}/copy`, copied)).status).toBe(201)
    const [S, F] = ['/v2/schema/default/open', '/v2/facts/default/open']
    expect((await ask('GET', `${S}/roles/reader`)).body).toMatchObject({ everybody: true })
    expect((await ask('POST', `${F}/role_assignments`, { user: '*', role: 'reader' })).status).toBe(200)
    await ask('PATCH', '$S/roles/reader', { everybody: false })
    const over = { target_env: { existing: 'open' }, conflict_strategy: 'overwrite' }
    refused(await ask('POST', `${ENVIRONMENT}/copy`, over), 'is still used by assignments to everyone', 409)
    await ask('DELETE', target)
  })
})
