// What the log forgets, and what it never does: the state, the head, and the answers of those who follow.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Image } from '../../src/image/image.ts'
import { localFeed } from '../../src/management/feed/local-feed.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { applyRetention } from '../../src/management/host/retention.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

const DAY = 86_400_000

describe('retention', () => {
  let management: ManagementData
  let log: string
  beforeEach(async () => {
    management = await openManagementData({
      data: temporaryFolder('retention'),
      newId: () => randomBytes(16).toString('hex'),
    })
    log = management.store.view(management.organization).require('environment', 'default/development').id
    for (let at = 0; at < 20; at++) await management.store.commit(log, 'createUser', { key: `user-${at}` }, BY)
  })
  afterEach(() => management.store.close())
  const history = () => management.store.history(log, Number.MAX_SAFE_INTEGER, 1000)
  const feed = () => localFeed(management, { environment: log, organization: management.organization })
  const next = (revision: number, chain: string) => feed().deltas({ revision, chain })[Symbol.asyncIterator]().next()

  it('of everything forgets nothing', async () => {
    expect(await applyRetention(management.store, {}, Date.now())).toBe(0)
    expect(history()).toHaveLength(21)
  })

  it('keeps the newest deltas; who is further behind takes an image, and history keeps all', async () => {
    const all = management.store.entries(log, 0)
    const before = history()
    await applyRetention(management.store, { deltaRevisions: 5 }, Date.now())
    expect(history()).toEqual(before)
    expect(management.store.entries(log, 15)).toHaveLength(0)
    expect(management.store.entries(log, 16)).toEqual(all.slice(16))
    await expect(next(10, all[9]!.chain)).rejects.toMatchObject({ code: 'FEED_GAP' })
    expect(await next(16, all[15]!.chain)).toMatchObject({ value: { type: 'delta', delta: { to: 17 } } })
    const image = Image.load(await feed().image())
    expect(image.position).toEqual(management.store.head(log))
    await management.store.commit(log, 'createUser', { key: 'after' }, BY)
    const { value } = await next(image.revision, image.position.chain)
    image.apply(value.delta)
    expect(image.position).toEqual(management.store.head(log))
  })

  it('goes by age as well, and history goes later', async () => {
    const options = { deltaDays: 1, historyDays: 3 }
    await applyRetention(management.store, options, Date.now() + 2 * DAY)
    expect(management.store.entries(log, 10)).toHaveLength(0)
    expect(history()).toHaveLength(21)
    await applyRetention(management.store, options, Date.now() + 4 * DAY)
    expect(history().map(({ revision }) => revision)).toEqual([21])
    expect(management.store.historyCount(log)).toBe(1)
    expect(management.store.view(log).count('user')).toBe(22)
    await management.store.commit(log, 'createUser', { key: 'after' }, BY)
    expect(management.store.entries(log, 21)).toHaveLength(1)
  })

  it('clears a deleted environment, keeps its history, and then forgets it', async () => {
    const { store, organization } = management
    const logs = store.logs().length
    await store.commit(organization, 'deleteEnvironment', { ref: log }, BY)
    await applyRetention(store, {}, Date.now())
    expect(store.view(log).count('user')).toBe(0)
    expect([...store.view(log).list('user')]).toEqual([])
    expect(store.view(log).get('role', 'admin')).toBeUndefined()
    expect(history()).toHaveLength(21)
    await applyRetention(store, {}, Date.now() + 366 * DAY)
    expect(store.exists(log)).toBe(false)
    expect(store.logs()).toHaveLength(logs - 1)
    expect(store.view(organization).count('deleted_environment')).toBe(0)
    const other = store.view(organization).require('environment', 'default/production').id
    expect(store.view(other).count('tenant')).toBe(1)
  })

  it('goes on beside writes, in steps', async () => {
    const many = Array.from({ length: 4_000 }, (_, at) =>
      management.store.commit(log, 'createUser', { key: `more-${at}` }, BY),
    )
    await Promise.all(many)
    const writing = Array.from({ length: 100 }, (_, at) =>
      management.store.commit(log, 'createUser', { key: `last-${at}` }, BY),
    )
    const rows = await applyRetention(management.store, { deltaRevisions: 10, historyRevisions: 10 }, Date.now())
    await Promise.all(writing)
    expect(rows).toBeGreaterThan(4_000)
    expect(management.store.head(log).revision).toBe(4_121)
    await applyRetention(management.store, { deltaRevisions: 10, historyRevisions: 10 }, Date.now())
    expect(history()).toHaveLength(10)
    expect(management.store.view(log).count('user')).toBe(4_122)
  })
})
