// Which changes a write with `X-Wait-Timeout: 0` holds, and for how long. The clock is faked.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ACKNOWLEDGE_WAIT_MS, ANSWER_HOLD_MS, APPLY_WINDOW_MS } from '../../src/model/limits.ts'
import { AnswerHolds } from '../../src/pdp/answer-holds.ts'

const freed = vi.fn()
let holds: AnswerHolds

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  freed.mockClear()
  holds = new AnswerHolds(freed)
})
afterEach(() => {
  vi.useRealTimers()
})

const isHeld = (arrival: ReturnType<AnswerHolds['arrival']>, isHurried = false) => holds.heldMs(arrival, isHurried) > 0

it('a write holds changes that arrive after it began until its answer, also for callers that wait, and then for a window', () => {
  const before = holds.arrival()
  const answered = holds.begin()
  const change = holds.arrival()
  expect([isHeld(before), isHeld(change), isHeld(change, true)]).toEqual([false, true, true])
  answered()
  expect([isHeld(change), isHeld(change, true), freed.mock.calls.length]).toEqual([true, false, 1])
  vi.advanceTimersByTime(APPLY_WINDOW_MS)
  expect([isHeld(change), freed.mock.calls.length]).toEqual([false, 2])
})

it('a change is not held by writes that began after it, however many come', () => {
  const answered = holds.begin()
  const change = holds.arrival()
  for (let more = 0; more < 3; more++) holds.begin()
  answered()
  vi.advanceTimersByTime(APPLY_WINDOW_MS)
  expect(isHeld(change)).toBe(false)
})

it('a change is held by all writes that began before it, and each is answered once', () => {
  const [one, other] = [holds.begin(), holds.begin()]
  const change = holds.arrival()
  other()
  other()
  vi.advanceTimersByTime(APPLY_WINDOW_MS)
  expect([isHeld(change), freed.mock.calls.length]).toEqual([true, 2])
  one()
  vi.advanceTimersByTime(APPLY_WINDOW_MS)
  expect(isHeld(change)).toBe(false)
})

it('a change is held for a bounded time by a write whose answer is never written', () => {
  expect(ANSWER_HOLD_MS).toBeLessThanOrEqual(ACKNOWLEDGE_WAIT_MS / 2)
  holds.begin()
  const change = holds.arrival()
  vi.advanceTimersByTime(ANSWER_HOLD_MS - 1)
  expect([holds.heldMs(change, true), isHeld(holds.arrival())]).toEqual([1, true])
  vi.advanceTimersByTime(1)
  expect(isHeld(change, true)).toBe(false)
})
