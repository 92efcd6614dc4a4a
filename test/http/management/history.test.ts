// History and activity: the log read back. And the two doors to what is not there yet: decisions, and logins into
// embedded pages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withoutRequest } from '../../../src/log/change.ts'
import { type Harness, ID, joinHarness } from './harness.ts'

let api: Harness
const list = async (query = '', options = {}) => (await api.ask('GET', `/v2/history${query}`, undefined, options)).body
const operations = async (query = '', options = {}) =>
  (await list(query, options)).data.map((event: { operation: string }) => event.operation)

beforeAll(async () => {
  api = await joinHarness()
  await api.addKey('env', 'admin', 'a-key-of-development')
  const options = { key: 'a-key-of-development', headers: { 'x-request-id': '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed' } }
  await api.ask('POST', '$F/users', { key: 'ana', attributes: { secret: 'body' } }, options)
  await api.ask('POST', '$F/users', { key: 'ana' })
  await api.ask('PATCH', '$F/users/ana', { first_name: 'Ana' })
  await api.ask('POST', '/v2/facts/default/production/users', { key: 'ben' })
  await api.ask('GET', '/v2/api-key/default/development')
})
afterAll(() => api.close())

describe('history', () => {
  it('lists accepted writes and secrets that were read, the newest first', async () => {
    expect(await operations()).toEqual([
      'readSecret',
      'createUser',
      'updateUser',
      'createUser',
      'bootstrap',
      'bootstrap',
      'bootstrap',
      'bootstrap',
    ])
  })

  it('says who did what, when, from where and by which request, and nothing of the body', async () => {
    const { data } = await list('?method=POST&path=development')
    expect(data).toHaveLength(1)
    expect(data[0]).toMatchObject({
      method: 'POST',
      path: '/v2/facts/default/development/users',
      success: true,
      status: 200,
      request_id: '1b9d6bcdbbfd4b2d9b5dab8dfbbd4bed',
      client_ip: '127.0.0.1',
      actor_type: 'api_key',
      org_id: api.made.organization.id,
      project_id: api.made.project.id,
      project_key: 'default',
      env_id: api.environment,
      env_key: 'development',
    })
    expect(JSON.stringify(await list())).not.toContain('secret":"body')
  })

  it('is read one by one; requests are redacted and answers are not kept', async () => {
    for (const event of (await list()).data) {
      expect((await api.ask('GET', `/v2/history/${event.id}`)).body).toEqual(event)
    }
    const { id } = (await list()).data[0]
    const request = await api.ask('GET', `/v2/history/${id}/request`)
    expect([request.headers['content-type'], request.body]).toEqual(['application/json', 'redacted'])
    expect((await api.ask('GET', `/v2/history/${id}/response`)).status).toBe(404)
    for (const absent of ['0'.repeat(32), 'f'.repeat(32), 'nonsense', id.replace(/.$/, id.endsWith('0') ? '1' : '0')])
      expect((await api.ask('GET', `/v2/history/${absent}`)).status).toBe(404)
  })

  it('refuses an invalid flag', async () => {
    expect((await list('?success=0')).data).toEqual([])
    expect((await api.ask('GET', '/v2/history?success=maybe')).status).toBe(422)
  })

  it('is filtered and paged', async () => {
    const { data } = await list('?per_page=3')
    expect(data).toHaveLength(3)
    expect(await list('?per_page=3')).toMatchObject({ total_count: 8, page_count: 3, pagination_count: 8 })
    expect(await operations('?per_page=3&page=3')).toEqual(['bootstrap', 'bootstrap'])
    expect(await operations('?page=9')).toEqual([])
    expect(await operations(`?env_id=${api.made.environments[1]?.id}`)).toEqual(['createUser', 'bootstrap'])
    expect(await operations('?success=false')).toEqual([])
    expect(await operations('?status_code=404')).toEqual([])
    expect(await operations('?actor_type=system')).toHaveLength(4)
    expect(await operations('?actor_display_name=FIRST')).toContain('updateUser')
    expect(await operations('?method=GET&method=PATCH')).toEqual(['readSecret', 'updateUser'])
    const seconds = Math.floor(Date.now() / 1000)
    expect(await operations(`?timestamp_from=${seconds + 100}`)).toEqual([])
    expect(await operations(`?timestamp_from=${seconds - 1000}&timestamp_until=${seconds + 100}`)).toHaveLength(8)
    expect(await operations(`?timestamp_until=${seconds - 1000}`)).toEqual([])
    expect((await api.ask('GET', '/v2/history?timestamp_from=x')).status).toBe(422)
  })

  it('is searched by operation, path and summary', async () => {
    expect(await operations('?search=UPDATE%20user')).toEqual(['updateUser'])
    expect(await operations('?search=production/users')).toEqual(['createUser'])
    expect(await operations('?search=created%20a%20user')).toEqual(['createUser', 'createUser'])
    expect(await operations('?search=nothing-like-it')).toEqual([])
  })

  it('names the objects that revisions of environments wrote, when asked', async () => {
    const named = async (query: string) =>
      (await list(query)).data.map(({ operation, changed }: Record<string, unknown>) => [operation, changed])
    expect(await named(`?env_id=${api.environment}&search=user`)).toEqual([
      ['updateUser', undefined],
      ['createUser', undefined],
    ])
    const ana = (op: string) => ({ objects: [{ kind: 'user', key: 'ana', op }], count: 1 })
    expect(await named(`?env_id=${api.environment}&search=user&changed=true`)).toEqual([
      ['updateUser', ana('update')],
      ['createUser', ana('create')],
    ])
    // keys and projects of an organization are not named in lists
    expect(await named('?search=read%20secret&changed=true')).toEqual([['readSecret', null]])
  })

  it('shows a key only what it reaches', async () => {
    const key = api.made.environments[1]?.secret
    expect(await operations('', { key })).toEqual(['createUser', 'bootstrap'])
    const foreign = (await list()).data.find((event: { operation: string }) => event.operation === 'updateUser')
    expect((await api.ask('GET', `/v2/history/${foreign.id}`, undefined, { key })).status).toBe(404)
    const other = await api.another({ organization: 'other' })
    expect(new Set(await operations('', { key: other.organization.secret }))).toEqual(new Set(['bootstrap']))
    expect(
      (await api.ask('GET', `/v2/history/${foreign.id}`, undefined, { key: other.organization.secret })).status,
    ).toBe(404)
  })

  it('keeps what was done in an environment that is deleted', async () => {
    const { body } = await api.ask('POST', '/v2/projects/default/envs', { key: 'gone' })
    await api.ask('POST', '/v2/facts/default/gone/users', { key: 'ana' })
    await api.ask('DELETE', '/v2/projects/default/envs/gone')
    expect(await operations(`?env_id=${body.id}`)).toEqual(['createUser', 'createEnvironment'])
    expect((await list(`?env_id=${body.id}`)).data[0]).toMatchObject({ env_key: 'gone', project_key: 'default' })
    expect((await operations()).slice(0, 1)).toEqual(['deleteEnvironment'])
  })

  it('names the first objects of a revision that wrote many', async () => {
    const roles = Array.from({ length: 9 }, (_, at) => ({ key: `role-${at}`, name: `Role ${at}` }))
    await api.ask('POST', '/v2/projects/default/envs/production/apply', { policy: { zerohop: 2, roles } })
    const [{ changed }] = (await list('?search=apply&changed=true')).data
    expect([changed.objects.length, changed.count >= 9]).toEqual([5, true])
  })

  it('of many entries is read from both ends, page by page, each once', async () => {
    for (let at = 0; at < 130; at++) await api.ask('PATCH', '/v2/projects/default/envs/production', { name: `n${at}` })
    const seen: string[] = []
    const { total_count } = await list()
    for (let page = 1; seen.length < total_count; page++) {
      const { data } = await list(`?per_page=40&page=${page}`)
      expect(data.length).toBeGreaterThan(0)
      seen.push(...data.map((event: { id: string }) => event.id))
    }
    expect(new Set(seen).size).toBe(total_count)
  })
})

describe('activity', () => {
  it('is the history in words', async () => {
    const { data, total_count, pagination_count } = (await api.ask('GET', `/v2/activity?env_id=${api.environment}`))
      .body
    expect(pagination_count).toBe(total_count)
    expect(data.map((event: { activity_description: string }) => event.activity_description)).toContain(
      'Changed a user',
    )
    const types = (await api.ask('GET', '/v2/activity/types')).body
    expect(types).toContainEqual({ id: 'createRole', description: 'Created a role' })
  })
})

describe('decisions and logins', () => {
  it('there are no decisions yet', async () => {
    const { body } = await api.ask('GET', '/v2/pdps/default/development/audit_logs')
    expect(body).toEqual({ data: [], total_count: 0, page_count: 0, pagination_count: 0 })
    expect((await api.ask('GET', `/v2/pdps/default/development/audit_logs/${'0'.repeat(32)}`)).status).toBe(404)
  })

  it('a login names a user and a tenant that exist, with the key of an environment', async () => {
    const login = (user_id: string, tenant_id: string, key: string | undefined = 'a-key-of-development') =>
      api.ask('POST', '/v2/auth/elements_login_as', { user_id, tenant_id }, { key })
    expect((await login('nobody', 'default')).status).toBe(404)
    expect((await login('ana', 'nowhere')).status).toBe(404)
    expect((await login('ana', 'default', api.made.organization.secret)).status).toBe(403)
  })
})

describe('what a person of the console did', () => {
  const ISSUER = 'https://login.example.com'
  const user = { issuer: ISSUER, subject: 'sub-1', name: 'Ana, "changes":[] <b>' }
  const by = (person: { issuer: string; subject: string; name: string | null }) => ({
    ...withoutRequest('createUser'),
    user: person,
    method: 'POST',
    path: '/v2/facts/default/development/users',
  })
  const create = (key: string, person: { issuer: string; subject: string; name: string | null }) =>
    api.store.commit(api.environment, 'createUser', { key }, by(person))
  beforeAll(async () => {
    await create('by-ana', user)
    await create('by-ana-renamed', { ...user, name: null })
    await create('by-another', { issuer: 'https://other.example.com', subject: 'sub-1', name: 'Ana' })
    await api.ask('POST', '$F/users', { key: 'by-a-key' })
  })

  it('names the person, by the id that issuer and subject have', async () => {
    const { data } = await list('?actor_type=user')
    expect(data).toHaveLength(3)
    const [another, renamed, first] = data
    expect(first).toMatchObject({ actor_type: 'user', actor_id: ID, actor_display_name: user.name, actor_user: user })
    expect(renamed).toMatchObject({ actor_id: first.actor_id, actor_display_name: 'sub-1' })
    expect(another.actor_id).not.toBe(first.actor_id)
    expect((await api.ask('GET', `/v2/history/${first.id}`)).body).toEqual(first)
    expect((await api.ask('GET', '/v2/activity?actor_type=user')).body.data[2]).toMatchObject({ actor_user: user })
  })

  it('is found by that id, and by a part of the name', async () => {
    const [first] = (await list('?actor_display_name=ana,')).data
    expect(first.actor_user).toEqual(user)
    expect((await list(`?actor_id=${first.actor_id}`)).data).toHaveLength(2)
    expect(
      (await list('?actor_type=api_key')).data.some((event: object) => 'actor_user' in event && event.actor_user),
    ).toBe(false)
  })

  it('is in the revision, and in the log between entries of keys', async () => {
    const { revision } = (await list('?actor_display_name=ana,')).data[0]
    const one = await api.ask('GET', `/v2/projects/default/envs/development/revisions/${revision}`)
    expect(one.body).toMatchObject({ actor_id: ID, actor_display_name: user.name, revision })
    const entries = api.store.entries(api.environment, revision - 1, 4)
    expect(entries.map((entry) => entry.by.user?.name)).toEqual([user.name, null, 'Ana', undefined])
    expect(entries.slice(1).map(({ previous }) => previous)).toEqual(entries.slice(0, -1).map(({ chain }) => chain))
  })
})
