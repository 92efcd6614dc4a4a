// The feed in the process of the store, in the moment in which a write is on disk and its thread has not said so yet.
import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { type FeedDeps, localFeed } from '../../src/management/feed/local-feed.ts'
import { openManagementData } from '../../src/management/host/open.ts'
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
