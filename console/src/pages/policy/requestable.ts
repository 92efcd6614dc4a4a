// How a role can be requested, as it is typed and in words (docs/access-requests.md).
import { DURATION_FORM, formatSeconds, parseDuration } from 'zerohop/durations'
import type { Requestable } from './policy.ts'

export interface RequestableForm {
  readonly isRequestable: boolean
  readonly by: Requestable['by']
  /** keys of roles */
  readonly approvers: readonly string[]
  /** as it is typed, such as `4h` */
  readonly longest: string
  readonly needsReason: boolean
  readonly isAuto: boolean
}

/** @param stored null for a role that cannot be requested */
export const makeRequestableForm = (stored: Requestable | null): RequestableForm => ({
  isRequestable: stored !== null,
  by: stored?.by ?? 'members',
  approvers: stored?.approvers ?? [],
  longest: stored === null ? '' : formatSeconds(stored.max_duration),
  needsReason: (stored?.reason ?? 'required') === 'required',
  isAuto: stored?.auto === true,
})

/** What is typed, where nothing is wrong with it. */
export function readRequestable(form: RequestableForm): Requestable | null {
  if (!form.isRequestable) return null
  return {
    by: form.by,
    approvers: [...form.approvers].sort(),
    max_duration: parseDuration(form.longest) ?? 0,
    reason: form.needsReason || form.isAuto ? 'required' : 'optional',
    ...(form.isAuto ? { auto: true } : {}),
  }
}

/** What is wrong with the longest time; undefined when nothing is. */
export function problemOfRequestable({ isRequestable, longest }: RequestableForm): string | undefined {
  if (!isRequestable || parseDuration(longest) !== undefined) return undefined
  return longest.trim() === '' ? 'Requested access always ends: enter the longest time, such as 4h' : DURATION_FORM
}

/** `members, up to 4h, approved by lead, with a reason` */
export function describeRequestable({ by, approvers, max_duration, reason, auto }: Requestable): string {
  const keys = [...approvers].sort().join(', ')
  return [
    by === 'members' ? 'members of the tenant' : 'every user',
    `up to ${formatSeconds(max_duration)}`,
    auto ? 'at once' : keys === '' ? 'without approvers' : `approved by ${keys}`,
    ...(auto && keys !== '' ? [`revoked by ${keys}`] : []),
    reason === 'required' ? 'with a reason' : 'with or without a reason',
  ].join(', ')
}
