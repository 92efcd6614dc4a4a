// When a PDP reports the revision that it applied: soon after a change, not too often, and now and then without one.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RevisionReports } from '../../src/client/revision-reports.ts'
import { PDP_ALIVE_MS, PDP_REPORT_CHECK_MS, PDP_REPORT_MS } from '../../src/model/limits.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A PDP with an open stream; `answer` is what the other side makes of a report. */
function reporting(reported: number | undefined) {
  const pdp = { applied: reported, sent: [] as number[], answer: async () => true }
  const send = (revision: number) => {
    pdp.sent.push(revision)
    return pdp.answer()
  }
  const reports = new RevisionReports({ applied: () => pdp.applied, reported, send })
  return Object.assign(pdp, { stop: () => reports.stop() })
}

it('the first revision is reported at once, later ones after a while, and the same one now and then', async () => {
  const pdp = reporting(undefined)
  await vi.advanceTimersByTimeAsync(5 * PDP_REPORT_CHECK_MS)
  expect(pdp.sent).toEqual([])
  pdp.applied = 7
  await vi.advanceTimersByTimeAsync(PDP_REPORT_CHECK_MS)
  expect(pdp.sent).toEqual([7])
  for (let revision = 8; revision < 18; revision++) {
    pdp.applied = revision
    await vi.advanceTimersByTimeAsync(PDP_REPORT_MS / 10)
  }
  expect(pdp.sent).toEqual([7, 17])
  await vi.advanceTimersByTimeAsync(PDP_ALIVE_MS)
  expect(pdp.sent).toEqual([7, 17, 17])
  pdp.stop()
  await vi.advanceTimersByTimeAsync(PDP_ALIVE_MS)
  expect(pdp.sent).toHaveLength(3)
})

it('a revision that was sent with the stream is not reported again', async () => {
  const pdp = reporting(3)
  await vi.advanceTimersByTimeAsync(PDP_REPORT_MS)
  expect(pdp.sent).toEqual([])
  await vi.advanceTimersByTimeAsync(PDP_ALIVE_MS)
  expect(pdp.sent).toEqual([3])
})

it('reports go on after one that failed, are sent one at a time, and end with a server that does not know them', async () => {
  const pdp = reporting(undefined)
  pdp.applied = 1
  pdp.answer = () => Promise.reject(new Error('away'))
  await vi.advanceTimersByTimeAsync(PDP_REPORT_MS + PDP_REPORT_CHECK_MS)
  expect(pdp.sent).toEqual([1, 1])
  let answer = (_: boolean): void => undefined
  pdp.answer = () =>
    new Promise((resolve) => {
      answer = resolve
    })
  await vi.advanceTimersByTimeAsync(3 * PDP_ALIVE_MS)
  expect(pdp.sent).toEqual([1, 1, 1])
  answer(false)
  await vi.advanceTimersByTimeAsync(3 * PDP_ALIVE_MS)
  expect(pdp.sent).toEqual([1, 1, 1])
})
