// When a page loads the next snapshot: before the last one ends, with the focus, later after each failure; one request
// at a time, and none after the end. With a clock and a window of the test's own.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Load, SnapshotKeeper } from '../../src/browser/react/snapshot-keeper.ts'
import {
  SNAPSHOT_LIFETIME_DEFAULT_MS as LIFETIME,
  SNAPSHOT_FOCUS_MS,
  SNAPSHOT_LOAD_TIMEOUT_MS,
  SNAPSHOT_REFRESH_BEFORE_MS,
  SNAPSHOT_RETRY_MAX_MS,
} from '../../src/model/limits.ts'
import type { Snapshot } from '../../src/model/snapshot.ts'

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
const frame = new EventTarget()
const snapshotAt = (lifetimeMs = LIFETIME): Snapshot => ({
  format: 1,
  revision: 1,
  user: 'ana',
  expiresAt: Date.now() + lifetimeMs,
  lifetimeMs,
  etag: 'x',
  answers: [],
  rights: [],
  tenants: {},
})
const failing = async () => {
  throw new Error('no')
}

let ends: (() => void)[] = []
/** A keeper that has begun, and what its `load` was called with. */
function startKeeper(load: (at: Parameters<Load>[0]) => Promise<Snapshot>, initial?: Snapshot) {
  const calls = vi.fn(load)
  const keeper = new SnapshotKeeper(calls, initial)
  ends.push(keeper.start())
  return { keeper, calls }
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  vi.spyOn(Math, 'random').mockReturnValue(0)
  vi.stubGlobal('document', page)
  vi.stubGlobal('window', frame)
  page.visibilityState = 'visible'
})
afterEach(() => {
  for (const end of ends) end()
  ends = []
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('a snapshot is loaded at the beginning, and again before its end, with the last one', async () => {
  const { keeper, calls } = startKeeper(async () => snapshotAt())
  expect(keeper.kept()).toEqual({ snapshot: undefined, error: undefined })
  await pass(0)
  const first = keeper.kept().snapshot
  expect(first).toBeDefined()
  await pass(LIFETIME - SNAPSHOT_REFRESH_BEFORE_MS - 1)
  expect(calls).toHaveBeenCalledTimes(1)
  await pass(1)
  expect(calls.mock.calls.map(([{ current }]) => current)).toEqual([undefined, first])
  expect(keeper.kept().snapshot?.expiresAt).toBe(Date.now() + LIFETIME)
})

it('nothing is loaded at the beginning when a snapshot came with the page, unless that one has ended', async () => {
  const { keeper, calls } = startKeeper(failing, snapshotAt())
  await pass(1_000)
  expect(calls).not.toHaveBeenCalled()
  expect(keeper.kept().snapshot).toBeDefined()
  const old = startKeeper(failing, { ...snapshotAt(), expiresAt: Date.now() })
  await pass(0)
  expect([old.keeper.kept().snapshot, old.calls.mock.calls[0]?.[0].current?.etag]).toEqual([undefined, 'x'])
})

it('a snapshot is forgotten at its end, and each failure delays the next try, up to a minute', async () => {
  let isDown = false
  const { keeper, calls } = startKeeper(async () => (isDown ? await failing() : snapshotAt()))
  const listener = vi.fn()
  await pass(0)
  keeper.listen(listener)
  isDown = true
  const times: number[] = []
  calls.mockImplementation(async () => {
    times.push(Date.now())
    return isDown ? await failing() : snapshotAt()
  })
  await pass(LIFETIME - 1)
  expect(keeper.kept()).toMatchObject({ snapshot: { etag: 'x' }, error: { message: 'no' } })
  await pass(1)
  expect(keeper.kept().snapshot).toBeUndefined()
  await pass(5 * SNAPSHOT_RETRY_MAX_MS)
  const waits = times.slice(1).map((time, index) => time - times[index]!)
  expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, SNAPSHOT_RETRY_MAX_MS])
  expect(Math.max(...waits)).toBe(SNAPSHOT_RETRY_MAX_MS)
  isDown = false
  await pass(SNAPSHOT_RETRY_MAX_MS)
  expect(keeper.kept()).toMatchObject({ snapshot: { etag: 'x' }, error: undefined })
  expect(listener).toHaveBeenCalled()
})

it('a snapshot is loaded when the focus or the network is back, at most every ten seconds, and one at a time', async () => {
  let finish = (_: Snapshot) => {}
  const { calls, keeper } = startKeeper(() => new Promise<Snapshot>((resolve) => (finish = resolve)))
  keeper.refresh()
  frame.dispatchEvent(new Event('focus'))
  await pass(SNAPSHOT_FOCUS_MS)
  frame.dispatchEvent(new Event('online'))
  expect(calls).toHaveBeenCalledTimes(1)
  finish(snapshotAt())
  await pass(0)
  frame.dispatchEvent(new Event('online'))
  expect(calls).toHaveBeenCalledTimes(2)
  finish(snapshotAt())
  await pass(SNAPSHOT_FOCUS_MS - 1)
  page.dispatchEvent(new Event('visibilitychange'))
  expect(calls).toHaveBeenCalledTimes(2)
  await pass(1)
  page.dispatchEvent(new Event('visibilitychange'))
  expect(calls).toHaveBeenCalledTimes(3)
})

it('nothing is loaded while the page is hidden', async () => {
  const { calls } = startKeeper(async () => snapshotAt())
  await pass(0)
  page.visibilityState = 'hidden'
  frame.dispatchEvent(new Event('focus'))
  await pass(3 * LIFETIME)
  expect(calls).toHaveBeenCalledTimes(1)
  page.visibilityState = 'visible'
  page.dispatchEvent(new Event('visibilitychange'))
  expect(calls).toHaveBeenCalledTimes(2)
})

it('a request that takes too long is given up, and its late answer is ignored', async () => {
  let finish = (_: Snapshot) => {}
  const { calls, keeper } = startKeeper(() => new Promise<Snapshot>((resolve) => (finish = resolve)))
  await pass(SNAPSHOT_LOAD_TIMEOUT_MS)
  expect(calls.mock.calls[0]?.[0].signal.aborted).toBe(true)
  expect(keeper.kept().error).toMatchObject({ message: 'the snapshot took too long' })
  finish(snapshotAt())
  await pass(0)
  expect(keeper.kept().snapshot).toBeUndefined()
})

it('an answer that is not a snapshot, or has ended already, is refused, and not asked for again at once', async () => {
  for (const [made, code] of [
    [undefined, 'SNAPSHOT_INVALID'],
    [{ ...snapshotAt(), format: 2 }, 'SNAPSHOT_INVALID'],
    [snapshotAt(-1), 'SNAPSHOT_EXPIRED'],
    [{ ...snapshotAt(), expiresAt: undefined }, 'SNAPSHOT_EXPIRED'],
  ] as const) {
    const { calls, keeper } = startKeeper(async () => made as never)
    await pass(900)
    expect(keeper.kept()).toMatchObject({ snapshot: undefined, error: { code } })
    expect(calls).toHaveBeenCalledTimes(1)
  }
})

it('a keeper aborts its request when it is stopped, and may start again', async () => {
  const { calls, keeper } = startKeeper(() => new Promise<Snapshot>(() => {}))
  ends.pop()?.()
  expect(calls.mock.calls[0]?.[0].signal.aborted).toBe(true)
  frame.dispatchEvent(new Event('focus'))
  await pass(10 * LIFETIME)
  expect(calls).toHaveBeenCalledTimes(1)
  expect(keeper.kept()).toEqual({ snapshot: undefined, error: undefined })
  ends.push(keeper.start())
  expect(calls).toHaveBeenCalledTimes(2)
})
