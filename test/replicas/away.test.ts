// What a replica answers over HTTP while its database is away, and how a request says what it wants of several.
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Management, managementServer, openManagement } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'
import { COMMIT, COMMITTED, endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { REPLICA_METRICS } from '../support/replica-metrics.ts'
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const TOKEN = 'a-token-of-the-operator'
const KEY = 'an-organization-key'
const USERS = '/v2/facts/default/development/users'

// skipped where the binaries of PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('a replica', () => {
  let proxy: TcpProxy
  let management: Management
  let app: ReturnType<typeof managementServer>

  beforeAll(async () => {
    const server = await startPostgres()
    proxy = await startProxy(server.port)
    const url = proxy.through(await server.database())
    management = await openManagement({
      data: temporaryFolder('replica'),
      bootstrapKey: KEY,
      replica: { settings: { url, replica: randomUUID(), version: 'test' }, secretsKey: randomBytes(32) },
    })
    app = managementServer(management, { metricsToken: TOKEN })
  })

  afterAll(async () => {
    await app?.close()
    await management?.store.close()
    proxy?.close()
    await endPostgres()
  })

  const ask = async (
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    { bearer = KEY, headers = {}, body }: { bearer?: string; headers?: Record<string, string>; body?: object } = {},
  ) => {
    const all = { authorization: `Bearer ${bearer}`, ...headers }
    const answer = await app.inject({ method, url: path, headers: all, ...(body ? { payload: body } : {}) })
    return { status: answer.statusCode, headers: answer.headers, text: answer.body }
  }

  it('takes an idempotency key with any write, and refuses one of a wrong form', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const first = await ask('POST', USERS, { headers, body: { key: 'ida' } })
    const again = await ask('POST', USERS, { headers, body: { key: 'ida' } })
    expect([first.status, again.status]).toEqual([200, 200])
    expect([again.text, again.headers['x-revision']]).toEqual([first.text, first.headers['x-revision']])
    const other = await ask('POST', USERS, { headers, body: { key: 'eve' } })
    expect([other.status, other.text]).toEqual([422, expect.stringContaining('was already used with another request')])
    for (const wrong of ['', 'two words', 'x'.repeat(256)]) {
      const refused = await ask('POST', USERS, { headers: { 'idempotency-key': wrong }, body: { key: 'eve' } })
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('header idempotency-key must be')])
    }
    expect((await ask('GET', `${USERS}/eve`)).status).toBe(404)
  })

  it.each([
    [
      'an API key',
      async () => {
        const body = { organization_id: management.organization, object_type: 'org', name: 'gone' }
        return `/v2/api-key/${JSON.parse((await ask('POST', '/v2/api-key', { body })).text).id}`
      },
    ],
    [
      'an environment',
      async () => {
        await ask('POST', '/v2/projects/default/envs', { body: { key: 'gone', name: 'Gone' } })
        return '/v2/projects/default/envs/gone'
      },
    ],
    [
      'a project',
      async () => {
        await ask('POST', '/v2/projects', { body: { key: 'gone', name: 'Gone' } })
        return '/v2/projects/gone'
      },
    ],
  ])('answers a repeated delete of %s like the first one', async (_, create) => {
    const path = await create()
    const another = () => ({ 'idempotency-key': randomUUID() })
    const headers = another()
    const revision = () => management.store.head(management.organization).revision
    expect((await ask('DELETE', path, { headers })).status).toBe(204)
    const before = revision()
    expect((await ask('DELETE', path, { headers })).status).toBe(204)
    expect(revision()).toBe(before)
    const refusals = [await ask('DELETE', path), await ask('DELETE', path, { headers: another() })]
    const [plain, keyed] = refusals.map(({ status, text }) => [status, JSON.parse(text).message])
    expect(plain).toEqual([404, expect.stringContaining('does not exist')])
    expect(keyed).toEqual(plain)
    expect((await ask('DELETE', `${path}-2`, { headers })).status).toBe(422)
  })

  it('copies an environment in the background, and reports the outcome as long as it is asked for', async () => {
    const copy = '/v2/projects/default/envs/development/copy/async'
    const start = async (key: string) => {
      const begun = await ask('POST', `${copy}?wait=30`, { body: { target_env: { new: { key, name: key } } } })
      expect(begun.status).toBe(202)
      return JSON.parse(begun.text)
    }
    const done = await start('copied')
    expect(done).toMatchObject({ status: 'success', result: { key: 'copied' }, error: null })
    const again = await ask('GET', `${copy}/${done.task_id}/result`)
    expect(JSON.parse(again.text)).toEqual(done)
    expect(await start('copied')).toMatchObject({
      status: 'failure',
      result: null,
      error: { error_code: expect.any(String) },
    })
    expect((await ask('GET', `${copy}/${'0'.repeat(32)}/result`)).status).toBe(404)
  })

  it('refuses a consistency that it does not know', async () => {
    const refused = await ask('GET', USERS, { headers: { 'x-consistency': 'strong' } })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('header x-consistency must be')])
    expect((await ask('GET', USERS, { headers: { 'x-consistency': 'linearizable' } })).status).toBe(200)
  })

  it.each([
    ['arrived', COMMITTED, 'nia'],
    ['did not arrive', undefined, 'noa'],
  ] as const)(
    'says that a write may have happened when its commit %s, and carries it out once',
    async (_, answer, key) => {
      const headers = { 'idempotency-key': randomUUID() }
      expect((await ask('POST', USERS, { body: { key: `before-${key}` } })).status).toBe(200)
      proxy.refuse()
      const cut = proxy.cutAt(COMMIT, answer)
      const unknown = ask('POST', USERS, { headers, body: { key } })
      await cut
      expect(await unknown).toMatchObject({
        status: 503,
        headers: { 'x-unavailable': 'OUTCOME_UNKNOWN', 'retry-after': '1' },
        text: expect.stringContaining('the write may or may not have happened'),
      })
      await proxy.accept()
      await expect.poll(async () => (await ask('GET', USERS)).status, { timeout: 30_000 }).toBe(200)
      expect((await ask('GET', `${USERS}/${key}`)).status).toBe(answer === undefined ? 404 : 200)
      const again = await ask('POST', USERS, { headers, body: { key } })
      expect([again.status, JSON.parse(again.text)]).toEqual([200, expect.objectContaining({ key })])
      expect((await ask('GET', `${USERS}/${key}`)).status).toBe(200)
    },
  )

  it('says without its database what it can and cannot do', async () => {
    expect(await ask('GET', '/ready')).toMatchObject({ status: 200, text: '{"status":"ok"}' })
    const shown = (await ask('GET', '/metrics', { bearer: TOKEN })).text
    expect(shown).toContain('zerohop_database_up 1')
    expect(REPLICA_METRICS.filter((name) => !shown.includes(`# TYPE ${name} `))).toEqual([])
    proxy.refuse()
    proxy.cut()
    await expect.poll(() => management.store.trouble?.code, { timeout: 30_000 }).toBe('DATABASE_UNAVAILABLE')
    const unavailable = { 'x-unavailable': 'DATABASE_UNAVAILABLE', 'retry-after': '1' }
    expect(await ask('GET', USERS)).toMatchObject({ status: 503, headers: unavailable })
    expect(await ask('POST', USERS, { body: { key: 'away' } })).toMatchObject({ status: 503, headers: unavailable })
    // a PDP stops for good when it hears that its key is dead: so nobody says that without having asked
    expect((await ask('GET', '/v2/api-key/scope', { bearer: 'unknown' })).status).toBe(503)
    expect((await ask('GET', '/v2/api-key/scope', { headers: { 'x-consistency': 'local' } })).status).toBe(503)
    // reads that do not ask go on
    const local = { headers: { 'x-consistency': 'local' } }
    expect((await ask('GET', `${USERS}/ida`, local)).status).toBe(200)
    expect(await ask('GET', '/ready')).toMatchObject({
      status: 200,
      text: '{"status":"degraded","code":"DATABASE_UNAVAILABLE"}',
    })
    const metrics = await ask('GET', '/metrics', { bearer: TOKEN })
    expect([metrics.status, metrics.text]).toEqual([200, expect.stringContaining('zerohop_database_up 0')])
    expect((await ask('GET', '/metrics')).status).toBe(200)
    await proxy.accept()
    await expect.poll(async () => (await ask('GET', USERS)).status, { timeout: 30_000 }).toBe(200)
    expect((await ask('GET', `${USERS}/away`)).status).toBe(404)
    await expect.poll(async () => (await ask('GET', '/ready')).text, { timeout: 30_000 }).toBe('{"status":"ok"}')
  })
})
