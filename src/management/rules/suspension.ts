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
  if (stored?.directory !== undefined) return besideDirectory(stored, sent, now, path)
  return settleByHand(sent, stored, now, path)
}

/**
 * The suspension by a directory after somebody else wrote: that of the directory stays, because nobody else ends it, and
 * what a person says is kept next to it. What the directory deleted is nobody's, and a person resumes the user.
 */
function besideDirectory(stored: Suspension, sent: Sent<SentSuspension>, now: number, path: Path): Suspension | null {
  const { by_hand: held, ...ofDirectory } = stored
  if (sent === null && stored.directory === 'deleted') return null
  // who writes back what was read says nothing new
  if (sent?.reason.trim() === stored.reason && sent.valid_from == null && sent.valid_until == null) return stored
  const byHand = settleByHand(sent, held ?? null, now, path)
  if (byHand === (held ?? null)) return stored
  return byHand === null ? ofDirectory : { ...ofDirectory, by_hand: byHand }
}

function settleByHand(
  sent: Sent<SentSuspension>,
  stored: Suspension | null,
  now: number,
  path: Path,
): Suspension | null {
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

const REASONS = { inactive: 'not active in the directory', deleted: 'deleted in the directory' } as const

/** The user as a directory says: suspended while it is not active or deleted there, and else as a person said. */
export function withDirectoryState(user: User, state: 'active' | 'inactive' | 'deleted', now: number): User {
  const { suspension: stored, ...rest } = user
  const of = stored?.directory
  if (state === 'active') {
    if (of === undefined) return user
    return stored?.by_hand === undefined ? rest : { ...rest, suspension: stored.by_hand }
  }
  if (of === state) return user
  const byHand = of === undefined ? stored : stored?.by_hand
  const suspended_at = of === undefined ? now : stored!.suspended_at
  const by_hand = byHand === undefined ? {} : { by_hand: byHand }
  return { ...rest, suspension: { reason: REASONS[state], suspended_at, directory: state, ...by_hand } }
}

function requireReason(reason: string, path: Path): string {
  const text = reason.trim()
  if (text === '') throw new ZerohopError('INPUT_INVALID', { reason: 'a suspension has a reason' }, { path })
  return requireText(text, 'reason', REASON_LENGTH_MAX, path)
}
