// The rule for the suspension of a user (D16): what is not sent stays, and null alone resumes the user. One that has ended
// is made anew, so that who is suspended again is not left with an end that has passed.
import type { SentSuspension, Suspension } from '../../kinds/fields.ts'
import { isEnded, projectTimes } from '../../kinds/times.ts'
import type { User } from '../../kinds/user.ts'
import { ZerohopError } from '../../model/errors.ts'
import { REASON_LENGTH_MAX } from '../../model/limits.ts'
import { type Path, requireText, type Sent } from './fields.ts'
import { settleTimes } from './times.ts'

/**
 * The suspension after a write, or null. One that says the same as the stored one is that, so that writing it again
 * changes nothing.
 * @throws INPUT_INVALID without a reason, or with times that do not say exactly when
 */
export function settleSuspension(
  sent: Sent<SentSuspension>,
  user: Partial<User> | undefined,
  now: number,
  path: Path,
): Suspension | null {
  const stored = user?.suspension ?? null
  if (sent === undefined || sent === null) return sent === null ? null : stored
  const reason = requireReason(sent.reason, [...path, 'reason'])
  const isNew = stored === null || isEnded(stored, now)
  const times = settleTimes(isNew ? {} : projectTimes(stored), sent, path)
  const isSame =
    stored !== null &&
    reason === stored.reason &&
    times.valid_from === stored.valid_from &&
    times.valid_until === stored.valid_until
  return isSame ? stored : { reason, suspended_at: isNew ? now : stored.suspended_at, ...times }
}

function requireReason(reason: string, path: Path): string {
  const text = reason.trim()
  if (text === '') throw new ZerohopError('INPUT_INVALID', { reason: 'a suspension has a reason' }, { path })
  return requireText(text, 'reason', REASON_LENGTH_MAX, path)
}
