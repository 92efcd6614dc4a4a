// Access reviews as they are asked for: the query, and the cursor, which keeps the revision and the time of the first
// page, and what was asked.
import type { ReviewPlace } from '../../image/access-review/review.ts'
import { SORTS, STATES } from '../../management/schemas/access-review.ts'
import type { AccessFilter } from '../../model/access-line.ts'
import { ZerohopError } from '../../model/errors.ts'
import { REVIEW_LINES_DEFAULT, REVIEW_LINES_MAX } from '../../model/limits.ts'
import { type Position, type Query, readFlag, readText } from '../page.ts'

/** @throws INPUT_INVALID */
export function readFilter(query: Query): AccessFilter {
  const resource = readText(query, 'resource')
  const colon = resource?.indexOf(':') ?? -1
  const of = colon < 0 ? { resource } : { resource: resource?.slice(0, colon), instance: resource?.slice(colon + 1) }
  const [user, role, action] = [readText(query, 'user'), readText(query, 'role'), readText(query, 'action')]
  const state = readText(query, 'state') === undefined ? undefined : readWord(query, 'state', STATES)
  return { user, role, ...of, action, tenant: readText(query, 'tenant'), state }
}

/** Whether lines are wanted in the order of their ends. @throws INPUT_INVALID for another order, or with `since` */
export function readByEnd(query: Query): boolean {
  if (readText(query, 'sort') === undefined) return false
  readWord(query, 'sort', SORTS)
  if (readText(query, 'since') !== undefined) throw invalid('sort', 'is of one revision: leave out `since`')
  return true
}

/** @throws INPUT_INVALID */
export function readLimit(query: Query): number {
  const text = readText(query, 'limit') ?? String(REVIEW_LINES_DEFAULT)
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > REVIEW_LINES_MAX)
    throw invalid('limit', `must be a whole number from 1 to ${REVIEW_LINES_MAX}`)
  return limit
}

/** One of some words. @throws INPUT_INVALID for another word, or when it is missing and has no default */
export function readWord<T extends string>(query: Query, name: string, words: readonly T[], absent?: T): T {
  const text = readText(query, name) ?? absent
  const word = words.find((each) => each === text)
  if (word === undefined) throw invalid(name, `must be one of ${words.join(', ')}`)
  return word
}

/** Where the next page begins, and what all pages share. */
export interface ReviewCursor extends ReviewPlace {
  readonly revision: number
  /** milliseconds since 1970 */
  readonly now: number
}

export const toPosition = ({ revision, now, user, lines }: ReviewCursor): Position => [
  revision,
  now,
  user,
  ...(lines === null ? [] : [lines]),
]

/** What a cursor is bound to: the parameters that say which lines there are. */
export function listAsked(query: Query): Position {
  const asked = ['user', 'role', 'resource', 'action', 'tenant', 'state', 'sort', 'since', 'unused_for'].map(
    (name) => readText(query, name) ?? '',
  )
  return [...asked, String(readFlag(query, 'changed'))]
}

export function fromPosition(position: Position | undefined): ReviewCursor | undefined {
  if (position === undefined) return undefined
  const [revision, now, user, lines = null] = position as readonly [number, number, string, number?]
  return { revision, now, user, lines }
}

export function invalid(name: string, reason: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', name] })
}
