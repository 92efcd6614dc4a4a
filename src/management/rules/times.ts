// The rules for times of what is granted (D15).
import { type Durations, projectTimes, type TimesPolicy } from '../../kinds/times.ts'
import { ZerohopError } from '../../model/errors.ts'
import { INSTANT_MAX } from '../../model/instant.ts'
import { printTime } from '../../model/print-time.ts'
import type { Mint } from '../../store/view.ts'
import type { SentGiving, SentTimes } from '../schemas/field-members.ts'
import { type Path, settleInstant, settleSeconds } from './fields.ts'

/** The time of a write, from which durations are counted. */
export type Clock = Pick<Mint, 'now' | 'isTimeless'>

/**
 * The times after a write; what is not sent stays, null clears.
 * @throws INPUT_INVALID unless each says exactly when, and the end is after the beginning
 */
export function settleTimes(stored: TimesPolicy, sent: SentTimes, path: Path): TimesPolicy {
  const settle = (name: keyof TimesPolicy) => settleInstant(sent[name], stored[name] ?? null, [...path, name])
  const times = projectTimes({ valid_from: settle('valid_from'), valid_until: settle('valid_until') })
  requireOrder(times, sent, path)
  return times
}

/**
 * @param sent what was sent of it: the error is about a field of that
 * @throws INPUT_INVALID for what would end before it begins
 */
export function requireOrder(times: TimesPolicy, sent: { readonly valid_until?: unknown }, path: Path): void {
  const { valid_from: from, valid_until: until } = times
  if (from === undefined || until === undefined || from < until) return
  const name = sent.valid_until == null ? 'valid_from' : 'valid_until'
  const reason = `it would begin at ${printTime(from)} and end at ${printTime(until)}: the end must be after the beginning`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, name] })
}

/** The durations of a role after a write; what is not sent stays, also in PUT, and null clears. @throws INPUT_INVALID */
export function settleDurations(stored: Durations | undefined, sent: SentGiving, path: Path): Durations {
  const settle = (name: keyof Durations) => settleSeconds(sent[name], stored?.[name] ?? null, [...path, name])
  const [usual, most] = [settle('default_duration'), settle('max_duration')]
  if (usual !== null && most !== null && usual > most) {
    const name = sent.default_duration == null ? 'max_duration' : 'default_duration'
    const reason = `the role would be given for ${usual} seconds by default, and for ${most} at most`
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, name] })
  }
  return { ...(usual === null ? {} : { default_duration: usual }), ...(most === null ? {} : { max_duration: most }) }
}

/** The times of a new assignment: one for which no end is sent gets that of its role. @throws INPUT_INVALID */
export function withDuration<T extends TimesPolicy>(times: T, sent: SentTimes, durations: Durations, clock: Clock): T {
  const seconds = durations.default_duration ?? durations.max_duration
  const isOpen = times.valid_until === undefined && sent.valid_until === undefined
  if (!isOpen || seconds === undefined || clock.isTimeless) return times
  return { ...times, valid_until: Math.min(INSTANT_MAX, findBeginning(times, clock) + seconds * 1000) }
}

/** @throws INPUT_INVALID for times that are longer than the role is given for */
export function requireDuration(times: TimesPolicy, { max_duration: most }: Durations, clock: Clock, path: Path): void {
  if (most === undefined || clock.isTimeless) return
  const last = findBeginning(times, clock) + most * 1000
  if (times.valid_until !== undefined && times.valid_until <= last) return
  const reason = `the role is given for ${most} seconds at most: until ${printTime(Math.min(INSTANT_MAX, last))}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, 'valid_until'] })
}

/** What has begun is counted from now: so it can be extended. */
const findBeginning = ({ valid_from: from = 0 }: TimesPolicy, { now }: Clock): number => Math.max(from, now)
