// The feed over HTTP, from a real management API on loopback to its reader: frames, reasons for an end, keys, and what
// a damaged or silent server does to a reader. docs/feed.md.
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createConnection } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RemoteFeed } from '../../src/client/http-feed.ts'
import { managementApp } from '../../src/http/apps/management-app.ts'
import { feedRoutes } from '../../src/http/management/routes/feed.ts'
import { Image } from '../../src/image/image.ts'
import type { Position } from '../../src/log/change.ts'
import { encodeFrame, FEED_VERSION } from '../../src/log/codec.ts'
import type { FeedEvent } from '../../src/log/feed.ts'
import type { ErrorCode } from '../../src/model/errors.ts'
import { connect, type Management, managementServer, openManagement, readKeys } from '../../src/server.ts'
import { makeChain } from '../support/deltas.ts'
import { TESTER } from '../support/environments.ts'
import { temporaryFolder } from '../support/folders.ts'

const code = (code: ErrorCode) => expect.objectContaining({ code })
const START: Position = { revision: 1, chain: makeChain(1) }

/** The first `count` events, or the error that ended the stream. */
async function read(feed: RemoteFeed, after: Position, count: number): Promise<FeedEvent[]> {
  const events: FeedEvent[] = []
  for await (const event of feed.deltas(after)) if (events.push(event) >= count) break
  return events
}

describe('the feed of a management API', () => {
  const data = temporaryFolder('feed')
  let management: Management
  let app: ReturnType<typeof managementServer>
  let url: string
  const readKey = (name: string) => readKeys(data)?.environments[name] ?? ''
  const makeFeed = (apiKey: string) => new RemoteFeed({ url, apiKey })
  const log = () => {
    const environments = [...management.store.view(management.organization).list('environment')]
    return environments.find(({ environment }) => environment === 'development')!.id
  }
  const createUser = (key: string) => management.store.commit(log(), 'createUser', { key }, TESTER)

  beforeAll(async () => {
    management = await openManagement({ data })
    app = managementServer(management)
    url = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await app.close()
    await management.store.close()
  })

  it('gives an image, then every delta after it, then a heartbeat with the head', async () => {
    const feed = makeFeed(readKey('development'))
    const image = Image.load(await feed.image())
    expect([image.environment, image.position]).toEqual([log(), management.store.head(log())])
    const before = image.position
    await createUser('cleo')
    const { revision } = await createUser('dan')
    const [first, second, third] = await read(feed, before, 3)
    expect(first).toMatchObject({
      type: 'delta',
      delta: { from: before.revision, to: before.revision + 1, previous: before.chain },
    })
    expect(second).toMatchObject({
      delta: { to: revision, changes: [{ op: 'put', kind: 'user', key: 'dan', value: {} }] },
    })
    expect(third).toEqual({ type: 'heartbeat', revision })
    for (const event of [first, second]) if (event?.type === 'delta') image.apply(event.delta)
    expect(image.position).toEqual(management.store.head(log()))
  })

  it('says where the image stands, and gives the same bytes again', async () => {
    const headers = { authorization: `Bearer ${readKey('development')}` }
    const answer = await fetch(`${url}/v2/feed/default/development/image`, { headers })
    const { revision, chain } = management.store.head(log())
    expect([answer.headers.get('x-revision'), answer.headers.get('x-chain')]).toEqual([String(revision), chain])
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(await makeFeed(readKey('development')).image())
  })

  it('sends a delta to a stream that waits', async () => {
    const events = makeFeed(readKey('development')).deltas(management.store.head(log()))[Symbol.asyncIterator]()
    expect((await events.next()).value).toMatchObject({ type: 'heartbeat' })
    const { revision } = await createUser('eve')
    expect((await events.next()).value).toMatchObject({ type: 'delta', delta: { to: revision } })
    await events.return?.()
  })

  it('refuses a position of another history, or beyond the head, with FEED_FORK', async () => {
    const feed = makeFeed(readKey('development'))
    const { revision, chain } = management.store.head(log())
    await expect(read(feed, { revision, chain: makeChain(9) }, 1)).rejects.toEqual(code('FEED_FORK'))
    await expect(read(feed, { revision: revision - 1, chain: makeChain(9) }, 1)).rejects.toEqual(code('FEED_FORK'))
    await expect(read(feed, { revision: revision + 1, chain }, 1)).rejects.toEqual(code('FEED_FORK'))
  })

  it('refuses a position without form with 422', async () => {
    const headers = { authorization: `Bearer ${readKey('development')}` }
    for (const query of [
      '',
      '?after=1',
      '?after=x&chain=y',
      `?after=-1&chain=${makeChain(1)}`,
      `?after=1&chain=${makeChain(1)}&more=1`,
    ]) {
      const answer = await fetch(`${url}/v2/feed/default/development/deltas${query}`, { headers })
      expect([query, answer.status]).toEqual([query, 422])
    }
  })

  it('is for the keys of its environment', async () => {
    await expect(makeFeed('wrong').image()).rejects.toEqual(code('KEY_UNKNOWN'))
    await expect(read(makeFeed('wrong'), START, 1)).rejects.toEqual(code('KEY_UNKNOWN'))
    await expect(makeFeed(readKeys(data)?.organization ?? '').image()).rejects.toEqual(code('KEY_TOO_NARROW'))
    const headers = { authorization: `Bearer ${readKey('production')}` }
    expect((await fetch(`${url}/v2/feed/default/development/image`, { headers })).status).toBe(404)
    expect((await fetch(`${url}/v2/feed/default/development/image`)).status).toBe(401)
  })

  it('sends no request without a key', async () => {
    for (const apiKey of [undefined, ''] as string[])
      await expect(connect({ url: 'http://127.0.0.1:1', apiKey })).rejects.toEqual(code('CONFIG_INVALID'))
  })

  it('ends a stream with KEY_UNKNOWN when its key dies, and no other stream', async () => {
    const input = { level: 'env', access: 'read', project: 'default', environment: 'development' } as const
    const { result } = await management.store.commit(management.organization, 'createApiKey', input, TESTER)
    const pdp = await connect({ url, apiKey: result.secret })
    const other = await connect({ url, apiKey: readKey('development') })
    await management.store.commit(management.organization, 'deleteApiKey', { ref: result.key.id }, TESTER)
    await expect(pdp.atLeast(1e9, { timeoutMs: 10_000 })).rejects.toEqual(code('KEY_UNKNOWN'))
    expect(() => pdp.check('ana', 'say', 'hello')).toThrow(code('KEY_UNKNOWN'))
    expect(other.check('ana', 'say', 'hello')).toBe(true)
    await other.close()
  })

  it('ends a stream when its key is rotated, and the new key may follow', async () => {
    const input = { level: 'env', access: 'read', project: 'default', environment: 'development' } as const
    const { result } = await management.store.commit(management.organization, 'createApiKey', input, TESTER)
    const pdp = await connect({ url, apiKey: result.secret })
    const rotate = { ref: result.key.id }
    const rotated = await management.store.commit(management.organization, 'rotateApiKey', rotate, TESTER)
    await expect(pdp.atLeast(1e9, { timeoutMs: 10_000 })).rejects.toEqual(code('KEY_UNKNOWN'))
    await expect(makeFeed(result.secret).image()).rejects.toEqual(code('KEY_UNKNOWN'))
    expect((await makeFeed(rotated.result.secret).image()).length).toBeGreaterThan(0)
  })

  it('says that an environment is deleted: to who follows it, and to who comes later', async () => {
    const { organization, store } = management
    const input = { project: 'default', environment: { key: 'short-lived' } }
    const { id } = (await store.commit(organization, 'createEnvironment', input, TESTER)).result
    const key = [...store.view(organization).by('keys_of_environment', id)][0]!
    const apiKey = store.readSecret(key.id)!
    const pdp = await connect({ url, apiKey })
    expect(pdp.check('ana', 'say', 'hello')).toBe(false)
    await store.commit(organization, 'deleteEnvironment', { ref: id }, TESTER)
    await expect(pdp.atLeast(1e9, { timeoutMs: 10_000 })).rejects.toEqual(code('ENVIRONMENT_DELETED'))
    expect(() => pdp.check('ana', 'say', 'hello')).toThrow(code('ENVIRONMENT_DELETED'))
    await expect(makeFeed(apiKey).image()).rejects.toEqual(code('ENVIRONMENT_DELETED'))
    await expect(connect({ url, apiKey })).rejects.toEqual(code('ENVIRONMENT_DELETED'))
  })

  it('lets a server close although followers are there, and they find the next one', async () => {
    const pdp = await connect({ url, apiKey: readKey('development') })
    const { port } = new URL(url)
    await app.close()
    expect(pdp.check('ana', 'say', 'hello')).toBe(true)
    const { revision } = await createUser('fay')
    app = managementServer(management)
    await app.listen({ host: '127.0.0.1', port: Number(port) })
    await pdp.atLeast(revision, { timeoutMs: 10_000 })
    await pdp.close()
  })
})

describe('a follower that does not read', () => {
  it('is cut off, so that it holds nothing for ever', async () => {
    const data = temporaryFolder('slow')
    const management = await openManagement({ data })
    const { store, audit, snapshots } = management
    const app = managementApp({
      store,
      audit,
      routes: (routes) => feedRoutes(routes, { store, snapshots, drainMs: 50 }),
    })
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const { id } = store.view(management.organization).require('environment', 'default/development')
    const { revision, chain } = store.head(id)
    const socket = createConnection(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    const path = `/v2/feed/default/development/deltas?after=${revision}&chain=${chain}`
    const key = readKeys(data)?.environments.development
    socket.write(`GET ${path} HTTP/1.1\r\nhost: zerohop\r\nauthorization: Bearer ${key}\r\n\r\n`)
    await once(socket, 'data')
    socket.pause()
    const connections = () => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))
    const attributes = { text: 'x'.repeat(60_000) }
    for (let at = 0; (await connections()) === 1 && at < 1_000; at++) {
      const users = Array.from({ length: 20 }, (_, n) => ({ key: `${at}-${n}`, attributes }))
      await store.commit(id, 'createUsers', { operations: users }, TESTER)
    }
    expect(await connections()).toBe(0)
    socket.destroy()
    await app.close()
    await store.close()
  })
})

describe('a reader of the feed', () => {
  const servers: Server[] = []
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  /** A feed of a server that knows the scope, and answers the rest with `listener`. */
  async function feedFrom(listener: RequestListener, silenceMs?: number): Promise<RemoteFeed> {
    const server = createServer((request, response) => {
      if (request.url !== '/v2/api-key/scope') listener(request, response)
      else response.end('{"organization_id":"o","project_id":"p","environment_id":"e"}')
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    return new RemoteFeed({ url, apiKey: 'key', ...(silenceMs === undefined ? {} : { silenceMs }) })
  }
  const heartbeat = encodeFrame({ type: 'heartbeat', revision: 1 })

  it.each([
    [401, 'UNAUTHORIZED', 'KEY_UNKNOWN'],
    [403, 'FORBIDDEN_ACCESS', 'KEY_TOO_NARROW'],
    [409, 'CONCURRENT_OPERATION_DISALLOWED', 'FEED_GAP'],
    [410, 'NOT_FOUND', 'ENVIRONMENT_DELETED'],
    [404, 'NOT_FOUND', 'FEED_UNREACHABLE'],
    [500, 'UNEXPECTED_ERROR', 'FEED_UNREACHABLE'],
    [302, '', 'FEED_UNREACHABLE'],
  ] as const)('takes status %i %s for %s', async (status, error_code, expected) => {
    const feed = await feedFrom((_, response) =>
      response.writeHead(status, { location: '/' }).end(JSON.stringify({ error_code })),
    )
    await expect(read(feed, START, 1)).rejects.toEqual(code(expected))
    await expect(feed.image()).rejects.toEqual(code(expected))
  })

  it.each([401, 403, 409, 410])(
    'believes no status %i that is not in the words of the management API',
    async (status) => {
      for (const body of ['', '{}', '<h1>Please sign in</h1>', '"UNAUTHORIZED"', '{"error_code":7}', '[]']) {
        const feed = await feedFrom((_, response) => response.writeHead(status).end(body))
        await expect(feed.image()).rejects.toEqual(code('FEED_UNREACHABLE'))
      }
    },
  )

  it('refuses an answer that is not a scope, and a scope without an environment', async () => {
    for (const [scope, expected] of [
      ['<h1>Please sign in</h1>', 'FEED_UNREACHABLE'],
      ['{}', 'FEED_UNREACHABLE'],
      ['{"organization_id":"o","project_id":"p","environment_id":null}', 'KEY_TOO_NARROW'],
    ] as const) {
      const server = createServer((_, response) => response.end(scope)).listen(0, '127.0.0.1')
      servers.push(server)
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      await expect(new RemoteFeed({ url, apiKey: 'key' }).image()).rejects.toEqual(code(expected))
    }
  })

  it.each(['FEED_GAP', 'FEED_FORK', 'KEY_UNKNOWN', 'ENVIRONMENT_DELETED'] as const)(
    'ends with %s when the last frame says so',
    async (reason) => {
      const feed = await feedFrom((_, response) =>
        response.end(Buffer.concat([heartbeat, encodeFrame({ type: 'end', code: reason })])),
      )
      await expect(read(feed, START, 9)).rejects.toEqual(code(reason))
    },
  )

  it('ends with FEED_UNREACHABLE when the stream just ends, breaks or is silent', async () => {
    const ends = await feedFrom((_, response) => response.end(heartbeat))
    await expect(read(ends, START, 9)).rejects.toEqual(code('FEED_UNREACHABLE'))
    const breaks = await feedFrom((_, response) => response.write(heartbeat, () => response.destroy()))
    await expect(read(breaks, START, 9)).rejects.toEqual(code('FEED_UNREACHABLE'))
    const silent = await feedFrom((_, response) => response.write(heartbeat), 50)
    await expect(read(silent, START, 9)).rejects.toMatchObject({
      code: 'FEED_UNREACHABLE',
      message: expect.stringMatching(/nothing arrived for 50 ms/),
    })
  })

  it('refuses a damaged frame, and one of another version', async () => {
    const damaged = Uint8Array.from(heartbeat)
    damaged[damaged.length - 1] = damaged[damaged.length - 1]! ^ 1
    await expect(read(await feedFrom((_, response) => response.end(damaged)), START, 1)).rejects.toEqual(
      code('FRAME_INVALID'),
    )
    const newer = Uint8Array.from(heartbeat)
    newer[2] = FEED_VERSION + 1
    await expect(read(await feedFrom((_, response) => response.end(newer)), START, 1)).rejects.toEqual(
      code('FRAME_INVALID'),
    )
  })

  it('believes no image that is cut off, and none without a length', async () => {
    const cut = await feedFrom((_, response) =>
      response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy()),
    )
    await expect(cut.image()).rejects.toEqual(code('FEED_UNREACHABLE'))
    const endless = await feedFrom((_, response) => response.write('x'))
    await expect(endless.image()).rejects.toEqual(code('IMAGE_DAMAGED'))
  })

  it('says why a server cannot be reached, and never the key', async () => {
    const feed = new RemoteFeed({ url: 'http://127.0.0.1:1', apiKey: 'zh_env_secret' })
    const error = await feed.image().catch((caught: Error) => caught)
    expect(error).toMatchObject({ code: 'FEED_UNREACHABLE', message: expect.stringMatching(/ECONNREFUSED|bad port/) })
    expect(String(error)).not.toContain('zh_env_secret')
    expect(() => new RemoteFeed({ url: 'ftp://nowhere', apiKey: 'key' })).toThrow(code('CONFIG_INVALID'))
  })

  it('ends quietly when it is closed', async () => {
    const feed = await feedFrom((_, response) => response.write(heartbeat))
    const stop = new AbortController()
    const events: FeedEvent[] = []
    for await (const event of feed.deltas(START, stop.signal)) {
      events.push(event)
      stop.abort()
    }
    expect(events).toEqual([{ type: 'heartbeat', revision: 1 }])
  })
})
