// Claims over HTTP: what answers say of them, what is written and removed by hand beside others, and the stream of the facts
// of a claim: one revision in the order of the names, however slowly it is read and whatever is written meanwhile.
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClaimItem } from '../../../src/management/objects/claims.ts'
import { FACT_STREAMS_MAX } from '../../../src/model/limits.ts'
import { BY } from '../../management/harness.ts'
import { type Harness, openHarness, TIME } from './harness.ts'

const END = '2099-01-01T00:00:00.000+00:00'
let api: Harness
const write = (claim: string, items: readonly ClaimItem[]) =>
  api.store.commit(api.environment, 'writeClaims', { claim, items }, BY)
const putUser = (key: string, more: object = {}): ClaimItem => ({ op: 'put', kind: 'user', item: { key, ...more } })
const give = (user: string, more: object = {}): ClaimItem => ({
  op: 'put',
  kind: 'role_assignment',
  item: { user, role: 'editor', tenant: 'default', ...more },
})
const role = (user: string) => ({ user, role: 'editor', tenant: 'default' })

beforeAll(async () => {
  api = await openHarness()
  await api.ask('POST', '$S/roles', { key: 'editor', name: 'Editor' })
})
afterAll(() => api.close())

describe('by hand beside others', () => {
  beforeAll(() => write('app', [putUser('ana', { first_name: 'Ana' }), give('ana', { valid_until: END })]))

  it('answers say who claims a fact, where another than `hand` does', async () => {
    const user = await api.ask('GET', '$F/users/ana')
    expect(user.body.claims).toEqual([{ by: 'app', fields: ['first_name'] }])
    const [assignment] = (await api.ask('GET', '$F/role_assignments?user=ana')).body
    expect(assignment).toMatchObject({ valid_until: END, claims: [{ by: 'app', valid_until: END }] })
    const claims = [{ by: 'app' }]
    await write('app', [{ op: 'put', kind: 'membership', item: { user: 'ana', tenant: 'default' } }])
    const [member] = (await api.ask('GET', '$F/tenants/default/users?search=ana')).body.data
    expect(member).toMatchObject({
      roles: [{ role: 'editor', claims: [{ by: 'app', valid_until: END }] }],
      associated_tenants: [{ tenant: 'default', claims }],
    })
    expect(JSON.stringify((await api.ask('GET', '$F/users/ana')).body.associated_tenants)).not.toContain('claims')
    await write('app', [{ op: 'drop', kind: 'membership', key: 'default/ana' }])
    await api.ask('POST', '$F/users', { key: 'by-hand' })
    expect((await api.ask('GET', '$F/users/by-hand')).body).not.toHaveProperty('claims')
  })

  it('removes nothing that no one made by hand, and adds what another made', async () => {
    const refused = await api.ask('DELETE', '$F/role_assignments', role('ana'))
    expect(refused).toMatchObject({ status: 409, body: { error_code: 'INVALID_INPUT' } })
    expect(JSON.stringify(refused.body)).toContain('`app`')
    expect(refused.body.additional_info).toEqual({ claims: ['app'] })
    expect((await api.ask('DELETE', '$F/users/ana')).status).toBe(409)
    const added = await api.ask('POST', '$F/role_assignments', role('ana'))
    expect(added.body).toMatchObject({ claims: [{ by: 'app', valid_until: END }, { by: 'hand' }] })
    expect(added.body).not.toHaveProperty('valid_until')
    expect((await api.ask('POST', '$F/role_assignments', role('ana'))).status).toBe(409)
    const ignored = await api.ask('POST', '$F/role_assignments?on_duplicate=ignore', role('ana'))
    expect(ignored.body.outcome).toBe('same')
  })

  it('takes back what was made by hand, and says what stays', async () => {
    const gone = await api.ask('DELETE', '$F/role_assignments', role('ana'))
    expect([gone.status, String(gone.headers.warning)]).toEqual([204, expect.stringContaining('`app`')])
    const [left] = (await api.ask('GET', '$F/role_assignments?user=ana')).body
    expect(left).toMatchObject({ valid_until: END, claims: [{ by: 'app' }] })
  })

  it('removes of many what was made by hand, and names what stays', async () => {
    await write(
      'app',
      ['cyd', 'dan', 'eli'].flatMap((key) => [putUser(key), give(key)]),
    )
    await api.ask('PUT', '$F/role_assignments', role('dan'))
    await api.ask('POST', '$F/users', { key: 'by-hand-alone' })
    await api.ask('PUT', '$F/role_assignments', role('by-hand-alone'))
    const all = ['cyd', 'by-hand-alone', 'eli'].map(role)
    const gone = await api.ask('DELETE', '$F/role_assignments/bulk', all)
    expect(gone.body).toEqual({ assignments_removed: 1 })
    expect(gone.headers.warning).toEqual([
      expect.stringContaining('cyd/editor/default'),
      expect.stringContaining('1 more role is'),
    ])
    await api.ask('PUT', '$F/role_assignments', role('by-hand-alone'))
    const report = await api.ask('DELETE', '$F/role_assignments/bulk?return=report', [...all, role('dan')])
    expect(report.body.items.map(({ outcome }: { readonly outcome: string }) => outcome)).toEqual([
      'kept',
      'deleted',
      'kept',
      'kept',
    ])
  })

  it('an explanation says where a role is from', async () => {
    await api.ask('POST', '$S/resources', { key: 'doc', name: 'Doc', actions: { read: {} } })
    await api.ask('POST', '$S/roles/editor/permissions', { permissions: ['doc:read'] })
    await write('directory', [give('ana')])
    const question = { user: 'ana', action: 'read', resource: { type: 'doc', tenant: 'default' } }
    const { body } = await api.ask('POST', '/v2/projects/default/envs/development/explain', question)
    expect(body.allow).toBe(true)
    expect(JSON.stringify(body.why)).toContain('is from sync app and the directory')
    await write('directory', [{ op: 'drop', kind: 'role_assignment', key: 'ana/editor/default' }])
  })

  it('refuses times that leave a gap to those of another', async () => {
    const { status, body } = await api.ask('PUT', '$F/role_assignments', {
      ...role('ana'),
      valid_from: '2099-02-01T00:00:00Z',
    })
    expect([status, body.message]).toEqual([409, expect.stringContaining('leave a gap')])
  })

  it('changes fields without a claim, and makes a user its own by POST and PUT', async () => {
    await api.ask('PATCH', '$F/users/ana', { last_name: 'B' })
    expect((await api.ask('GET', '$F/users/ana')).body).toMatchObject({ last_name: 'B', claims: [{ by: 'app' }] })
    const made = await api.ask('POST', '$F/users', { key: 'ana', email: 'a@acme.test' })
    expect(made.body).toMatchObject({ last_name: 'B', email: 'a@acme.test', claims: [{ by: 'app' }, { by: 'hand' }] })
    expect((await api.ask('DELETE', '$F/users/ana')).status).toBe(204)
    expect((await api.ask('GET', '$F/users/ana')).body.claims).toEqual([{ by: 'app', fields: ['first_name'] }])
  })
})

describe('the stream of the facts of a claim', () => {
  const KEYS = ['ana-b', 'ana', 'ana.b', 'ANA']
  const stream = (query: string) => api.ask('GET', `$F/stream?${query}`)
  const parseLines = (body: string) =>
    body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))

  it('has the facts in the order of their names, with the times of the claim, and says that it is whole', async () => {
    await write(
      'crm',
      KEYS.flatMap((key) => [putUser(key, { attributes: { level: 1 } }), give(key, { valid_until: END })]),
    )
    await api.ask('PUT', '$F/role_assignments', role('ana'))
    const { headers, body } = await stream('kind=role_assignment&claim=crm')
    const revision = api.store.head(api.environment).revision
    expect(headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'x-revision': String(revision) })
    const lines = parseLines(body)
    expect(lines.pop()).toEqual({ complete: true, revision, rows: 4 })
    expect(lines.map(({ user }) => user)).toEqual(['ANA', 'ana', 'ana-b', 'ana.b'])
    expect(lines[1]).toEqual({
      key: 'ana/editor/default',
      ...role('ana'),
      resource_instance: null,
      valid_until: END,
      claims: ['app', 'crm', 'hand'],
    })
    expect(parseLines((await stream('kind=user&claim=crm')).body)[0]).toMatchObject({
      key: 'ANA',
      attributes: { level: 1 },
      fields: ['attributes.level'],
    })
    expect(parseLines((await stream('kind=tenant&claim=none')).body)).toEqual([{ complete: true, revision, rows: 0 }])
  })

  it('is of one revision, whatever is written while it is read', async () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `u${String(at).padStart(5, '0')}`)
    await write(
      'bulk',
      many.map((key) => putUser(key, { first_name: 'x'.repeat(100) })),
    )
    const revision = api.store.head(api.environment).revision
    await api.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = api.app.server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/v2/facts/default/development/stream?kind=user&claim=bulk`
    const headers = { authorization: `Bearer ${api.made.organization.secret}` }
    const answer = await fetch(url, { headers })
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = (await reader.read()).value ?? ''
    await write(
      'bulk',
      many.map((key) => ({ op: 'drop' as const, kind: 'user' as const, key })),
    )
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
    const lines = parseLines(text)
    expect(answer.headers.get('x-revision')).toBe(String(revision))
    expect(lines.pop()).toEqual({ complete: true, revision, rows: many.length })
    expect(lines.map(({ key }) => key)).toEqual(many)
    expect(parseLines(await (await fetch(url, { headers })).text())).toHaveLength(1)
  })

  it('is refused while too many are read, and again taken when their readers go', async () => {
    const many = Array.from({ length: 4_000 }, (_, at) => putUser(`w${at}`, { first_name: 'x'.repeat(1_000) }))
    await write('wide', many)
    const { port } = api.app.server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/v2/facts/default/development/stream?kind=user&claim=wide`
    const headers = { authorization: `Bearer ${api.made.organization.secret}` }
    const ending = new AbortController()
    const open = await Promise.all(
      Array.from({ length: FACT_STREAMS_MAX }, () => fetch(url, { headers, signal: ending.signal })),
    )
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200))
    expect((await fetch(url, { headers })).status).toBe(503)
    ending.abort()
    const again = async () => {
      const { status, body } = await fetch(url, { headers })
      await body?.cancel()
      return status
    }
    await expect.poll(again).toBe(200)
  })

  it('says what is wrong with the question', async () => {
    for (const query of ['', 'kind=role&claim=app', 'kind=user', 'kind=user&claim=hand', 'kind=user&claim=a%2Fb'])
      expect([query, (await stream(query)).status]).toEqual([query, 422])
  })
})

it('times of answers are those of all claims together', async () => {
  await write('one', [putUser('eve'), give('eve', { valid_until: END })])
  await write('two', [give('eve', { valid_until: '2100-01-01T00:00:00Z' })])
  const [assignment] = (await api.ask('GET', '$F/role_assignments?user=eve')).body
  expect(assignment).toMatchObject({ valid_until: '2100-01-01T00:00:00.000+00:00', created_at: TIME })
})

it('a plan and its prune leave what others claim', async () => {
  const fresh = await api.another()
  const [{ id, secret }] = fresh.environments as unknown as [{ id: string; secret: string }]
  const commit = (name: string, input: unknown) => api.store.commit(id, name as never, input as never, BY)
  await commit('createRole', { key: 'editor' })
  await commit('writeClaims', {
    claim: 'app',
    items: [...['ana', 'ben', 'cyd'].flatMap((key) => [putUser(key), give(key)]), give('ana', { valid_until: END })],
  })
  await commit('assign', role('ben'))
  await commit('createUser', { key: 'dan' })
  await commit('assign', role('dan'))
  const policy = {
    zerohop: 2,
    manages: [{ kind: 'user' }, { kind: 'role_assignment' }],
    roles: [{ key: 'editor' }],
    users: [{ key: 'cyd', first_name: 'Cyd' }],
    role_assignments: [{ ...role('cyd'), valid_until: END }],
  }
  const ask = (path: string) =>
    api.ask('POST', `/v2/projects/default/envs/development/${path}`, { policy, prune: true }, { key: secret })
  const planned = await ask('plan')
  const applied = await ask('apply')
  expect(planned.body.changes).toContainEqual({
    ...{ op: 'update', kind: 'role_assignment', key: 'ben/editor/default' },
    fields: { claims: [['app', 'hand'], ['app']] },
  })
  expect([planned.body.detail, applied.body.detail]).toEqual([undefined, undefined])
  expect([planned.status, applied.status]).toEqual([200, 200])
  const view = api.store.view(id)
  const claims = ['ana', 'ben', 'cyd', 'dan'].map((user) =>
    (view.get('role_assignment', `${user}/editor/default`)?.claims ?? []).map(({ by }) => by),
  )
  expect(claims).toEqual([['app'], ['app'], ['app', 'hand'], []])
  expect(view.get('user', 'dan')).toBeUndefined()
  expect(view.get('role_assignment', 'dan/editor/default')).toBeUndefined()
  expect(view.require('user', 'cyd')).toMatchObject({ first_name: 'Cyd', claims: [{ by: 'app' }, { by: 'hand' }] })
})
