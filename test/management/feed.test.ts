// The feed in the process of the store: when a write is on disk and its thread has not said so yet, and for many followers
// at once.
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { Image } from '../../src/image/image.ts'
import type { Position } from '../../src/log/change.ts'
import type { FeedEvent } from '../../src/log/feed.ts'
import { type FeedDeps, localFeed, RecentDeltas } from '../../src/management/feed/local-feed.ts'
import { openManagementData } from '../../src/management/host/open.ts'
import { RECENT_BYTES_MAX } from '../../src/model/limits.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

it('an image that is newer than what the writer has told is not of another history: its follower waits for the writer', async () => {
  const management = await openManagementData({
    data: temporaryFolder('feed'),
    newId: () => randomBytes(16).toString('hex'),
  })
  const { store, snapshots, organization } = management
  const environment = store.view(organization).require('environment', 'default/development').id
  const behindHead = store.head(environment)
  await store.commit(environment, 'createUser', { key: 'cleo' }, BY)
  let isTold = false
  let tell = (): void => undefined
  const behind: FeedDeps['store'] = {
    head: (log) => (isTold ? store.head(log) : behindHead),
    exists: (log) => store.exists(log),
    entries: (log, after, limit) => store.entries(log, after, limit),
    view: (log) => store.view(log),
    confirm: () => store.confirm(),
    waitBeyond: (log, revision, signal) =>
      isTold
        ? store.waitBeyond(log, revision, signal)
        : new Promise((resolve) => {
            tell = resolve
          }),
  }
  const feed = localFeed({ store: behind, snapshots }, { environment, organization })
  const { position } = Image.load(await feed.image())
  expect(position.revision).toBe(behindHead.revision + 1)
  const closing = new AbortController()
  const next = feed.deltas(position, closing.signal)[Symbol.asyncIterator]().next()
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  isTold = true
  tell()
  expect(await next).toMatchObject({ value: { type: 'heartbeat', revision: position.revision } })
  const foreign = { revision: position.revision, chain: randomBytes(32).toString('hex') }
  for (const at of [foreign, { ...foreign, revision: position.revision + 1 }])
    await expect(feed.deltas(at)[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'FEED_FORK' })
  closing.abort()
  await store.close()
})

it('reads and makes a delta once for all that wait for it, and for those who come while it is kept', async () => {
  const { store, snapshots, organization } = await openManagementData({
    data: temporaryFolder('feed'),
    newId: () => randomBytes(16).toString('hex'),
  })
  const environment = store.view(organization).require('environment', 'default/development').id
  const entries = vi.fn((log: string, after: number, limit: number) => store.entries(log, after, limit))
  const counted: FeedDeps['store'] = {
    entries,
    head: (log) => store.head(log),
    exists: (log) => store.exists(log),
    view: (log) => store.view(log),
    confirm: () => store.confirm(),
    waitBeyond: (log, revision, signal, ms) => store.waitBeyond(log, revision, signal, ms),
  }
  let frameBytes = 100
  const encode = vi.fn(() => ({ length: frameBytes }) as Uint8Array)
  const recent = new RecentDeltas(encode)
  const deps: FeedDeps = { store: counted, snapshots, recent }
  const start = store.head(environment)
  const closing = new AbortController()
  const follow = (after: Position) =>
    localFeed(deps, { environment, organization }).deltas(after, closing.signal)[Symbol.asyncIterator]()
  const nextDelta = async (events: AsyncIterator<FeedEvent>): Promise<FeedEvent> => {
    const { value } = await events.next()
    return value.type === 'heartbeat' ? nextDelta(events) : value
  }
  const followers = Array.from({ length: 20 }, () => follow(start))
  const write = (keys: readonly string[]) =>
    store.commit(environment, 'createUsers', { operations: keys.map((key) => ({ key })) }, BY)
  const waitForAll = () => Promise.all(followers.map(nextDelta))
  const shared = async (waiting: Promise<FeedEvent[]>): Promise<FeedEvent> => {
    const events = await waiting
    expect(new Set(events).size).toBe(1)
    return events[0]!
  }

  const first = waitForAll()
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  await write(Array.from({ length: 300 }, (_, at) => `user-${at}`))
  const delta = await shared(first)
  expect([entries.mock.calls.length, encode.mock.calls.length]).toEqual([1, 1])
  expect(await nextDelta(follow(start))).toBe(delta)
  expect(entries).toHaveBeenCalledTimes(1)

  expect(recent.after(environment, start)).toBe(delta)

  // too large to be kept: those who wait share it all the same
  frameBytes = RECENT_BYTES_MAX + 1
  const afterFirst = store.head(environment)
  const second = waitForAll()
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  await write(['large'])
  const large = await shared(second)
  expect(entries).toHaveBeenCalledTimes(2)
  expect(recent.after(environment, afterFirst)).toBeUndefined()
  expect(await nextDelta(follow(afterFirst))).toEqual(large)

  // with it, more than fits: the oldest was dropped
  frameBytes = RECENT_BYTES_MAX
  const afterSecond = store.head(environment)
  await write(['last'])
  const last = await shared(waitForAll())
  expect(recent.after(environment, afterSecond)).toBe(last)
  expect(recent.after(environment, start)).toBeUndefined()
  expect(await nextDelta(follow(start))).toEqual(delta)
  closing.abort()
  await Promise.all(followers.map((each) => each.return?.()))
  await store.close()
})
