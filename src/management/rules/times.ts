// The rules for times of what is granted (D15).
import { projectTimes, type TimesPolicy } from '../../kinds/times.ts'
import { ZerohopError } from '../../model/errors.ts'
import { printTime } from '../../model/print-time.ts'
import type { SentTimes } from '../schemas/field-members.ts'
import { type Path, settleInstant } from './fields.ts'

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
