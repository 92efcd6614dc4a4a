// What a PDP passes on to the management API, over real HTTP: facts that wait until checks see them, ids of the key,
// headers, and what happens when the other side is wrong or gone.
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect as openSocket } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Applied } from '../../../src/http/pdp/authenticate.ts'
import type { TimeoutPolicy } from '../../../src/http/pdp/wait-for-revision.ts'
import { Image } from '../../../src/image/image.ts'
import { ZerohopError } from '../../../src/model/errors.ts'
import { FACTS_WAIT_MAX_MS } from '../../../src/model/limits.ts'
import { loadImage, type Pdp } from '../../../src/pdp/pdp.ts'
import {
  connect,
  type Management,
  managementServer,
  openManagement,
  pdpServer,
  pooledPdpServer,
  readKeys,
} from '../../../src/server.ts'
import { HELLO } from '../../pdp/policies.ts'
import { ENVIRONMENT, makePosition } from '../../support/deltas.ts'
import { temporaryFolder } from '../../support/folders.ts'

const LOCAL = { host: '127.0.0.1', port: 0 }

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: ReturnType<typeof JSON.parse>
}

async function ask(
  base: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** A GET of a path that no client library has put in order. */
async function asWritten(base: string, key: string, path: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const { hostname, port } = new URL(base)
  const headers = { authorization: `Bearer ${key}` }
  const [response] = (await once(get({ hostname, port, path, headers }), 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode ?? 0, body: JSON.parse(text) }
}

describe('facts through a PDP', () => {
  let management: Management
  let api: ReturnType<typeof managementServer>
  let key = ''
  let pdp: Pdp
  let single: ReturnType<typeof pdpServer>
  let pooled: ReturnType<typeof pooledPdpServer>
  const at = { api: '', single: '', pooled: '' }
  /** what was waited for; `late` makes every wait end without the revision */
  const waited: { revision: number; timeoutMs: number }[] = []
  let late = false
  const applied: Applied = (asked, revision, timeoutMs) => {
    waited.push({ revision, timeoutMs })
    if (late) return Promise.reject(new ZerohopError('REVISION_TIMEOUT', { wanted: revision, timeoutMs, have: 0 }))
    return asked.atLeast(revision, { timeoutMs })
  }

  beforeAll(async () => {
    const data = temporaryFolder('forward')
    management = await openManagement({ data })
    key = readKeys(data)!.environments.development!
    api = managementServer(management)
    at.api = await api.listen(LOCAL)
    const wait = { timeoutMs: 10_000, policy: 'ignore' as TimeoutPolicy }
    const options = { forward: { controlPlane: at.api, timeoutMs: 5_000, wait }, applied }
    pdp = await connect({ url: at.api, apiKey: key })
    single = pdpServer(pdp, key, options)
    at.single = await single.listen(LOCAL)
    pooled = pooledPdpServer(management, options)
    at.pooled = await pooled.listen(LOCAL)
  })
  afterAll(async () => {
    await single.close()
    await pooled.close()
    api.server.closeAllConnections() // the client of the feed may hold one that has sent nothing
    await api.close()
    await management.store.close()
  })
  beforeEach(() => {
    waited.length = 0
    late = false
  })

  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    ask(at.single, key, method, path, body, headers)
  const mayWave = async (base: string, user: string) => {
    const body = { user: { key: user }, action: 'wave', resource: { type: 'hello', tenant: 'default' } }
    return (await ask(base, key, 'POST', '/allowed', body)).body.allow
  }

  it.each([
    ['a PDP of one key', () => at.single],
    ['a PDP of every key', () => at.pooled],
  ])('%s: a write that waits is seen by the next check, whatever ids the path names', async (name, base) => {
    for (let round = 0; round < 10; round++) {
      const user = `waits-${name.length}-${round}`
      const made = await ask(base(), key, 'POST', '/facts/users', { key: user })
      expect([made.status, made.body.key]).toEqual([200, user])
      const role = { role: 'viewer', tenant: 'default' }
      const given = await ask(base(), key, 'POST', `/v2/facts/any/thing/users/${user}/roles`, role)
      expect([given.status, given.body.role]).toEqual([200, 'viewer'])
      expect(Number(given.headers.get('x-revision'))).toBe(waited.at(-1)!.revision)
      expect(await mayWave(base(), user)).toBe(true)
      const taken = await ask(base(), key, 'DELETE', `/facts/users/${user}/roles`, role)
      expect(taken.status).toBe(204)
      expect(await mayWave(base(), user)).toBe(false)
    }
  })

  it('which writes wait is what the contract says', async () => {
    await send('POST', '/facts/tenants', { key: 'north' })
    await send('PUT', '/facts/users/una', { key: 'una' })
    await send('PATCH', '/facts/users/una', { first_name: 'Una' })
    const assignment = { user: 'una', role: 'viewer', tenant: 'north' }
    await send('POST', '/facts/role_assignments', assignment)
    await send('DELETE', '/facts/role_assignments', assignment)
    await send('POST', '/facts/resource_instances', { key: 'one', resource: 'hello', tenant: 'north' })
    await send('PATCH', '/facts/resource_instances/hello:one', { attributes: { a: 1 } })
    expect(waited.length).toBe(7)
    expect((await send('GET', '/facts/users/una')).body.first_name).toBe('Una')
    expect((await send('PATCH', '/facts/tenants/north', { name: 'North' })).status).toBe(200)
    expect((await send('DELETE', '/facts/users/una')).status).toBe(204)
    expect((await send('DELETE', '/facts/tenants/north')).status).toBe(204)
    expect(waited.length).toBe(7)
  })

  it.each([
    [undefined, 10_000],
    ['2.5', 2_500],
    ['1e1', 10_000],
    [' 3 ', 3_000],
    ['', FACTS_WAIT_MAX_MS],
    ['-1', FACTS_WAIT_MAX_MS],
    ['inf', FACTS_WAIT_MAX_MS],
    ['86400', FACTS_WAIT_MAX_MS],
  ])('X-Wait-Timeout %j waits %i ms at most', async (seconds, timeoutMs) => {
    const headers: Record<string, string> = seconds === undefined ? {} : { 'X-Wait-Timeout': seconds }
    const { status } = await send('PUT', '/facts/users/wim', { key: 'wim', attributes: { n: Math.random() } }, headers)
    expect([status < 300, waited.map((each) => each.timeoutMs)]).toEqual([true, [timeoutMs]])
  })

  it('X-Wait-Timeout 0 waits for nothing', async () => {
    const { status } = await send('POST', '/facts/users', { key: 'zoe' }, { 'X-Wait-Timeout': '0' })
    expect([status, waited]).toEqual([200, []])
  })

  it.each([
    ['X-Wait-Timeout', 'soon'],
    ['X-Wait-Timeout', 'nan'],
    ['X-Wait-Timeout', '1, 2'],
    ['X-Timeout-Policy', 'sometimes'],
    ['X-Timeout-Policy', ''],
  ])('%s: %j is 400 and writes nothing', async (header, value) => {
    const answer = await send('POST', '/facts/users', { key: 'never' }, { [header]: value })
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(header.toLowerCase())])
    expect((await send('GET', '/facts/users/never')).status).toBe(404)
  })

  it('a write that is not applied in time is answered as usual, or with 424', async () => {
    late = true
    expect((await send('POST', '/facts/users', { key: 'late-1' })).body.key).toBe('late-1')
    const ignored = await send('POST', '/facts/users', { key: 'late-2' }, { 'X-Timeout-Policy': 'Ignore' })
    expect([ignored.status, ignored.body.key]).toEqual([200, 'late-2'])
    const failed = await send('POST', '/facts/users', { key: 'late-3' }, { 'X-Timeout-Policy': 'FAIL' })
    expect([failed.status, failed.body.detail]).toEqual([424, expect.stringContaining('did not apply it')])
    expect((await send('GET', '/facts/users/late-3')).status).toBe(200)
  })

  it('a write of the first version is seen by the next check too', async () => {
    const made = await send('PUT', '/cloud/users', { customId: 'old-1' })
    expect(made.status).toBeLessThan(300)
    const role = await send('POST', '/cloud/role_assignments', { user: 'old-1', role: 'viewer', scope: 'default' })
    expect(role.status).toBeLessThan(300)
    expect(waited.length).toBe(2)
    expect(await mayWave(at.single, 'old-1')).toBe(true)
    expect((await send('GET', '/cloud/users')).status).toBe(200)
    expect(waited.length).toBe(2)
  })

  it('what the management API refuses comes back as it says, and waits for nothing', async () => {
    await send('POST', '/facts/users', { key: 'twice' })
    waited.length = 0
    const twice = await send('POST', '/facts/users', { key: 'twice' })
    expect([twice.status, twice.body.error_code]).toEqual([409, 'DUPLICATE_ENTITY'])
    const wrong = await send('POST', '/facts/users', { key: 7 })
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['body', 'key']])
    const broken = await send('POST', '/facts/users', '{"key":')
    expect(broken.status).toBe(422)
    const unknown = await send('POST', '/facts/users/nobody/roles', { role: 'viewer', tenant: 'default' })
    expect([unknown.status, unknown.body.error_code]).toEqual([404, 'NOT_FOUND'])
    expect((await send('GET', '/facts/nothing')).body.error_code).toBe('NOT_FOUND')
    expect(waited).toEqual([])
  })

  it('a query is passed on, and so are keys with special characters', async () => {
    await send('POST', '/facts/users', { key: 'auth0|elon' })
    expect((await send('GET', '/facts/users/auth0%7Celon')).body.key).toBe('auth0|elon')
    const { body } = await send('GET', '/facts/users?search=elon&per_page=1')
    expect([body.data.length, body.data[0].key]).toEqual([1, 'auth0|elon'])
  })

  it.each([
    '/facts/%2e%2e/%2e%2e/orgs',
    '/facts/users%2f..%2f..',
    '/facts/a%5cb',
    '/cloud/%2e%2e/v2/orgs',
    '/facts/%zz',
  ])('the path %s leads nowhere else', async (path) => {
    const { status, body } = await asWritten(at.single, key, path)
    expect([status, typeof body.detail]).toEqual([400, 'string'])
  })

  it('needs the key of the PDP', async () => {
    for (const path of ['/facts/users', '/v2/facts/p/e/users', '/cloud/users', '/sdk/config']) {
      expect((await ask(at.single, '', 'GET', path)).status).toBe(401)
      expect((await ask(at.single, 'another key', 'GET', path)).status).toBe(403)
    }
  })

  it('a body that is cut in the middle writes nothing and harms nobody', async () => {
    const { port } = new URL(at.single)
    for (let round = 0; round < 5; round++) {
      const socket = openSocket(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      socket.write(
        `POST /facts/users HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
          'content-type: application/json\r\ncontent-length: 100\r\n\r\n{"key":"cut"',
      )
      socket.resume()
      socket.end()
      await once(socket, 'close')
    }
    expect((await send('GET', '/facts/users/cut')).status).toBe(404)
  })
})

describe('what reaches the management API', () => {
  const KEY = 'the key of the environment'
  interface Seen {
    readonly method: string
    readonly url: string
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }
  const seen: Seen[] = []
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  let upstream: Server
  let app: ReturnType<typeof pdpServer>
  let base = ''

  beforeAll(async () => {
    upstream = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method = '', url = '', headers } = request
      if (url === '/under/v2/api-key/scope') {
        response.end(JSON.stringify({ organization_id: 'o', project_id: 'p1', environment_id: 'e1' }))
        return
      }
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(request, response)
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const image = Image.build(ENVIRONMENT, makePosition(7), HELLO)
    const forward = {
      controlPlane: `http://127.0.0.1:${port}/under/`,
      timeoutMs: 5_000,
      wait: { timeoutMs: 10_000, policy: 'fail' as const },
    }
    app = pdpServer(loadImage(image.save()), KEY, { forward })
    base = await app.listen(LOCAL)
  })
  afterAll(async () => {
    await app.close()
    upstream.closeAllConnections()
    upstream.close()
  })
  beforeEach(() => {
    seen.length = 0
    answer = (_request, response) => response.end('{"ok":true}')
  })

  it('is the same method, query, body and key, under the ids of the key', async () => {
    const headers = { 'x-request-id': 'r-1', 'x-wait-timeout': '1', 'content-type': 'application/json; charset=utf-8' }
    await ask(base, KEY, 'POST', '/v2/facts/other/others/users?a=1&a=2', '{ "key" : 1 }', headers)
    expect(seen).toHaveLength(1)
    const [{ method, url, body, headers: sent }] = seen as [Seen]
    expect([method, url, body]).toEqual(['POST', '/under/v2/facts/p1/e1/users?a=1&a=2', '{ "key" : 1 }'])
    expect(sent).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'r-1',
      'x-permit-consistent-update': 'true',
      'x-permit-update-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(sent).not.toHaveProperty('x-wait-timeout')
  })

  it('old calls go to the first version of the API, and a body also with DELETE and without a type', async () => {
    await ask(base, KEY, 'PUT', '/cloud/users/7?x=%20', '{}')
    await ask(base, KEY, 'DELETE', '/cloud/role_assignments', '{"a":1}')
    await ask(base, KEY, 'GET', '/sdk/config')
    expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['PUT', '/under/v1/users/7?x=%20', '{}'],
      ['DELETE', '/under/v1/role_assignments', '{"a":1}'],
      ['GET', '/under/sdk/config', ''],
    ])
  })

  it('answers come back with status, body and headers; a revision that this PDP never sees is 424', async () => {
    answer = (_request, response) => {
      response.writeHead(418, { 'content-type': 'text/plain', 'x-other': 'yes', 'x-revision': '99' })
      response.end('"short"')
    }
    const odd = await ask(base, KEY, 'POST', '/facts/users', {})
    expect([odd.status, odd.body, odd.headers.get('x-other'), odd.headers.get('x-revision')]).toEqual([
      418,
      'short',
      'yes',
      '99',
    ])
    answer = (_request, response) => {
      response.setHeader('x-revision', '8')
      response.end('{}')
    }
    expect((await ask(base, KEY, 'POST', '/facts/users', {}, { 'x-wait-timeout': '0.001' })).status).toBe(424)
    answer = (_request, response) => {
      response.setHeader('x-revision', '7')
      response.end('{}')
    }
    expect((await ask(base, KEY, 'POST', '/facts/users', {})).status).toBe(200)
  })

  it('a management API that breaks off, or is gone, is 503 with the reason, and checks go on', async () => {
    answer = (request) => request.socket.destroy()
    const broken = await ask(base, KEY, 'GET', '/facts/users')
    expect([broken.status, broken.body.detail]).toEqual([503, expect.stringContaining('cannot reach')])
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': '100', 'x-revision': '7' })
      response.write('{"half')
      setImmediate(() => response.destroy())
    }
    const half = await ask(base, KEY, 'POST', '/facts/users', {})
    expect(half.status).toBe(503)
    const check = { user: { key: 'ana' }, action: 'say', resource: { type: 'hello' } }
    expect((await ask(base, KEY, 'POST', '/allowed', check)).body.allow).toBe(true)
  })

  it('a PDP without one says so', async () => {
    const alone = pdpServer(loadImage(Image.build(ENVIRONMENT, makePosition(7), HELLO).save()), KEY)
    const at = await alone.listen(LOCAL)
    for (const path of ['/facts/users', '/v2/facts/p/e/users', '/cloud/users', '/sdk/config']) {
      const { status, body } = await ask(at, KEY, 'GET', path)
      expect([status, body.detail]).toEqual([501, expect.stringContaining('has none')])
    }
    await alone.close()
  })
})
