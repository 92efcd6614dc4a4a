// Last uses as they are asked for, and as they are printed.
import type { Known, LastUsed } from '../../management/last-used/last-used.ts'
import { parseSeconds } from '../../model/durations.ts'
import { UNUSED_SECONDS_MAX } from '../../model/limits.ts'
import { printTime } from '../../model/print-time.ts'
import { type Query, readText } from '../page.ts'
import { invalid } from './access-query.ts'

/** The time that `unused_for` names, in milliseconds. @throws INPUT_INVALID */
export function readUnusedFor(query: Query): number | undefined {
  const text = readText(query, 'unused_for')
  if (text === undefined) return undefined
  const seconds = parseSeconds(text)
  if (seconds === undefined || seconds < 1 || seconds > UNUSED_SECONDS_MAX)
    throw invalid('unused_for', `must be a time such as 30d, at most ${UNUSED_SECONDS_MAX / 86_400}d`)
  return seconds * 1000
}

export const printUsed = ({ at, isUnused, unknown }: LastUsed) => ({
  last_used: at === undefined ? null : printTime(at),
  unused: isUnused ?? null,
  unknown: unknown ?? null,
})

export type PrintedUse = ReturnType<typeof printUsed>

export const printKnown = (known: Known | undefined) => ({
  known_since: known?.since === undefined ? null : printTime(known.since),
  known_until: known === undefined ? null : printTime(known.until),
  dropped: known?.dropped ?? 0,
  dropped_at: known?.droppedAt === undefined ? null : printTime(known.droppedAt),
})
