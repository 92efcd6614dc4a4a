// The write client of `zerohop/client`, beside a real server: what it writes is read back and decided by, refusals are
// results or errors, and every request ends. What must not compile stands behind @ts-expect-error, for `tsc`.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient, dataOf, listAll, type ManagementClient, warningsOf } from '../../src/client.ts'
import { connect, type Pdp } from '../../src/index.ts'
import { type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { temporaryFolder } from '../support/folders.ts'

const USERS = '/v2/facts/{p}/{e}/users'
const USER = '/v2/facts/{p}/{e}/users/{ref}'
const path = { p: 'default', e: 'production' }

describe('the write client', () => {
  const data = temporaryFolder('client')
  let management: Management
  let app: ReturnType<typeof managementServer>
  let options: { readonly url: string; readonly apiKey: string }
  let client: ManagementClient
  beforeAll(async () => {
    management = await openManagement({ data })
    app = managementServer(management)
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    options = { url, apiKey: readKeys(data)?.environments.production ?? '' }
    client = createClient({ ...options, url: `${url}/` })
  })
  afterAll(async () => {
    await app.close()
    await management.store.close()
  })

  it('takes the rows of any list one after the other', async () => {
    const body = { operations: Array.from({ length: 7 }, (_, at) => ({ key: `row-${at}` })) }
    dataOf(await client.POST('/v2/facts/{p}/{e}/bulk/users', { params: { path }, body }))
    const query = { search: 'row-', per_page: 2 }
    const keys: string[] = []
    for await (const user of listAll(client, USERS, { params: { path, query } })) {
      keys.push(user.key satisfies string)
      if (keys.length === 1) await client.DELETE(USER, { params: { path: { ...path, ref: 'row-0' } } })
    }
    expect(keys).toEqual(body.operations.map(({ key }) => key))
    const roles: string[] = []
    for (const key of ['first', 'second'])
      dataOf(await client.POST('/v2/schema/{p}/{e}/roles', { params: { path }, body: { key, name: key } }))
    for await (const role of listAll(client, '/v2/schema/{p}/{e}/roles', { params: { path, query: { per_page: 1 } } }))
      roles.push(role.key satisfies string) // an array, by its link
    expect(roles).toEqual(['first', 'second'])
    // @ts-expect-error one user, and not a list
    expect(() => listAll(client, USER, { params: { path: { ...path, ref: 'row-1' } } })).not.toThrow()
    const unknown = listAll(client, USERS, { params: { path: { ...path, e: 'nowhere' } } })
    await expect(unknown.next()).rejects.toMatchObject({ code: 'API_REFUSED', details: { status: 404 } })
  })

  describe('and a PDP', () => {
    let pdp: Pdp
    beforeAll(async () => {
      pdp = await connect(options)
    })
    afterAll(() => pdp.close())

    it('writes, reads back, and remembers the revision for which a PDP waits', async () => {
      const resource = { key: 'note', name: 'Note', actions: { read: {} } }
      dataOf(await client.POST('/v2/schema/{p}/{e}/resources', { params: { path }, body: resource }))
      const role = { key: 'reader', name: 'Reader', permissions: ['note:read'] }
      dataOf(await client.POST('/v2/schema/{p}/{e}/roles', { params: { path }, body: role }))
      const made = dataOf(
        await client.POST(USERS, { params: { path }, body: { key: 'ana@acme+b|c', attributes: { level: 3 } } }),
      )
      expect(made.key satisfies string).toBe('ana@acme+b|c')
      const before = client.revision
      const given = { user: 'ana@acme+b|c', role: 'reader', tenant: 'default' }
      const { response } = await client.POST('/v2/facts/{p}/{e}/role_assignments', { params: { path }, body: given })
      expect(client.revision).toBe(before + 1)
      expect(response.headers.get('x-revision')).toBe(String(client.revision))

      await pdp.atLeast(client.revision)
      expect(pdp.check('ana@acme+b|c', 'read', 'note')).toBe(true)
      const read = dataOf(await client.GET(USER, { params: { path: { ...path, ref: 'ana@acme+b|c' } } }))
      expect(read).toMatchObject({ attributes: { level: 3 }, roles: [{ role: 'reader', tenant: 'default' }] })
    })
  })

  it('starts at revision 0, and keeps the highest one, whatever is read or refused', async () => {
    const fresh = createClient(options)
    expect(fresh.revision).toBe(0)
    await fresh.GET(USERS, { params: { path } })
    await fresh.GET('/v2/projects/{p}/envs/{e}', { params: { path } })
    expect(fresh.revision).toBe(0)
    await fresh.POST(USERS, { params: { path }, body: { key: 'ben' } })
    const { revision } = fresh
    expect(revision).toBeGreaterThan(0)
    await fresh.POST(USERS, { params: { path }, body: { key: 'ben' } })
    expect(fresh.revision).toBe(revision)
  })

  it('answers refusals as results, which `dataOf` throws', async () => {
    const of = (ref: string) => ({ params: { path: { ...path, ref } } })
    const missing = await client.GET(USER, of('nobody'))
    expect(missing.data).toBeUndefined()
    expect(missing.response.status).toBe(404)
    expect(() => dataOf(missing)).toThrow(
      expect.objectContaining({
        code: 'API_REFUSED',
        message: expect.stringMatching(/with status 404: .*`nobody` does not exist/),
        details: expect.objectContaining({ status: 404, error_code: 'NOT_FOUND' }),
        cause: missing.error,
      }),
    )
    const invalid = await client.POST(USERS, { params: { path }, body: { key: 'a b' } })
    expect(() => dataOf(invalid)).toThrow(/with status 422: body\.key: invalid user key/)
    const stranger = createClient({ ...options, apiKey: 'wrong' })
    expect((await stranger.GET(USERS, { params: { path } })).response.status).toBe(401)
    const withoutKey = createClient({ ...options, apiKey: null })
    withoutKey.use({ onRequest: ({ request }) => void expect(request.headers.has('authorization')).toBe(false) })
    expect((await withoutKey.GET(USERS, { params: { path } })).response.status).toBe(401)

    await client.POST(USERS, { params: { path }, body: { key: 'cleo' } })
    expect(dataOf(await client.DELETE(USER, of('cleo')))).toBeUndefined()
  })

  it.each(['', '.', '..'])('sends nothing for `%s`, which would be about another path', async (ref) => {
    const asked = client.DELETE(USER, { params: { path: { ...path, ref } } })
    await expect(asked).rejects.toMatchObject({ code: 'PATH_INVALID', details: { part: ref } })
  })

  it('is typed by the routes', async () => {
    const wrong = createClient({ url: 'http://127.0.0.1:1', apiKey: 'key' })
    const calls = [
      // @ts-expect-error: no such route
      () => wrong.GET('/v2/facts/{p}/{e}/user', { params: { path } }),
      // @ts-expect-error: nobody writes a whole list
      () => wrong.DELETE(USERS, { params: { path } }),
      // @ts-expect-error: the path names a project and an environment
      () => wrong.GET(USERS, { params: { path: { p: 'default' } } }),
      // @ts-expect-error: no such member
      () => wrong.POST(USERS, { params: { path }, body: { key: 'ana', emial: 'ana@example.com' } }),
      // @ts-expect-error: a user has a key
      () => wrong.POST(USERS, { params: { path }, body: {} }),
      // @ts-expect-error: a page has a number
      () => wrong.GET(USERS, { params: { path, query: { page: 'first' } } }),
    ]
    for (const call of calls) await expect(call()).rejects.toThrow()
  })
})

describe('the write client, with an unknown server', () => {
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const server = createServer((request, response) => answer(request, response))
  let options: { readonly url: string; readonly apiKey: string }
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    options = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'secret' }
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  it('sends the key of the environment, and an idempotency key that it is given', async () => {
    let sent: IncomingMessage['headers'] = {}
    answer = ({ headers }, response) => {
      sent = headers
      response.writeHead(503, { 'content-type': 'text/plain' }).end('no')
    }
    const headers = { 'Idempotency-Key': 'order-7' }
    const result = await createClient(options).POST(USERS, { params: { path }, body: { key: 'ana' }, headers })
    expect(sent).toMatchObject({ authorization: 'Bearer secret', 'idempotency-key': 'order-7' })
    expect(() => dataOf(result)).toThrow(/with status 503: Service Unavailable/)
  })

  it('reads what a write warns of, also from headers that a proxy joined or cut', async () => {
    const readWarnings = async (...warning: string[]) => {
      answer = (_, response) => {
        if (warning.length > 0) response.setHeader('warning', warning)
        response.writeHead(204).end()
      }
      const { response } = await createClient(options).DELETE(USER, { params: { path: { ...path, ref: 'ana' } } })
      return warningsOf(response)
    }
    const [one, other] = ['299 zerohop "set `a, b` says \\"no\\" \\u00fc"', '299 zerohop "299 zerohop"']
    const texts = ['set `a, b` says "no" ü', '299 zerohop']
    expect(await readWarnings()).toEqual([])
    expect(await readWarnings(one, other)).toEqual(texts)
    expect(await readWarnings(`110 proxy "stale", ${one},${other}`)).toEqual(texts)
    expect(await readWarnings(`${one}, 299 zerohop "cut`)).toEqual(texts.slice(0, 1))
    expect(await readWarnings('299 zerohop "\\x"')).toEqual([])
  })

  it('ends when an answer does not', async () => {
    answer = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('[')
    const asked = createClient({ ...options, timeoutMs: 50 }).GET(USERS, { params: { path } })
    await expect(asked).rejects.toMatchObject({ code: 'FEED_UNREACHABLE', message: /no answer within 50 ms/ })
  })

  it('follows no redirect, which would carry the key elsewhere', async () => {
    answer = (_, response) => void response.writeHead(307, { location: options.url }).end()
    const asked = createClient(options).GET(USERS, { params: { path } })
    await expect(asked).rejects.toMatchObject({ code: 'FEED_UNREACHABLE' })
  })

  it('takes a 204 of Chromium, whose body is empty and not absent', async () => {
    const body = new Blob([]).stream()
    const headers = new Headers({ 'x-revision': '7' })
    vi.stubGlobal('fetch', async () => ({ status: 204, statusText: 'No Content', headers, body }))
    const client = createClient(options)
    try {
      const { response } = await client.DELETE(USER, { params: { path: { ...path, ref: 'ana' } } })
      expect([response.status, client.revision]).toEqual([204, 7])
    } finally {
      vi.unstubAllGlobals()
    }
  })
})
