// The list of PDPs, over HTTP and with PDPs that really follow: who is connected, since when, and with which revision.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { hostname } from 'node:os'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { RemoteFeed } from '../../../src/client/http-feed.ts'
import type { PdpRead } from '../../../src/management/schemas/pdps.ts'
import type { ErrorCode } from '../../../src/model/errors.ts'
import { PDP_KEPT_MS, PDP_STALE_MS } from '../../../src/model/limits.ts'
import { VERSION } from '../../../src/model/version.ts'
import { Follower } from '../../../src/pdp/follower.ts'
import { connect, type Management, managementServer, openManagement, readKeys } from '../../../src/server.ts'
import { TESTER } from '../../support/environments.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folders.ts'
import { startProxy } from '../../support/tcp-proxy.ts'

const code = (code: ErrorCode) => expect.objectContaining({ code })
/** Reports as soon as there is something to say. */
const AT_ONCE = { checkMs: 5, reportMs: 0, aliveMs: 60_000 }

describe('the list of PDPs', () => {
  const data = temporaryFolder('pdps')
  let management: Management
  let app: ReturnType<typeof managementServer>
  let url: string
  /** the environment of a test, which is new, and its key */
  let environment: string
  let key: string

  const head = () => management.store.head(environment)
  const write = (user: string) => management.store.commit(environment, 'createUser', { key: user }, TESTER)
  const ask = async (query = '', by = key) => {
    const headers = { authorization: `Bearer ${by}` }
    const answer = await fetch(`${url}/v2/pdps/default/${environment}${query}`, { headers })
    return { status: answer.status, body: (await answer.json()) as { data: PdpRead[]; total_count: number } }
  }
  const list = async (query = '') => (await ask(query)).body.data
  const names = async (query = '') => (await list(query)).map(({ name }) => name)
  const report = (body: object) =>
    fetch(`${url}/v2/feed/default/${environment}/report`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** A PDP that reports at once; `applied` replaces what it says. */
  const follow = (name: string, { through = url, applied = undefined as (() => number) | undefined } = {}) => {
    const follower: Follower = new Follower({
      feed: new RemoteFeed({
        url: through,
        apiKey: key,
        pdp: {
          instance: randomBytes(16).toString('hex'),
          name,
          applied: applied ?? (() => follower.state.revision),
          times: AT_ONCE,
        },
      }),
    })
    onTestFinished(() => follower.close())
    return follower
  }
  /** A stream with these headers, as a program of any version opens it. Returns how to end it. */
  const stream = async (headers: Readonly<Record<string, string>> = {}) => {
    const { revision, chain } = head()
    const ending = new AbortController()
    const path = `/v2/feed/default/${environment}/deltas?after=${revision}&chain=${chain}`
    const all = { ...headers, authorization: `Bearer ${key}` }
    const { status } = await fetch(url + path, { headers: all, signal: ending.signal })
    expect(status).toBe(200)
    onTestFinished(() => ending.abort())
    return () => ending.abort()
  }

  beforeAll(async () => {
    management = await openManagement({ data })
    app = managementServer(management)
    url = await app.listen({ host: '127.0.0.1', port: 0 })
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
  })
  beforeEach(async ({ task }) => {
    vi.setSystemTime(vi.getRealSystemTime())
    const { organization, store } = management
    const input = { project: 'default', environment: { key: task.id.replaceAll(/\W/g, '') } }
    environment = (await store.commit(organization, 'createEnvironment', input, TESTER)).result.id
    const [found] = store.view(organization).by('keys_of_environment', environment)
    key = store.readSecret(found!.id)!
  })
  afterAll(async () => {
    vi.useRealTimers()
    await app.close()
    await management.store.close()
  })

  it('says who follows with which revision, and forgets who closes', async () => {
    const pdp = await connect({ url, apiKey: key, name: 'shop, Zürich' })
    onTestFinished(() => pdp.close())
    await eventually(async () => (await list())[0]?.revision_is, 'applied')
    const { revision } = head()
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect((await ask()).body).toEqual({
      data: [
        {
          instance: expect.stringMatching(/^[0-9a-f]{32}$/),
          name: 'shop, Zürich',
          version: VERSION,
          api_version: 4,
          connected: true,
          stale: false,
          revision,
          revision_is: 'applied',
          lag: 0,
          lag_since: null,
          first_seen_at: time,
          last_seen_at: time,
        },
      ],
      total_count: 1,
      page_count: 1,
    })
    await pdp.close()
    await eventually(() => list(), [])
  })

  it('takes the name of the machine where none is given, and refuses one that cannot be shown', async () => {
    const pdp = await connect({ url, apiKey: key })
    onTestFinished(() => pdp.close())
    await eventually(() => names(), [hostname()])
    for (const name of ['', 'two\nlines', '\u202eturned', 'x'.repeat(129), '\ud800'])
      await expect(connect({ url, apiKey: key, name })).rejects.toEqual(code('CONFIG_INVALID'))
  })

  it('follows the revision that a PDP applies', async () => {
    follow('shop')
    await write('ida')
    await eventually(async () => (await list())[0]?.revision, head().revision)
  })

  it('knows a PDP again that lost its connection, and lists it meanwhile as not connected', async () => {
    const proxy = await startProxy(Number(new URL(url).port))
    onTestFinished(() => proxy.close())
    follow('shop', { through: proxy.through(url) })
    await eventually(() => names('?connected=true'), ['shop'])
    const [before] = await list()
    proxy.setTarget(1)
    proxy.cut()
    await eventually(() => names('?connected=false'), ['shop'])
    expect(await list()).toMatchObject([{ instance: before!.instance, stale: true, connected: false }])
    expect(await names('?stale=false')).toEqual([])
    proxy.setTarget(Number(new URL(url).port))
    await eventually(() => names('?connected=true'), ['shop'])
    const { instance, first_seen_at } = before!
    expect(await list()).toMatchObject([{ instance, first_seen_at, stale: false }])
  })

  it('forgets a PDP that does not come back', async () => {
    const end = await stream({ 'x-pdp-instance': 'crashed-1', 'x-pdp-name': 'crashed' })
    end()
    await eventually(() => names('?connected=false'), ['crashed'])
    vi.setSystemTime(Date.now() + PDP_KEPT_MS + 1_000)
    expect(await list()).toEqual([])
  })

  it('calls a PDP stale that does not apply what was written, after a while', async () => {
    const stuck = head().revision
    follow('stuck', { applied: () => stuck })
    follow('current')
    await write('ida')
    await write('jim')
    await eventually(
      async () => (await list()).map(({ lag, revision_is: is }) => `${is} ${lag}`),
      ['applied 0', 'applied 2'],
    )
    const [entry] = management.store.history(environment, stuck + 2, 1)
    expect(await list()).toMatchObject([
      { name: 'current', lag: 0, lag_since: null, stale: false },
      { name: 'stuck', lag: 2, stale: false },
    ])
    vi.setSystemTime(Date.now() + PDP_STALE_MS + 1_000)
    expect(await list()).toMatchObject([
      { name: 'stuck', lag: 2, stale: true, connected: true },
      { name: 'current', stale: false },
    ])
    expect(Date.parse((await list('?stale=true'))[0]!.lag_since!)).toBe(entry!.at)
  })

  it('lists a follower of an older version by what was sent to it, while it is connected', async () => {
    const end = await stream()
    await write('ida')
    await eventually(async () => (await list())[0]?.revision, head().revision)
    expect(await list()).toMatchObject([
      { instance: null, name: null, version: null, connected: true, revision_is: 'sent', lag: 0 },
    ])
    end()
    await eventually(() => list(), [])
  })

  it('sees that a follower of an older version does not read', async () => {
    const { revision, chain } = head()
    const socket = connectTcp(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    const path = `/v2/feed/default/${environment}/deltas?after=${revision}&chain=${chain}`
    socket.write(`GET ${path} HTTP/1.1\r\nhost: zerohop\r\nauthorization: Bearer ${key}\r\n\r\n`)
    await once(socket, 'data')
    socket.pause()
    const attributes = { text: 'x'.repeat(60_000) }
    for (let at = 0; (await list())[0]?.lag === 0 && at < 1_000; at++) {
      const users = Array.from({ length: 20 }, (_, n) => ({ key: `${at}-${n}`, attributes }))
      await management.store.commit(environment, 'createUsers', { operations: users }, TESTER)
    }
    const [pdp] = await list()
    expect(pdp).toMatchObject({ connected: true, revision_is: 'sent' })
    expect(pdp!.revision! + pdp!.lag!).toBe(head().revision)
    expect(pdp!.lag).toBeGreaterThan(0)
  })

  it('is read by keys that reach the environment, and by no other', async () => {
    follow('shop')
    await eventually(() => names(), ['shop'])
    expect((await ask('', readKeys(data)?.environments.production)).status).toBe(404)
    expect((await ask('', readKeys(data)?.organization)).body.data).toMatchObject([{ name: 'shop' }])
  })

  it('is read page by page, ordered by name', async () => {
    for (const name of ['c', 'a', 'b']) await stream({ 'x-pdp-instance': `instance-${name}`, 'x-pdp-name': name })
    expect(await names('?per_page=2')).toEqual(['a', 'b'])
    expect((await ask('?per_page=2&page=2')).body).toMatchObject({
      data: [{ name: 'c' }],
      total_count: 3,
      page_count: 2,
    })
    expect((await ask('?connected=perhaps')).status).toBe(422)
  })

  it('shows nothing that is not a name, a version or a revision', async () => {
    await stream({
      'x-pdp-instance': 'instance-1',
      'x-pdp-name': '%E0%A4%A',
      'x-pdp-version': 'v'.repeat(33),
      'x-pdp-revision': '-1',
      'x-pdp-api-version': '1.5',
    })
    expect(await list()).toMatchObject([
      { instance: 'instance-1', name: null, version: null, api_version: null, revision_is: 'sent' },
    ])
    await stream({ 'x-pdp-instance': 'instance-2', 'x-pdp-name': encodeURIComponent('\u001b[31mred') })
    expect(await names()).toEqual([null, null])
    await stream({ 'x-pdp-instance': '<b>', 'x-pdp-name': 'nobody' })
    expect((await list()).map(({ instance, name }) => [instance, name])).toContainEqual([null, null])
  })

  it('takes reports of the PDPs that it knows, and no other bodies', async () => {
    await stream({ 'x-pdp-instance': 'instance-1', 'x-pdp-name': 'shop' })
    expect((await report({ instance: 'instance-1', revision: 1 })).status).toBe(204)
    expect(await list()).toMatchObject([{ revision: 1, revision_is: 'applied', lag: head().revision - 1 }])
    expect((await report({ instance: 'instance-9', revision: 1 })).status).toBe(204)
    expect(await names()).toEqual(['shop'])
    for (const body of [
      {},
      { instance: 'x' },
      { instance: 'instance-1', revision: -1 },
      { instance: 'instance-1', revision: '1' },
      { instance: 'instance-1', more: true },
    ])
      expect([body, (await report(body)).status]).toEqual([body, 422])
    expect(await list()).toMatchObject([{ revision: 1 }])
  })

  it('counts reports among the requests of a key, and not among its writes', async () => {
    const limited = managementServer(management, { rateLimits: { requests: 4, writes: 1 } })
    onTestFinished(() => limited.close())
    const post = async (path: string, payload: object) =>
      (await limited.inject({ method: 'POST', url: path, headers: { authorization: `Bearer ${key}` }, payload }))
        .statusCode
    const report = () => post(`/v2/feed/default/${environment}/report`, { instance: 'instance-1', revision: 1 })
    const create = (user: string) => post(`/v2/facts/default/${environment}/users`, { key: user })
    expect([await report(), await report(), await create('ida'), await create('jim')]).toEqual([204, 204, 200, 429])
    expect(await report()).toBe(429)
  })
})

it('the version of the package is that of package.json', async () => {
  const { default: manifest } = await import('../../../package.json', { with: { type: 'json' } })
  expect(VERSION).toBe(manifest.version)
})
