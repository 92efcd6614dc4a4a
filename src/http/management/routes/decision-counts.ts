// How many decisions were allowed and denied over time, for the API: by minute, hour or day (UTC).

import type { AuditLog } from '../../../decision-log/audit-log.ts'
import type { AuditCounts } from '../../../decision-log/schema.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { AUDIT_COUNTS_MAX } from '../../../model/limits.ts'
import { type Query, readText, readTime } from '../../page.ts'
import { printTime } from '../render/stamps.ts'

const MINUTE_MS = 60_000
/** Minutes that are counted together, and how many of these there are when no beginning is named. */
const STEPS = {
  minute: { minutes: 1, shown: 60 },
  hour: { minutes: 60, shown: 24 },
  day: { minutes: 24 * 60, shown: 30 },
} as const

/** The counts that a query asks for. @param now ms since 1970 @throws INPUT_INVALID */
export async function countsRead(
  audit: Pick<AuditLog, 'minutes'>,
  environment: string,
  query: Query,
  now: number,
): Promise<AuditCounts> {
  const by = readText(query, 'by') ?? 'hour'
  if (!isStep(by)) throw new ZerohopError('INPUT_INVALID', { reason: 'permitted: minute, hour, day' }, at('by'))
  const { minutes, shown } = STEPS[by]
  const stepMs = minutes * MINUTE_MS
  // the step of either time is counted whole
  const before = Math.floor((readTime(query, 'timestamp_to') ?? now) / stepMs + 1) * stepMs
  const from = readTime(query, 'timestamp_from')
  const since = from === undefined ? Math.max(0, before - shown * stepMs) : Math.floor(from / stepMs) * stepMs
  const steps = Math.max(0, (before - since) / stepMs)
  if (steps > AUDIT_COUNTS_MAX) {
    const reason = `these times are ${steps} times a ${by}, at most ${AUDIT_COUNTS_MAX} are allowed`
    throw new ZerohopError('INPUT_INVALID', { reason }, at('timestamp_from'))
  }
  const counted = steps === 0 ? [] : await audit.minutes(environment, { since, before, minutes })
  return {
    by,
    from: printTime(since),
    to: printTime(before),
    data: counted.map(({ at: time, allowed, denied }) => ({ time: printTime(time), allowed, denied })),
  }
}

const isStep = (by: string): by is keyof typeof STEPS => Object.hasOwn(STEPS, by)
const at = (name: string): { path: string[] } => ({ path: ['query', name] })
