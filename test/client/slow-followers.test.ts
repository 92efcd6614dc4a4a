// Followers that stop reading: what they make the management API keep, how they are told to take an image, and that
// nobody else notices. docs/feed.md.
import { createHash } from 'node:crypto'
import { get, type IncomingMessage, type ServerResponse } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RemoteFeed } from '../../src/client/http-feed.ts'
import { managementApp } from '../../src/http/apps/management-app.ts'
import { feedRoutes } from '../../src/http/management/routes/feed.ts'
import type { Position } from '../../src/log/change.ts'
import { FrameDecoder } from '../../src/log/codec.ts'
import type { FeedEvent } from '../../src/log/feed.ts'
import { FEED_DRAIN_MS, FOLLOWER_BYTES_MAX, RECENT_BYTES_MAX } from '../../src/model/limits.ts'
import { connect, type Management, openManagement, readKeys } from '../../src/server.ts'
import { TESTER } from '../support/environments.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/folders.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const WRITES = 50
const USERS = 17
const STOPPED = 20
const data = temporaryFolder('slow-followers')
let management: Management
let log: string
/** before each of the writes, a megabyte each */
const positions: Position[] = []
const headers = () => ({ authorization: `Bearer ${readKeys(data)?.environments.development}` })

/** 60,000 characters that do not compress. */
function makeText(seed: string): string {
  let text = ''
  for (let at = 0; text.length < 60_000; at++) text += createHash('sha512').update(`${seed} ${at}`).digest('base64')
  return text.slice(0, 60_000)
}

async function write(name: string): Promise<void> {
  const operations = Array.from({ length: USERS }, (_, n) => {
    const key = `${name}-${n}`
    return { key, attributes: { text: makeText(key) } }
  })
  await management.store.commit(log, 'createUsers', { operations }, TESTER)
}

/** A server of the feed, and the answers it has begun. */
async function serve(drainMs: number) {
  const { store, audit, snapshots } = management
  const app = managementApp({ store, audit, routes: (routes) => feedRoutes(routes, { store, snapshots, drainMs }) })
  const begun: ServerResponse[] = []
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url.includes('/deltas')) begun.push(reply.raw)
    done()
  })
  return { app, begun, url: await app.listen({ host: '127.0.0.1', port: 0 }) }
}

/** A follower that stops reading when its stream has begun. */
function stop(url: string, { revision, chain }: Position): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const path = `/v2/feed/default/development/deltas?after=${revision}&chain=${chain}`
    get(url + path, { headers: headers(), agent: false }, (answer) => {
      answer.on('error', () => undefined)
      resolve(answer.pause())
    }).on('error', reject)
  })
}

/** Bytes that are in use after a collection. */
function measureMemory(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

beforeAll(async () => {
  management = await openManagement({ data })
  log = management.store.view(management.organization).require('environment', 'default/development').id
  for (let at = 0; at < WRITES; at++) {
    positions.push(management.store.head(log))
    await write(`user-${at}`)
  }
})
afterAll(() => management.store.close())

it('followers that stop reading hold little each, however far they are behind', async () => {
  const { app, begun, url } = await serve(FEED_DRAIN_MS)
  const before = measureMemory()
  const from = positions.slice(0, STOPPED)
  const stopped = await Promise.all(from.map((each) => stop(url, each)))
  await eventually(() => begun.filter((raw) => raw.writableNeedDrain).length, STOPPED)
  const shared = RECENT_BYTES_MAX
  // the part of the log that was read, the frame of its first entry, and what the socket takes
  expect(measureMemory() - before).toBeLessThan(shared + STOPPED * 3 * FOLLOWER_BYTES_MAX)
  for (const each of stopped) each.destroy()
  await app.close()
})

it('a follower that stops reading is told to take an image, and others go on', async () => {
  const { app, begun, url } = await serve(1_000)
  const apiKey = headers().authorization.slice('Bearer '.length)
  const other = await connect({ url, apiKey, timeoutMs: 60_000 }) // its first image is 50 MB
  const streams = begun.length
  const stopped = await stop(url, positions[0]!)
  const answer = begun[streams]!
  await write('meanwhile')
  await other.atLeast(management.store.head(log).revision, { timeoutMs: 30_000 })
  await eventually(() => answer.writableEnded, true)
  const events: (FeedEvent | { type: string })[] = []
  const decoder = new FrameDecoder()
  for await (const chunk of stopped) events.push(...decoder.push(chunk))
  expect(events.at(-1)).toEqual({ type: 'end', code: 'FEED_GAP' })
  expect(events.length).toBeLessThan(WRITES)
  await write('after')
  await other.atLeast(management.store.head(log).revision, { timeoutMs: 30_000 })
  expect(begun.slice(0, streams).every((raw) => !raw.writableEnded)).toBe(true)
  await other.close()
  const feed = new RemoteFeed({ url, apiKey: headers().authorization.slice('Bearer '.length) })
  expect((await feed.image()).length).toBeGreaterThan(0)
  await app.close()
})
