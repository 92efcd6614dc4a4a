// Asks for the head of the log, again and again while a connection lasts, one question at a time. The moment of an
// answer is the one before its question was sent: however long it waited on its way, it makes no image too young.
import { setTimeout as pause } from 'node:timers/promises'
import type { FeedHead } from '../log/feed.ts'
import { HEAD_ASK_MIN_MS, HEAD_ASK_MS, HEAD_ASKS_PER_LIMIT, PDP_REPORT_TIMEOUT_MS } from '../model/limits.ts'
import { type Moment, measureAge, momentBefore } from '../model/moment.ts'

export interface HeadAskerOptions {
  readonly ask: (timeoutMs: number) => Promise<FeedHead | undefined>
  readonly maxStalenessMs: number | undefined
  /** the head was not behind at that moment */
  readonly heard: (head: FeedHead, at: Moment) => void
  /** the other side is older and cannot say it: it is not asked again */
  readonly unknown: () => void
  readonly failed: (error: unknown) => void
}

/** Asks until the signal aborts. Never rejects. */
export async function askForHead(options: HeadAskerOptions, signal: AbortSignal): Promise<void> {
  const { ask, maxStalenessMs = Number.POSITIVE_INFINITY, heard, unknown, failed } = options
  const everyMs = Math.max(HEAD_ASK_MIN_MS, Math.min(HEAD_ASK_MS, maxStalenessMs / HEAD_ASKS_PER_LIMIT))
  const timeoutMs = Math.min(PDP_REPORT_TIMEOUT_MS, Math.max(2 * everyMs, 1_000))
  while (!signal.aborted) {
    const at = momentBefore(0)
    try {
      const head = await ask(timeoutMs)
      if (signal.aborted) return
      if (head === undefined) return unknown()
      heard(head, at)
    } catch (error) {
      if (!signal.aborted) failed(error)
    }
    const leftMs = Math.max(HEAD_ASK_MIN_MS, everyMs - measureAge(at))
    await pause(leftMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
