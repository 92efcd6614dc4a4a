// What a replica does for the record, and when: from the numbers and times of a log.
import { describe, expect, it } from 'vitest'
import {
  SNAPSHOT_ENTRIES_MIN,
  SNAPSHOT_RETRY_MINUTES,
  SNAPSHOT_UNCOVERED_BYTES_MIN,
  TRIM_AGE_MINUTES,
} from '../../src/model/limits.ts'
import type { Connection } from '../../src/store/postgres/connection.ts'
import { type LogState, listTasks, UncoveredBytes } from '../../src/store/postgres/upkeep-plan.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const NOW = 1000 * DAY
const RETENTION = { deltas: { revisions: 100, ms: 10 * DAY }, history: { revisions: 1_000, ms: 100 * DAY } }

const LOG = { number: 1, id: '1'.repeat(32), kind: 'environment', lineage: '2'.repeat(64) } as const

/** A log whose newest snapshot is confirmed, and which needs nothing. */
const QUIET: LogState = {
  ...LOG,
  ...{ head: 50, oldest: 1, oldestAt: NOW - DAY, whole: 1, wholeAt: NOW - DAY },
  ...{ confirmed: 50, objects: 40, bytes: 1_000, uncoveredAt: null },
  ...{ first: 50, firstAt: NOW - DAY, second: null, secondAt: null },
  ...{ pending: null, state: null, pendingAt: null, isOwn: null, now: NOW, isAlone: false },
}

const due = (state: Partial<LogState>, uncovered = 0) =>
  listTasks({ ...QUIET, ...state }, RETENTION, { uncovered }).map((task) => task.do)

describe('a snapshot is due', () => {
  it('when as many entries came after it as it has objects, and a certain number', () => {
    const since = (entries: number, objects: number) =>
      due({ head: 50 + entries, uncoveredAt: NOW, objects, whole: 50, oldest: 50 })
    expect(since(0, 40)).toEqual([])
    expect(since(SNAPSHOT_ENTRIES_MIN - 1, 40)).toEqual([])
    expect(since(SNAPSHOT_ENTRIES_MIN, 40)).toEqual(['write'])
    expect(since(SNAPSHOT_ENTRIES_MIN, SNAPSHOT_ENTRIES_MIN + 1)).toEqual([])
    expect(since(SNAPSHOT_ENTRIES_MIN + 1, SNAPSHOT_ENTRIES_MIN + 1)).toEqual(['write'])
  })

  it('when they have as many bytes', () => {
    const since = (uncovered: number, bytes: number) => due({ head: 51, uncoveredAt: NOW, bytes }, uncovered)
    expect(since(SNAPSHOT_UNCOVERED_BYTES_MIN - 1, 1)).toEqual([])
    expect(since(SNAPSHOT_UNCOVERED_BYTES_MIN, 1)).toEqual(['write'])
    expect(since(SNAPSHOT_UNCOVERED_BYTES_MIN, SNAPSHOT_UNCOVERED_BYTES_MIN + 1)).toEqual([])
  })

  it('when one of them is older than deltas are kept', () => {
    expect(due({ head: 51, uncoveredAt: NOW - 10 * DAY })).toEqual([])
    expect(due({ head: 51, uncoveredAt: NOW - 10 * DAY - 1 })).toEqual(['write'])
  })

  it('when entries are gone that no snapshot has', () => {
    expect(due({ confirmed: 0, oldest: 40, whole: 40, uncoveredAt: NOW })).toEqual(['write'])
    expect(due({ confirmed: 0, whole: 40, uncoveredAt: NOW })).toEqual(['write'])
  })

  it('not while another one waits, or was refused lately', () => {
    const head = 50 + SNAPSHOT_ENTRIES_MIN
    const since = (minutes: number) => NOW - minutes * MINUTE
    const waits = { head, uncoveredAt: NOW, whole: 50, oldest: 50, pending: head, isOwn: true }
    expect(due({ ...waits, state: 'written', pendingAt: since(1) })).toEqual([])
    expect(due({ ...waits, state: 'refused', pendingAt: since(SNAPSHOT_RETRY_MINUTES - 1) })).toEqual([])
    expect(due({ ...waits, state: 'refused', pendingAt: since(SNAPSHOT_RETRY_MINUTES) })).toEqual(['write'])
    // damaged after it was confirmed
    expect(due({ ...waits, state: 'refused', pendingAt: null })).toEqual(['write'])
  })
})

it('a snapshot is checked by another replica, and by its own when that is alone', () => {
  const waits = { head: 60, uncoveredAt: NOW, pending: 60, state: 'written', pendingAt: NOW } as const
  expect(due({ ...waits, isOwn: false })).toEqual(['check'])
  expect(due({ ...waits, isOwn: true })).toEqual([])
  expect(due({ ...waits, isOwn: true, isAlone: true })).toEqual(['check'])
  expect(due({ ...waits, isOwn: false, state: 'refused' })).toEqual([])
})

it('entries are trimmed when they are over a bound, covered, and not too young', () => {
  const young = NOW - TRIM_AGE_MINUTES * MINUTE
  const old = young - 1
  expect(due({ head: 102, confirmed: 102, wholeAt: old, oldestAt: old })).toEqual(['trim'])
  expect(due({ head: 100, confirmed: 100, wholeAt: old, oldestAt: old })).toEqual([])
  expect(due({ head: 102, confirmed: 102, wholeAt: young, oldestAt: young })).toEqual([])
  expect(due({ wholeAt: NOW - 10 * DAY - 1 })).toEqual(['trim'])
  expect(due({ whole: 50, wholeAt: NOW - 10 * DAY - 1 })).toEqual([])
  expect(due({ whole: 50, oldestAt: NOW - 99 * DAY })).toEqual([])
  expect(due({ whole: 50, oldestAt: NOW - 101 * DAY })).toEqual(['trim'])
  expect(due({ whole: 50, oldest: 50, oldestAt: NOW - 101 * DAY })).toEqual([])
})

it('the bytes after a snapshot are measured once', async () => {
  const asked: unknown[] = []
  const query = async (_text: string, [numbers, after, to]: readonly (readonly number[])[]) => {
    asked.push([after, to])
    return numbers?.map((number, at) => ({ number, bytes: 10 * ((to?.[at] ?? 0) - (after?.[at] ?? 0)) }))
  }
  const connection = { query } as unknown as Connection
  const measured = new UncoveredBytes()
  const bytes = async (confirmed: number, head: number) =>
    (await measured.measure(connection, [{ ...QUIET, confirmed, head }]))(LOG.id)
  expect(await bytes(0, 5)).toBe(50)
  expect(await bytes(0, 5)).toBe(50)
  expect(await bytes(0, 8)).toBe(80)
  // another snapshot was confirmed
  expect(await bytes(6, 8)).toBe(20)
  expect(asked).toEqual([
    [[0], [5]],
    [[5], [8]],
    [[6], [8]],
  ])
})
