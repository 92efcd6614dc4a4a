// The options that say from when and until when something is in force, and times as commands print them.
import { DURATION, instantIn, parseSeconds } from '../../model/durations.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseExactInstant } from '../../model/instant.ts'

export interface TimeOptions {
  readonly for?: string | undefined
  readonly until?: string | undefined
  readonly from?: string | undefined
  /** false: without an end */
  readonly end?: boolean | undefined
}

/** What is sent of the times that are named. @throws INPUT_INVALID */
export function readTimes({ for: time, until, from, end: hasEnd }: TimeOptions, now: number) {
  const start = from === undefined ? undefined : readInstant(instantIn(from, now), '--from')
  const seconds = time === undefined ? undefined : parseSeconds(time)
  if (time !== undefined && !seconds) throw new ZerohopError('INPUT_INVALID', { reason: `--for: ${DURATION}` })
  const end = seconds
    ? (start ?? now) + seconds * 1000
    : until === undefined
      ? undefined
      : readInstant(until, '--until')
  return {
    ...(start === undefined ? {} : { valid_from: start }),
    ...(end === undefined ? {} : { valid_until: end }),
    ...(hasEnd === false ? { valid_until: null } : {}),
  }
}

/** @throws INPUT_INVALID */
function readInstant(text: string, option: string): number {
  const instant = parseExactInstant(text)
  if (instant !== undefined) return instant
  const reason = `${option}: a time with its offset is needed, such as 2026-12-31T18:00:00Z`
  throw new ZerohopError('INPUT_INVALID', { reason })
}

export const formatTime = (time: string | undefined): string => (time === undefined ? '' : time.replace('+00:00', 'Z'))
