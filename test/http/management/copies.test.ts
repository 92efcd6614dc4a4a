// Copying environments: the whole schema into a new one, conflicts in an existing one, and what a scope leaves out.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Harness, joinHarness } from './harness.ts'

let api: Harness
const COPY = '/v2/projects/default/envs/development/copy'
const copy = (body: object) => api.ask('POST', COPY, body)
const readSchema = async (environment: string) => {
  const get = async (what: string) =>
    (await api.ask('GET', `/v2/schema/default/${environment}/${what}?per_page=100`)).body
  const rules = (await api.ask('GET', `/v2/facts/default/${environment}/set_rules`)).body
  const plain = JSON.stringify([await get('resources'), await get('roles'), await get('condition_sets'), rules])
  return JSON.parse(plain, (name, value) => (/(^id|_id|_at)$/.test(name) ? undefined : value))
}

beforeEach(async () => {
  api = await joinHarness()
  const make = async (path: string, body: object) => {
    const { status, body: answer } = await api.ask('POST', path, body)
    expect(status, JSON.stringify(answer)).toBe(200)
  }
  await make('$S/resources', {
    key: 'folder',
    actions: { open: {} },
    roles: { owner: { name: 'Owner', permissions: ['open'] } },
  })
  await make('$S/resources', {
    key: 'document',
    name: 'Document',
    actions: { read: { description: 'look' }, write: {} },
    attributes: { secret: { type: 'bool' } },
    relations: { parent: 'folder' },
    roles: { editor: { name: 'editor', permissions: ['write'] } },
  })
  await make('$S/resources/document/roles/editor/implicit_grants', {
    role: 'owner',
    on_resource: 'folder',
    linked_by_relation: 'parent',
  })
  await make('$S/resources/document/action_groups', { key: 'all', name: 'all', actions: ['read', 'write'] })
  await make('$S/roles', { key: 'viewer', permissions: ['document:read'] })
  await make('$S/roles', { key: 'admin', permissions: ['document:write', 'folder:open'], extends: ['viewer'] })
  await make('$S/condition_sets', { key: 'staff', type: 'userset', conditions: { 'user.key': { equals: 'ana' } } })
  await make('$S/condition_sets', { key: 'chiefs', type: 'userset', parent_id: 'staff', conditions: {} })
  await make('$S/condition_sets', {
    key: 'secrets',
    type: 'resourceset',
    resource_id: 'document',
    conditions: { 'resource.secret': { equals: true } },
  })
  await make('$F/set_rules', { user_set: 'staff', permission: 'document:read', resource_set: 'secrets' })
  await make('$F/set_rules', {
    user_set: 'viewer',
    permission: 'document:write',
    resource_set: 'document',
    is_role: true,
    is_resource: true,
  })
  await make('$F/users', { key: 'ana' })
})
afterEach(() => api.close())

describe('copying an environment', () => {
  it('into a new one makes the same schema, without the facts', async () => {
    const answer = await copy({ target_env: { new: { key: 'staging', name: 'Staging' } } })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    expect(answer.body).toMatchObject({ key: 'staging', name: 'Staging' })
    expect(await readSchema('staging')).toEqual(await readSchema('development'))
    expect((await api.ask('GET', '/v2/facts/default/staging/users')).body.total_count).toBe(0)
    expect((await api.ask('GET', '/v2/facts/default/staging/tenants')).body).toMatchObject([{ key: 'default' }])
    expect(api.store.head(answer.body.id).revision).toBe(1)
    expect((await api.ask('GET', '/v2/api-key/default/staging')).body.secret).toMatch(/^zh_env_/)
  })

  it('into an existing one fails on the first object that is there, and changes nothing', async () => {
    await api.ask('POST', '/v2/schema/default/production/roles', { key: 'viewer' })
    const before = await readSchema('production')
    const answer = await copy({ target_env: { existing: 'production' } })
    expect([answer.status, answer.body.error_code]).toEqual([409, 'DUPLICATE_ENTITY'])
    expect(await readSchema('production')).toEqual(before)
  })

  it.each([
    ['__user', 'number', 409],
    ['__user', 'string', 201],
    ['__tenant', 'number', 409],
  ])('into an existing one whose %s has an attribute of the same key as %s answers %i', async (type, there, status) => {
    const add = (environment: string, of: string) =>
      api.ask('POST', `/v2/schema/default/${environment}/resources/${type}/attributes`, { key: 'region', type: of })
    expect((await add('development', 'string')).status).toBe(200)
    expect((await add('production', there)).status).toBe(200)
    const answer = await copy({ target_env: { existing: 'production' } })
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    const { body } = await api.ask('GET', `/v2/schema/default/production/resources/${type}/attributes/region`)
    expect(body.type).toBe(there)
    if (status === 409) expect(answer.body.message).toContain(`${type}.region`)
    expect((await readSchema('production'))[1].some(({ key }: { key: string }) => key === 'viewer')).toBe(
      status === 201,
    )
  })

  it('overwrites what is there, keeps what is only there, and is nothing the second time', async () => {
    await api.ask('POST', '/v2/schema/default/production/resources', {
      key: 'document',
      name: 'Old',
      actions: { burn: {} },
    })
    await api.ask('POST', '/v2/schema/default/production/resources', { key: 'own', actions: { use: {} } })
    await api.ask('POST', '/v2/schema/default/production/roles', {
      key: 'viewer',
      permissions: ['document:burn', 'own:use'],
    })
    await api.ask('POST', '/v2/schema/default/production/roles', {
      key: 'local',
      permissions: ['document:burn', 'own:use'],
    })
    const old = (await api.ask('GET', '/v2/schema/default/production/roles/viewer')).body
    const body = { target_env: { existing: 'production' }, conflict_strategy: 'overwrite' }
    expect((await copy(body)).status).toBe(201)
    const role = async (key: string) => (await api.ask('GET', `/v2/schema/default/production/roles/${key}`)).body
    expect(await role('viewer')).toMatchObject({ id: old.id, permissions: ['document:read'] })
    expect((await role('local')).permissions).toEqual(['own:use'])
    const [resources] = await readSchema('production')
    expect(resources.map(({ key }: { key: string }) => key)).toEqual(['document', 'own', 'folder'])
    const { revision } = api.store.head(api.made.environments[1]!.id)
    expect((await copy(body)).status).toBe(201)
    expect(api.store.head(api.made.environments[1]!.id).revision).toBe(revision)
  })

  it('leaves out what the scope does, and what needs it', async () => {
    const answer = await copy({
      target_env: { new: { key: 'part' } },
      scope: { resources: { exclude: ['folder'] }, roles: { include: ['admin'] }, user_sets: { include: ['staff'] } },
    })
    expect(answer.status, JSON.stringify(answer.body)).toBe(201)
    const [resources, roles, sets, rules] = await readSchema('part')
    expect(resources).toMatchObject([{ key: 'document', relations: {}, roles: { editor: { granted_to: null } } }])
    expect(roles).toMatchObject([{ key: 'admin', permissions: ['document:write'], extends: [] }])
    expect(sets.map(({ key }: { key: string }) => key)).toEqual(['staff', 'secrets'])
    expect(rules).toMatchObject([{ user_set: 'staff' }])
  })

  it('never leaves out the parent of a set, because the set would allow more', async () => {
    const answer = await copy({ target_env: { new: { key: 'part' } }, scope: { user_sets: { include: ['chiefs'] } } })
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0]).toMatchObject({ loc: ['body', 'scope'], msg: expect.stringContaining('`staff`') })
    expect((await api.ask('GET', '/v2/projects/default/envs/part')).status).toBe(404)
  })

  it.each([
    [{ target_env: {} }, 422],
    [{ target_env: { existing: 'production', new: { key: 'x' } } }, 422],
    [{ target_env: { existing: 'development' } }, 422],
    [{ target_env: { existing: 'none' } }, 404],
    [{ target_env: { new: { key: 'production' } } }, 409],
    [{ target_env: { existing: 'production' }, conflict_strategy: 'merge' }, 422],
  ])('%j answers %i', async (body, status) => {
    expect((await copy(body)).status).toBe(status)
  })

  it('as a task answers at once, or when it is done', async () => {
    const start = (body: object, wait = 0) => api.ask('POST', `${COPY}/async?wait=${wait}`, body)
    const task = await start({ target_env: { new: { key: 'later' } } })
    expect([task.status, task.body.status]).toEqual([202, 'processing'])
    const result = await api.ask('GET', `${COPY}/async/${task.body.task_id}/result?wait=10`)
    expect(result.body).toMatchObject({ status: 'success', result: { key: 'later' }, error: null })
    const failed = await start({ target_env: { new: { key: 'later' } } }, 10)
    expect(failed.body).toMatchObject({ status: 'failure', result: null, error: { error_code: 'DUPLICATE_ENTITY' } })
    expect((await api.ask('GET', `${COPY}/async/none/result`)).status).toBe(404)
    expect((await start({ target_env: {} }, 61)).status).toBe(422)
  })
})

describe('the plan of a copy', () => {
  const plan = (body: object) => api.ask('POST', `${COPY}/plan`, body)
  const existing = { target_env: { existing: 'production' }, conflict_strategy: 'overwrite' }
  const ask = async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const answer = await api.ask(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  }
  const assign = async (user: string) => {
    await ask('POST', '/v2/facts/default/production/users', { key: user })
    const assignment = { user, role: 'viewer', tenant: 'default' }
    await ask('POST', '/v2/facts/default/production/role_assignments', assignment)
  }
  const production = () => api.made.environments[1]!.id

  it('says what changes and who gains access, writes nothing, and is what the copy then does', async () => {
    await ask('POST', '/v2/schema/default/production/roles', { key: 'viewer', name: 'Old' })
    await assign('ben')
    expect((await plan({ target_env: { existing: 'production' } })).status).toBe(409)
    const before = api.store.head(production())
    const planned = await plan(existing)
    expect(planned.status, JSON.stringify(planned.body)).toBe(200)
    expect(api.store.head(production())).toEqual(before)
    const { changes, access, revision, fingerprints } = planned.body
    expect(revision).toBe(before.revision)
    expect(changes).toContainEqual({
      op: 'update',
      kind: 'role',
      key: 'viewer',
      fields: { name: ['Old', null], permissions: [null, ['document:read']] },
    })
    expect(access.gained.first).toMatchObject([
      { user: 'ben', action: 'read' },
      { user: 'ben', action: 'write' },
    ])
    expect(Object.keys(fingerprints)).toHaveLength(changes.length)
    const { policy } = planned.body
    expect((await copy({ ...existing, fingerprints, expected: { policy, access } })).status).toBe(201)
    expect((await plan(existing)).body.changes).toEqual([])
    const [event] = (await api.ask('GET', `/v2/history?env_id=${production()}`)).body.data
    const count = (op: string) => changes.filter((change: { op: string }) => change.op === op).length
    expect(event.summary).toBe(`copy of development: ${count('create')} created, ${count('update')} changed`)
  })

  it('is outdated when an object of it changed, in the source or in the target, and when more access changes', async () => {
    await ask('POST', '/v2/schema/default/production/roles', { key: 'viewer' })
    const refused = async (agreed: object, what: string) => {
      const { status, body } = await copy({ ...existing, ...agreed })
      expect([status, body.message]).toEqual([409, expect.stringContaining(what)])
    }
    const { fingerprints } = (await plan(existing)).body
    await ask('PATCH', '$S/roles/viewer', { description: 'sees' })
    await refused({ fingerprints }, 'changed since the plan was made: role `viewer`')
    const later = (await plan(existing)).body
    await ask('PATCH', '/v2/schema/default/production/roles/viewer', { description: 'looks' })
    await refused({ fingerprints: later.fingerprints }, 'role `viewer`')
    const { fingerprints: now, policy, access } = (await plan(existing)).body
    await assign('eve')
    const grown = { fingerprints: now, expected: { policy, access } }
    await refused(grown, 'more access changes than the plan says')
    expect((await copy({ ...existing, ...grown, force: true })).status).toBe(201)
  })

  it('into a new environment is all that it would have', async () => {
    const fresh = { target_env: { new: { key: 'staging' } } }
    const { status, body } = await plan(fresh)
    expect([status, body.revision]).toEqual([200, 0])
    expect(new Set(body.changes.map(({ op }: { op: string }) => op))).toEqual(new Set(['create']))
    expect(body.policy.gained).toContainEqual({
      source: { kind: 'role', role: 'viewer' },
      permission: 'document:read',
    })
    await ask('PATCH', '$S/roles/viewer', { description: 'sees' })
    expect((await copy({ ...fresh, fingerprints: body.fingerprints })).status).toBe(409)
    const { fingerprints } = (await plan(fresh)).body
    expect((await copy({ ...fresh, fingerprints })).status).toBe(201)
    expect(await readSchema('staging')).toEqual(await readSchema('development'))
    expect((await plan(fresh)).status).toBe(409)
    expect((await plan({ target_env: {} })).status).toBe(422)
    expect((await plan({ target_env: { existing: 'nowhere' } })).status).toBe(404)
  })
})

describe('a copy with the roles of tenants', () => {
  const [from, to] = ['development', 'production']
  const at = (environment: string, path: string) => `/v2/facts/default/${environment}/${path}`
  const ask = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const answer = await api.ask(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    return answer
  }
  const send = (source: string, target: string, more: object, verb = '') => {
    const body = { target_env: { existing: target }, conflict_strategy: 'overwrite', ...more }
    return api.ask('POST', `/v2/projects/default/envs/${source}/copy${verb}`, body)
  }
  const listOwn = async (environment: string, tenant = 'acme') => {
    const { data } = (await api.ask('GET', at(environment, `tenants/${tenant}/roles`))).body
    return data
      .filter((role: { tenant: string | null }) => role.tenant !== null)
      .map(({ id: _, ...role }: { id: string }) => role)
  }
  const makeOwn = (environment: string, role: object, tenant = 'acme') =>
    ask('POST', at(environment, `tenants/${tenant}/roles`), role)

  beforeEach(async () => {
    for (const action of ['read', 'write'])
      await ask('PATCH', `$S/resources/document/actions/${action}`, { grantable: true })
    await ask('PATCH', '$S/roles/viewer', { extendable: true })
    for (const [environment, key] of [
      [from, 'acme'],
      [from, 'globex'],
      [to, 'acme'],
    ] as const)
      await ask('POST', at(environment, 'tenants'), { key })
    await makeOwn(from, { key: 'base', permissions: ['document:read'] })
    const requestable = { approvers: ['viewer', 'base'], max_duration: 60 }
    await makeOwn(from, { key: 'clerk', name: 'Clerk', extends: ['viewer', 'base'], requestable })
    await makeOwn(from, { key: 'theirs' }, 'globex')
  })

  it('takes along those of tenants that the target has, when it is asked to, and says so in its plan', async () => {
    expect((await send(from, to, {}, '/plan')).body).not.toHaveProperty('tenant_roles')
    expect((await send(from, to, {})).status).toBe(201)
    expect(await listOwn(to)).toEqual([])
    const planned = await send(from, to, { tenant_roles: true }, '/plan')
    const { changes, tenant_roles: roles, fingerprints } = planned.body
    expect([planned.status, changes]).toEqual([200, []])
    expect(roles).toEqual([
      { op: 'create', key: 'base@acme', fields: { permissions: [null, ['document:read']] } },
      {
        op: 'create',
        key: 'clerk@acme',
        fields: {
          name: [null, 'Clerk'],
          extends: [null, ['base@acme', 'viewer']],
          requestable: [null, expect.objectContaining({ approvers: ['base@acme', 'viewer'] })],
        },
      },
    ])
    expect(Object.keys(fingerprints)).toEqual(['tenant_role:base@acme', 'tenant_role:clerk@acme'])
    await ask('PATCH', at(from, 'tenants/acme/roles/base'), { description: 'later' })
    const late = await send(from, to, { tenant_roles: true, fingerprints })
    expect([late.status, late.body.message]).toEqual([409, expect.stringContaining('tenant role `base@acme`')])
    expect((await send(from, to, { tenant_roles: true })).status).toBe(201)
    expect(await listOwn(to)).toEqual(await listOwn(from))
    const again = (await send(from, to, { tenant_roles: true }, '/plan')).body
    expect(again).not.toHaveProperty('tenant_roles')
    const production = api.made.environments[1]!.id
    const { revision } = api.store.head(production)
    expect((await send(from, to, { tenant_roles: true })).status).toBe(201)
    expect(api.store.head(production).revision).toBe(revision)
    const [event] = (await api.ask('GET', `/v2/history?env_id=${production}`)).body.data
    expect(event.summary).toBe('copy of development: 2 created')
  })

  it('overwrites those of the target when it may, whatever extends what on both sides, and keeps others', async () => {
    await send(from, to, {})
    await makeOwn(to, { key: 'clerk', permissions: ['document:write'] })
    await makeOwn(to, { key: 'base', extends: ['clerk'] })
    await makeOwn(to, { key: 'local' })
    const refused = await send(from, to, { tenant_roles: true, conflict_strategy: 'fail', scope: NOTHING })
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('`base@acme`')])
    const user = { key: 'ben', role_assignments: [{ role: 'clerk@acme', tenant: 'acme' }] }
    await ask('POST', at(to, 'users'), user)
    const { access, policy } = (await send(from, to, { tenant_roles: true }, '/plan')).body
    expect(access.lost.first).toMatchObject([{ user: 'ben', action: 'write' }])
    expect(JSON.stringify(policy)).toContain('clerk@acme')
    expect((await send(from, to, { tenant_roles: true })).status).toBe(201)
    const [own, ...others] = await listOwn(from)
    expect(new Set(await listOwn(to))).toEqual(
      new Set([own, ...others, expect.objectContaining({ key: 'local@acme' })]),
    )
  })

  it('gives no more than the target offers', async () => {
    await ask('PATCH', at(from, 'tenants/acme/roles/clerk'), { permissions: ['document:write'] })
    await send(from, to, {})
    await ask('PATCH', `/v2/schema/default/${to}/resources/document/actions/read`, { grantable: false })
    await ask('PATCH', `/v2/schema/default/${to}/roles/viewer`, { extendable: false })
    expect((await send(from, to, { tenant_roles: true, scope: NOTHING })).status).toBe(201)
    expect(await listOwn(to)).toMatchObject([
      { key: 'base@acme', permissions: [] },
      { key: 'clerk@acme', permissions: ['document:write'], extends: ['base@acme'] },
    ])
  })

  it('goes the other way as well, and into a new environment, which has no tenant of theirs, takes none', async () => {
    await send(from, to, {})
    await makeOwn(to, { key: 'made-there', permissions: ['document:write'] })
    expect((await send(to, from, { tenant_roles: true })).status).toBe(201)
    expect((await listOwn(from)).map(({ key }: { key: string }) => key)).toEqual([
      'base@acme',
      'clerk@acme',
      'made-there@acme',
    ])
    const fresh = { target_env: { new: { key: 'fresh' } }, tenant_roles: true }
    expect((await send(from, to, fresh, '/plan')).body).not.toHaveProperty('tenant_roles')
    expect((await send(from, to, fresh)).status).toBe(201)
    expect((await send(from, to, { tenant_roles: 'yes' })).status).toBe(422)
  })
})

const NOTHING = Object.fromEntries(
  ['resources', 'roles', 'user_sets', 'resource_sets'].map((part) => [part, { include: ['nothing'] }]),
)
