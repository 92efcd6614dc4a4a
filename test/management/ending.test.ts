// What was granted for a time is announced before it ends (D15): once for each end, by the system, in revisions of bounded
// size, whatever clocks and replicas do.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { put } from '../../src/log/change.ts'
import { announceAllEnding, type EndingEvent } from '../../src/management/host/ending-upkeep.ts'
import { type ManagementData, openManagementData } from '../../src/management/host/open.ts'
import { keepRetention } from '../../src/management/host/retention.ts'
import { announceEnding } from '../../src/management/objects/ending.ts'
import {
  BULK_ASSIGNMENTS_MAX,
  BULK_USERS_MAX,
  ENDING_PER_REVISION,
  ENDING_PER_ROUND_MAX,
  RETENTION_EVERY_MS,
} from '../../src/model/limits.ts'
import { Draft } from '../../src/store/draft.ts'
import { temporaryFolder } from '../support/folders.ts'
import { BY } from './harness.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const GRANTS = 10_000

describe('what ends soon', () => {
  let folder: string
  let management: ManagementData
  let log: string
  const failures: unknown[] = []
  const events: EndingEvent[] = []
  const open = async () => {
    management = await openManagementData({
      data: folder,
      newId: () => randomBytes(16).toString('hex'),
      noExample: true,
    })
    log = management.store.view(management.organization).require('environment', 'default/development').id
  }
  beforeEach(async () => {
    failures.length = 0
    events.length = 0
    folder = temporaryFolder('ending')
    await open()
    await management.store.commit(log, 'createRole', { key: 'editor' }, BY)
    for (const key of ['ana', 'ben']) await management.store.commit(log, 'createUser', { key }, BY)
  })
  afterEach(() => management.store.close())

  const listener = {
    announced: (event: EndingEvent) => events.push(event),
    failed: (error: unknown) => failures.push(error),
  }
  const upkeep = (noticeMs = DAY, now = Date.now()) => announceAllEnding(management.store, noticeMs, now, listener)
  const assign = (user: string, times: object) =>
    management.store.commit(log, 'putAssignment', { user, role: 'editor', ...times }, BY)
  const head = () => management.store.head(log).revision
  /** The entries of announcements, the first one first, with the keys that each names. */
  const announced = () =>
    management.store
      .history(log, Number.MAX_SAFE_INTEGER, 1_000)
      .filter(({ by }) => by.operation === 'announceEnding')
      .reverse()
  const listKeys = ({ revision }: { readonly revision: number }) =>
    management.store.entries(log, revision - 1, 1).flatMap(({ changes }) => changes.map(({ key }) => key))

  it('is announced once for each end, and another end again', async () => {
    const until = Date.now() + HOUR
    await assign('ana', { valid_until: until })
    await assign('ben', { valid_until: Date.now() + 2 * DAY })
    const before = head()
    expect([await upkeep(), await upkeep()]).toEqual([1, 0])
    expect(events).toEqual([{ event: 'ending', environment: log, revision: before + 1, count: 1 }])
    const [entry] = announced()
    expect([entry!.by.api_key_id, entry!.summary, listKeys(entry!)]).toEqual([
      null,
      `announce what ends: 1 grant, the first at ${new Date(until).toISOString()}: ana/editor/default`,
      ['ana/editor/default'],
    ])
    // what says nothing of the end changes nothing
    await assign('ana', { reason: 'restores the archive' })
    expect(await upkeep()).toBe(0)
    await assign('ana', { valid_until: until + HOUR })
    expect([await upkeep(), await upkeep()]).toEqual([1, 0])
    // an end that is far away is announced when it is near, and without an end nothing is
    await assign('ana', { valid_until: until + 5 * DAY })
    expect(await upkeep()).toBe(0)
    expect(await upkeep(10 * DAY)).toBe(2)
    await assign('ana', { valid_until: null })
    expect(await upkeep(10 * DAY)).toBe(0)
    expect(failures).toEqual([])
  })

  it('[D16] is announced once of everybody, too, also across a restart', async () => {
    const until = Date.now() + HOUR
    await management.store.commit(log, 'updateRole', { ref: 'editor', fields: { everybody: true } }, BY)
    await assign('*', { valid_until: until })
    expect([await upkeep(), await upkeep()]).toEqual([1, 0])
    await management.store.close()
    await open()
    expect(await upkeep()).toBe(0)
    expect(announced().map(({ summary }) => summary)).toEqual([
      `announce what ends: 1 grant, the first at ${new Date(until).toISOString()}: */editor/default`,
    ])
  })

  it('is announced once across restarts, and also a relationship', async () => {
    const { store } = management
    await store.commit(log, 'createResource', { key: 'doc', actions: {}, relations: { parent: 'doc' } }, BY)
    const tuple = { subject: 'doc:a', relation: 'parent', object: 'doc:b', tenant: 'default' }
    await store.commit(log, 'putTuple', { ...tuple, valid_until: Date.now() + HOUR }, BY)
    await assign('ana', { valid_until: Date.now() + HOUR })
    expect(await upkeep()).toBe(2)
    await management.store.close()
    await open()
    expect(await upkeep()).toBe(0)
    expect(announced().map(listKeys)).toEqual([['ana/editor/default', 'doc:a/parent/doc:b']])
    // who is made anew under the same key has an end of its own
    await management.store.commit(log, 'deleteUser', { ref: 'ana' }, BY)
    await management.store.commit(log, 'createUser', { key: 'ana' }, BY)
    expect(await upkeep()).toBe(0)
    await assign('ana', { valid_until: Date.now() + HOUR })
    expect(await upkeep()).toBe(1)
  })

  it('is announced once by two who try at the same time, and looked at again by the writer', async () => {
    await assign('ana', { valid_until: Date.now() + HOUR })
    expect((await Promise.all([upkeep(), upkeep()])).sort()).toEqual([0, 1])
    expect(announced()).toHaveLength(1)
    const keys = { role_assignments: ['ana/editor/default', 'gone/editor/default'], relationship_tuples: [] }
    const view = management.store.view(log)
    const at = (now: number) =>
      announceEnding(view, { ...keys, noticeMs: DAY }, { id: () => '', secret: () => '', now })
    expect(at(Date.now())).toEqual({ changes: [], result: 0 })
    expect(at(Date.now() + DAY)).toEqual({ changes: [], result: 0 })
  })

  it('is announced in revisions of bounded size, also ten thousand grants that end in the same millisecond', async () => {
    const { store } = management
    const users = Array.from({ length: GRANTS }, (_, at) => ({ key: `u${at}` }))
    for (let from = 0; from < GRANTS; from += BULK_USERS_MAX)
      await store.commit(log, 'createUsers', { operations: users.slice(from, from + BULK_USERS_MAX) }, BY)
    const valid_until = Date.now() + HOUR
    const assignments = users.map(({ key: user }) => ({ user, role: 'editor', valid_until }))
    for (let from = 0; from < GRANTS; from += BULK_ASSIGNMENTS_MAX) {
      const part = assignments.slice(from, from + BULK_ASSIGNMENTS_MAX)
      await store.commit(log, 'assignMany', { assignments: part, missing_user_policy: 'fail' }, BY)
    }
    expect(GRANTS).toBeLessThanOrEqual(ENDING_PER_ROUND_MAX)
    // a server that ends in the middle goes on where it was
    let closed: Promise<void> | undefined
    const end = () => {
      closed ??= management.store.close()
    }
    const half = { ...listener, announced: end }
    expect(await announceAllEnding(store, DAY, Date.now(), half)).toBe(0)
    expect(failures).toHaveLength(1)
    await closed
    await open()
    expect(announced()).toHaveLength(1)
    expect(await upkeep()).toBe(GRANTS - ENDING_PER_REVISION)
    expect(announced()).toHaveLength(GRANTS / ENDING_PER_REVISION)
    expect(announced()[0]!.summary).toMatch(
      /^announce what ends: 1,000 grants, the first at .*: u\S+, \S+, \S+ and 997 more$/,
    )
    expect(new Set(announced().flatMap(listKeys)).size).toBe(GRANTS)
    expect(await upkeep()).toBe(0)
  }, 60_000)

  it('is announced once by a clock that jumps a year ahead and back', async () => {
    const start = Date.now()
    await assign('ana', { valid_until: start + HOUR })
    await assign('ben', { valid_until: start + 366 * DAY - HOUR })
    // the clock of the writer is that of its thread, so its use case is asked here
    const draft = new Draft(management.store.view(log))
    const keys = { role_assignments: ['ana/editor/default', 'ben/editor/default'], relationship_tuples: [] }
    const round = (now: number): string[] => {
      const mint = { id: () => '', secret: () => '', now }
      const { changes } = announceEnding(draft, { ...keys, noticeMs: DAY }, mint)
      draft.stage(changes)
      return changes.map(({ key }) => key)
    }
    const ahead = start + 365 * DAY
    expect([ahead, start, start, ahead].map(round)).toEqual([['ben/editor/default'], ['ana/editor/default'], [], []])
    // two writers whose clocks differ by a minute: the one that is ahead is first
    const end = start + 2 * DAY
    await assign('ana', { valid_until: end })
    draft.stage([put('role_assignment', management.store.view(log).require('role_assignment', 'ana/editor/default'))])
    const near = end - DAY - 30_000
    expect([near, near + 60_000, near, near + 60_000].map(round)).toEqual([[], ['ana/editor/default'], [], []])
  })

  it('is not announced with a notice of 0, nor what has ended', async () => {
    await assign('ana', { valid_until: Date.now() + HOUR })
    await assign('ben', { valid_until: Date.now() - 1 })
    const before = head()
    expect(await upkeep(0)).toBe(0)
    expect(head()).toBe(before)
    expect(await upkeep()).toBe(1)
  })

  it('is announced by retention, in its rounds', async () => {
    await assign('ana', { valid_until: Date.now() + HOUR })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const heard = new Promise((resolve) => {
      const stop = keepRetention(management.store, {}, { now: Date.now, onEvent: resolve })
      vi.advanceTimersByTime(RETENTION_EVERY_MS)
      stop()
    })
    vi.useRealTimers()
    expect(await heard).toEqual({ event: 'ending', environment: log, revision: head(), count: 1 })
  })
})
