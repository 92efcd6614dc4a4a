// A client sends a write again only where the server has said that it carries it out once; syncUser changes what it is
// given, and nothing else.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient, dataOf, type ManagementClient, type Retry, syncUser } from '../../src/client.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'

const USERS = '/v2/facts/{p}/{e}/users'
const path = { p: 'default', e: 'production' }
const body = { key: 'ana' }

type Answer = 'cut' | readonly [status: number, headers?: Record<string, string>]
const HONOURED = { 'x-idempotency': '24h' }

/** A server that gives these answers one after the other, and then 200. */
async function serving(...answers: readonly Answer[]) {
  const keys: (string | undefined)[] = []
  const retries: Retry[] = []
  const onRetry = (retry: Retry): void => {
    retries.push(retry)
    if (retry.tried === 3) throw new Error('of the caller, which stops nothing')
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const key = request.headers['idempotency-key']
    const answer = answers[keys.length]
    keys.push(typeof key === 'string' ? key : undefined)
    if (answer === 'cut') return request.socket.destroy()
    const [status, headers = {}] = answer ?? [200, HONOURED]
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    client: (tries?: number) => createClient({ url, apiKey: 'x', ...(tries && { tries }), onRetry }),
    keys,
    retries,
  }
}
const post = (client: ManagementClient, headers?: Record<string, string>) =>
  client.POST(USERS, { params: { path }, body, ...(headers && { headers }) })
const now = { 'retry-after': '0' }

describe('a write', () => {
  it('is sent again with the same key after 502, 503, 429 that says when, and a lost connection', async () => {
    const { client, keys, retries } = await serving([503, { ...HONOURED, ...now }], [502, now], [429, now])
    expect((await post(client())).response.status).toBe(200)
    expect(keys).toHaveLength(4)
    expect([new Set(keys).size, keys[0]]).toEqual([1, expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(retries).toEqual(
      [503, 502, 429].map((status, at) => ({
        reason: `the management API answered ${status}`,
        waitMs: 0,
        tried: at + 1,
      })),
    )
    const lost = await serving([200, HONOURED], 'cut')
    const one = lost.client()
    await post(one)
    expect((await post(one)).response.status).toBe(200)
    expect([lost.keys[1] === lost.keys[2], lost.keys[0] === lost.keys[1], lost.keys.length]).toEqual([true, false, 3])
  })

  it('is sent once where the server does not say so, and where its answer is final', async () => {
    for (const answers of [[[503, now]], [[429, HONOURED]], [[500, HONOURED]], [[409, HONOURED]]] as const) {
      const { client, keys } = await serving(...(answers as readonly Answer[]))
      await post(client())
      expect(keys).toHaveLength(1)
    }
    const late = await serving([503, { ...HONOURED, 'retry-after': '3600' }])
    expect((await post(late.client())).response.status).toBe(503)
    expect(late.keys).toHaveLength(1)
    const unknown = await serving('cut')
    await expect(post(unknown.client())).rejects.toMatchObject({ code: 'FEED_UNREACHABLE' })
    expect(unknown.keys).toHaveLength(1)
  })

  it('has a bound of tries, and keeps the key that its caller chose', async () => {
    const busy: Answer = [503, { ...HONOURED, ...now }]
    const { client, keys } = await serving(busy, busy, busy, busy, busy, busy)
    expect((await post(client(), { 'Idempotency-Key': 'order-7' })).response.status).toBe(503)
    expect(keys).toEqual(['order-7', 'order-7', 'order-7', 'order-7'])
    expect((await post(client(1))).response.status).toBe(503)
    expect(keys).toHaveLength(5)
  })
})

describe('syncUser', () => {
  const data = temporaryFolder('client')
  let management: Management
  let app: ReturnType<typeof managementServer>
  let client: ManagementClient
  beforeAll(async () => {
    management = await openManagement({ data })
    app = managementServer(management)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    client = createClient({ url, apiKey: readKeys(data)?.environments.production ?? '' })
  })
  afterAll(async () => {
    await app.close()
    await management.store.close()
  })

  it('changes what it is given: other attributes, roles and a suspension stay', async () => {
    await client.POST('/v2/schema/{p}/{e}/roles', { params: { path }, body: { key: 'reader', name: 'Reader' } })
    await client.POST('/v2/schema/{p}/{e}/roles', { params: { path }, body: { key: 'writer', name: 'Writer' } })
    const reads = { role: 'reader', tenant: 'default' }
    const first = { key: 'ana', email: 'a@example.com', attributes: { level: 1, team: 'x' }, role_assignments: [reads] }
    expect((await syncUser(client, path, first)).attributes).toEqual({ level: 1, team: 'x' })
    const params = { path: { ...path, ref: 'ana' } }
    dataOf(await client.PUT(`${USERS}/{ref}/suspension`, { params, body: { reason: 'left' } }))
    const writes = { role: 'writer', tenant: 'default' }
    const user = await syncUser(client, path, { key: 'ana', attributes: { level: 2 }, role_assignments: [writes] })
    expect(user).toMatchObject({ email: 'a@example.com', attributes: { level: 2, team: 'x' } })
    expect(user.suspension).toMatchObject({ reason: 'left' })
    expect(user.roles.map(({ role }) => role).toSorted()).toEqual(['reader', 'writer'])
    const { revision } = client
    await syncUser(client, path, { key: 'ana', attributes: { level: 2 }, role_assignments: [writes] })
    expect(client.revision).toBe(revision) // nothing to change
  })

  it('of several at once, none undoes what another one changed', async () => {
    await syncUser(client, path, { key: 'ben', attributes: { a: 0 } })
    await Promise.all(['b', 'c', 'd'].map((name) => syncUser(client, path, { key: 'ben', attributes: { [name]: 1 } })))
    const { attributes } = dataOf(await client.GET(`${USERS}/{ref}`, { params: { path: { ...path, ref: 'ben' } } }))
    expect(attributes).toEqual({ a: 0, b: 1, c: 1, d: 1 })
  })
})
