// What the administrators of a tenant read with a key of it beside users and roles: resource types, why, decisions and
// history. Nothing of it tells of other tenants, of rules, or of a tenant of the same key that was there before.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatLine } from '../../../src/client/decision-record.ts'
import { hashSecret } from '../../../src/management/objects/api-key.ts'
import { type Ask, type Harness, joinHarness, TIME } from './harness.ts'

const INSTANCE = 'cd'.repeat(16)

let api: Harness
let ask: Ask
let acme: string
let globex: string

const POLICY = {
  zerohop: 2,
  resources: [
    {
      key: 'doc',
      name: 'Document',
      actions: { read: {}, edit: { name: 'Edit' }, purge: {} },
      attributes: { margin: { type: 'number' } },
      roles: {
        editor: { permissions: ['edit'], extends: ['reader'], assignable_by_tenants: true },
        reader: { permissions: ['read'] },
        owner: { permissions: ['edit'] },
      },
    },
  ],
  roles: [
    { key: 'member', permissions: ['doc:read'], assignable_by_tenants: true },
    { key: 'vendor-support', permissions: ['doc:edit'] },
  ],
  condition_sets: [{ key: 'secret-set', type: 'userset', conditions: { 'user.grade': { 'greater-than': 3 } } }],
  set_rules: [{ user_set: 'secret-set', permission: 'doc:purge', resource_set: 'doc' }],
  tenants: [{ key: 'acme' }, { key: 'globex' }],
  users: [
    { key: 'ana', attributes: { grade: 5 } },
    { key: 'ben' },
    { key: 'gil', email: 'gil@globex.example', attributes: { grade: 5 } },
  ],
  resource_instances: [
    { resource: 'doc', key: 'acme-plan', tenant: 'acme' },
    { resource: 'doc', key: 'globex-plan', tenant: 'globex' },
  ],
  role_assignments: [
    { user: 'ana', role: 'member', tenant: 'acme' },
    { user: 'ben', role: 'editor', resource_instance: 'doc:acme-plan', valid_until: '2100-01-01T00:00:00Z' },
    { user: 'gil', role: 'member', tenant: 'globex' },
  ],
}
const as = (key: string) => ({ key })
const read = async (what: string, tenant = 'acme', key = acme) =>
  (await ask('GET', `$F/tenants/${tenant}/${what}`, undefined, as(key))).body
const why = (body: object, key = acme) => ask('POST', '$F/tenants/acme/why', body, as(key))
const refused = ({ status, body }: { status: number; body: unknown }, want: number, text: string) =>
  expect({ status, text: JSON.stringify(body) }).toEqual({ status: want, text: expect.stringContaining(text) })
const createKey = async (tenant: string, name: string) => {
  const { organization_id, environment_id } = api.place
  const body = { organization_id, environment_id, object_type: 'tenant', tenant_id: tenant, name }
  return (await ask('POST', '/v2/api-key', body)).body
}

let sent = 0
/** Records decisions. */
const send = async (
  records: readonly { user: string; tenant: string; at?: number; key?: string; allow?: boolean }[],
) => {
  const secret = api.made.environments[0]!.secret
  const apiKey = api.store.findApiKey(hashSecret(secret))!.key.id
  const lines = records.map(({ user, tenant, at = Date.now(), key = null, allow = true }, n) => {
    const seq = ++sent
    const record = { at, request: `r-${n}`, environment: api.environment, revision: 3, apiKey, user, tenant, allow }
    const rest = {
      action: 'read',
      resourceType: 'doc',
      resourceKey: key,
      micros: 15,
      sent: undefined,
      now: undefined,
    }
    const more = { reason: undefined, isTenantSent: true, omitted: [] }
    return `{"instance":"${INSTANCE}","seq":${seq}${formatLine({ ...record, ...rest, ...more }, 0)}`
  })
  const headers = { 'content-type': 'application/x-ndjson' }
  const options = { key: secret, headers }
  const path = '/v2/pdps/default/development/audit_logs'
  expect((await ask('POST', path, Buffer.from(lines.join('')), options)).body.stored).toBe(records.length)
}

beforeAll(async () => {
  api = await joinHarness()
  ask = api.ask
  const applied = await ask('POST', '/v2/projects/default/envs/development/apply', { policy: POLICY })
  expect(applied).toMatchObject({ status: 200 })
  acme = (await createKey('acme', 'acme admins')).secret
  globex = (await createKey('globex', 'globex admins')).secret
})
afterAll(() => api.close())

describe('resource types', () => {
  it('have their actions, and neither attributes nor roles', async () => {
    const named = (key: string, name = key) => ({ key, name, description: null })
    const { data, total_count } = await read('resources')
    expect(total_count).toBe(1)
    expect(data).toEqual([
      {
        id: expect.any(String),
        ...named('doc', 'Document'),
        actions: [named('read'), named('edit', 'Edit'), named('purge')],
      },
    ])
  })
})

describe('why', () => {
  it('names the roles that allow, where they are held and until when', async () => {
    const asked = { user: 'ana', action: 'read', resource: 'doc:acme-plan' }
    expect((await why(asked)).body).toEqual({
      ...{ allow: true, ...asked, tenant: 'acme', reason: 'role', offered: [], requestable: [] },
      because: [{ role: 'member', everybody: false, resource_instance: null }],
    })
    expect((await why({ user: 'ben', action: 'edit', resource: 'doc:acme-plan' })).body).toMatchObject({
      allow: true,
      because: [{ role: 'editor', resource_instance: 'doc:acme-plan', valid_until: '2100-01-01T00:00:00.000+00:00' }],
    })
  })

  it('of a deny offers the roles that keys of the tenant may assign, also by what they extend', async () => {
    const { body } = await why({ user: 'ben', action: 'read', resource: 'doc' })
    expect(body).toMatchObject({ allow: false, reason: 'none', because: [] })
    expect(body.offered).toEqual([
      { role: 'member', resource: null },
      { role: 'editor', resource: 'doc' },
    ])
    expect((await why({ user: 'ana', action: 'purge', resource: 'doc:acme-plan' })).body).toMatchObject({ allow: true })
  })

  it('of a deny also offers the roles of the tenant itself, and none of another one', async () => {
    await ask('PATCH', '$S/resources/doc/actions/edit', { grantable: true })
    const role = { key: 'own', name: 'Own', permissions: ['doc:edit'] }
    for (const [tenant, key] of [
      ['acme', acme],
      ['globex', globex],
    ] as const)
      expect(await ask('POST', `$F/tenants/${tenant}/roles`, role, as(key))).toMatchObject({ status: 200 })
    const { body } = await why({ user: 'ana', action: 'edit', resource: 'doc' })
    expect(body.offered).toEqual([
      { role: 'own@acme', resource: null },
      { role: 'editor', resource: 'doc' },
    ])
    for (const [tenant, key] of [
      ['acme', acme],
      ['globex', globex],
    ] as const)
      await ask('DELETE', `$F/tenants/${tenant}/roles/own`, undefined, as(key))
  })

  it('says of a rule only that it is one, and of a suspended user that', async () => {
    const { body } = await why({ user: 'ana', action: 'purge', resource: 'doc' })
    expect(body).toMatchObject({ allow: true, reason: 'rule', because: [], offered: [] })
    expect(JSON.stringify(body)).not.toContain('secret-set')
    await ask('PUT', '$F/users/ana/suspension', { reason: 'left' })
    expect((await why({ user: 'ana', action: 'purge', resource: 'doc' })).body).toMatchObject({
      allow: false,
      reason: 'suspended',
    })
    await ask('DELETE', '$F/users/ana/suspension')
  })

  it('is asked about users and instances of the tenant, and names of the policy', async () => {
    const good = { user: 'ana', action: 'read', resource: 'doc' }
    const pairs = [
      [
        { ...good, user: 'gil' },
        { ...good, user: 'nix' },
      ],
      [
        { ...good, resource: 'doc:globex-plan' },
        { ...good, resource: 'doc:nothing-xx' },
      ],
    ] as const
    for (const [foreign, missing] of pairs) {
      const answers = await Promise.all([why(foreign), why(missing)])
      const [one, other] = answers.map(({ status, body }) =>
        JSON.stringify([status, { ...body, id: '' }]).replaceAll(/gil|nix|globex-plan|nothing-xx/g, ''),
      )
      expect(one).toBe(other)
      expect(answers[0].status).toBe(404)
    }
    refused(await why({ ...good, resource: 'cat' }), 404, 'resource `cat` does not exist')
    refused(await why({ ...good, action: 'fly' }), 404, 'action `fly` does not exist')
    refused(await why({ ...good, user: '*' }), 404, 'does not exist')
    refused(await why({ ...good, at: 1 }), 422, 'at')
    refused(await why({ ...good, user: { key: 'ana', attributes: { grade: 9 } } }), 422, 'user')
    refused(await ask('POST', '$F/tenants/globex/why', good, as(acme)), 404, 'tenant `globex` does not exist')
    // the environment asks about the tenant, too, and gets the same
    expect((await why(good, api.made.organization.secret)).body).toEqual((await why(good)).body)
    refused(await why({ ...good, user: 'gil' }, api.made.organization.secret), 404, 'user `gil` does not exist')
  })
})

describe('decisions', () => {
  it('are those in the tenant, since it is there, without the names of others', async () => {
    await send([
      { user: 'ana', tenant: 'acme', at: Date.UTC(2020, 1, 1) },
      { user: 'ana', tenant: 'acme', key: 'acme-plan' },
      { user: 'gil', tenant: 'globex' },
      { user: 'gil', tenant: 'acme', allow: false },
      { user: '*', tenant: 'acme', allow: false },
    ])
    const { data, total_count, pagination_count } = await read('decisions')
    expect([total_count, pagination_count]).toEqual([3, 3])
    const one = { timestamp: TIME, action: 'read', resource_type: 'doc', resource_key: null, decision: false }
    expect(data).toEqual(
      expect.arrayContaining([
        { ...one, user: '*' },
        { ...one, user: null },
        { ...one, user: 'ana', resource_key: 'acme-plan', decision: true },
      ]),
    )
    expect((await read('decisions', 'globex', globex)).data).toEqual([{ ...one, user: 'gil', decision: true }])
  })

  it('are found by users of the tenant, resources, answer and time, and by nothing else', async () => {
    const count = async (query: string) => (await read(`decisions?${query}`)).total_count
    expect(await count('users=ana')).toBe(1)
    expect(await count('users=*')).toBe(1)
    expect([await count('users=gil'), await count('users=nobody')]).toEqual([0, 0])
    expect(await count('users=gil&users=ana')).toBe(1)
    expect([await count('decision=true'), await count('decision=false')]).toEqual([1, 2])
    expect([await count('resources=doc:acme-plan'), await count('resources=doc:other')]).toEqual([1, 0])
    expect(await count(`timestamp_to=${Math.floor(Date.UTC(2021, 1, 1) / 1000)}`)).toBe(0)
    expect(await count('timestamp_from=0')).toBe(3)
    expect(await count('tenant=globex')).toBe(3) // it is the one of the path
    refused(await ask('GET', '$F/tenants/globex/decisions', undefined, as(acme)), 404, 'tenant `globex`')
  })
})

describe('history', () => {
  it('has the roles of the tenant itself', async () => {
    const { data } = await read('history')
    const none = { user: null, email: null, resource_instance: null }
    expect(data.slice(0, 2).map(({ changes }: { changes: object[] }) => changes)).toEqual([
      [{ ...none, op: 'delete', kind: 'tenant_role', role: 'own@acme' }],
      [{ ...none, op: 'create', kind: 'tenant_role', role: 'own@acme' }],
    ])
  })

  it('has the changes of the tenant, of revisions that changed more, and says of its own keys alone who it was', async () => {
    const body = { user: 'ana', role: 'editor', resource_instance: 'doc:acme-plan', reason: 'on call' }
    await ask('POST', '$F/tenants/acme/role_assignments', body, as(acme))
    await ask('DELETE', '$F/tenants/acme/role_assignments', { ...body, reason: undefined }, as(acme))
    await ask('POST', '$F/role_assignments/bulk', [
      { user: 'ben', role: 'member', tenant: 'acme' },
      { user: 'gil', role: 'vendor-support', tenant: 'globex' },
    ])
    await ask('POST', '$F/tenants/acme/invites', { email: 'new@acme.example', role: 'member' }, as(acme))
    const { data } = await read('history')
    const key = { id: expect.any(String), name: 'acme admins' }
    const none = { user: null, email: null, role: null, resource_instance: null }
    const assignment = {
      ...none,
      kind: 'role_assignment',
      user: 'ana',
      role: 'editor',
      resource_instance: 'doc:acme-plan',
    }
    expect(data.slice(0, 4)).toEqual([
      {
        at: TIME,
        api_key: key,
        changes: [{ ...none, op: 'create', kind: 'user_invite', email: 'new@acme.example', role: 'member' }],
      },
      {
        at: TIME,
        api_key: null,
        changes: [{ ...none, op: 'create', kind: 'role_assignment', user: 'ben', role: 'member' }],
      },
      { at: TIME, api_key: key, changes: [{ ...assignment, op: 'delete' }] },
      { at: TIME, api_key: key, changes: [{ ...assignment, op: 'create', reason: 'on call' }] },
    ])
    expect(JSON.stringify(data)).not.toMatch(/globex|gil|vendor-support|revision/)
    const other = await read('history', 'globex', globex)
    expect(JSON.stringify(other)).not.toMatch(/acme|ana|ben/)
    expect(other.data[0].changes).toMatchObject([{ user: 'gil', role: 'vendor-support' }])
    refused(await ask('GET', '$F/tenants/globex/history', undefined, as(acme)), 404, 'tenant `globex`')
  })

  it('has of a revision that changes roles of two tenants only those of its own', async () => {
    await ask('PATCH', '$S/resources/doc/actions/edit', { grantable: true })
    await ask('PATCH', '$S/roles/member', { extendable: true })
    const role = { permissions: ['doc:edit'], extends: ['member'] }
    for (const [tenant, key] of [
      ['acme', 'writers'],
      ['globex', 'authors'],
      ['globex', 'writers'],
    ])
      expect((await ask('POST', `$F/tenants/${tenant}/roles`, { key, ...role })).status).toBe(200)
    const none = { user: null, email: null, resource_instance: null }
    const changed = (key: string) => ({ ...none, op: 'update', kind: 'tenant_role', role: key })
    for (const [path, body] of [
      ['$S/resources/doc/actions/edit', { grantable: false }],
      ['$S/roles/member', { extendable: false }],
    ] as const) {
      expect((await ask('PATCH', path, body)).status).toBe(200)
      const [own] = (await read('history')).data
      expect(own).toEqual({ at: TIME, api_key: null, changes: [changed('writers@acme')] })
      const [theirs] = (await read('history', 'globex', globex)).data
      expect(theirs.changes).toEqual([changed('authors@globex'), changed('writers@globex')])
    }
    for (const [text, other] of [
      [JSON.stringify(await read('history')), /globex|authors/],
      [JSON.stringify(await read('history', 'globex', globex)), /acme/],
    ] as const)
      expect(text).not.toMatch(other)
  })

  it('of a tenant that got the key of another one has nothing of that one, and nor have its decisions', async () => {
    // the one that gets the key was there before what it must not see
    for (const key of ['young', 'old']) await ask('POST', '$F/tenants', { key })
    for (const [key, user] of [
      ['young', 'yves'],
      ['old', 'otto'],
    ]) {
      await ask('POST', '$F/users', { key: user, role_assignments: [{ role: 'member', tenant: key }] })
      await ask('POST', `$F/tenants/${key}/roles`, { key: `of-${key}` })
    }
    await send([{ user: 'otto', tenant: 'old' }])
    const { secret } = await createKey('young', 'of the young')
    await ask('DELETE', '$F/tenants/old')
    const moved = [{ kind: 'tenant', from: 'young', to: 'old' }]
    const policy = { zerohop: 2, tenants: [{ key: 'old' }], moved }
    expect(await ask('POST', '/v2/projects/default/envs/development/apply', { policy })).toMatchObject({ status: 200 })
    await send([{ user: 'yves', tenant: 'old', at: Date.now() + 1 }])
    const { data } = await read('history', 'old', secret)
    expect(data.map(({ changes }: { changes: { op: string }[] }) => changes)).toEqual([
      expect.arrayContaining([
        expect.objectContaining({ op: 'update', kind: 'role_assignment', user: 'yves' }),
        expect.objectContaining({ op: 'update', kind: 'tenant_role', role: 'of-young@old' }),
      ]),
    ])
    expect(JSON.stringify(data)).not.toMatch(/otto|of-old|delete/)
    expect((await read('decisions', 'old', secret)).data).toMatchObject([{ user: 'yves' }])
    await ask('DELETE', '$F/tenants/old')
  })

  it('is read in pages and by time, and begins with the tenant', async () => {
    const all = await read('history')
    const page = await read('history?page=2&per_page=1')
    expect([page.data, page.total_count]).toEqual([[all.data[1]], all.total_count])
    const year = Math.floor(Date.UTC(2020, 0, 1) / 1000)
    expect((await read(`history?timestamp_until=${year}`)).total_count).toBe(0)
    expect((await read(`history?timestamp_from=${year}`)).total_count).toBe(all.total_count)
    await ask('DELETE', '$F/tenants/acme')
    await ask('POST', '$F/tenants', { key: 'acme', name: 'Another Acme' })
    const { secret } = await createKey('acme', 'of another')
    expect(await read('history', 'acme', secret)).toMatchObject({ data: [], total_count: 0 })
    expect(await read('decisions', 'acme', secret)).toMatchObject({ data: [], total_count: 0 })
    refused(await ask('GET', '$F/tenants/acme/history', undefined, as(acme)), 404, 'tenant `acme` does not exist')
  })
})
