// What an address of the page Access review means, and what the API is asked for it. A date is one of the reader: as of
// a date is the end of that day, compared with a date is its beginning.
import { dayStart, isDay } from '../../components/days.ts'
import { parseReviewSearch, type ReviewSearch } from './review-search.ts'

/** What narrows the lines. */
const NARROWING = ['user', 'role', 'resource', 'action', 'tenant', 'unused'] as const

/** The address after something was filled in or taken away: from the first page on. */
export function narrowed(
  { after: _, ...before }: ReviewSearch,
  change: { readonly [N in keyof ReviewSearch]?: unknown },
) {
  return parseReviewSearch({ ...before, ...change })
}

/** Whether the page shows how many have each role, or may do each action, and not yet who. */
export const isOverview = ({ tab, role, resource }: ReviewSearch): boolean =>
  (tab === 'role' && role === undefined) || (tab === 'resource' && resource === undefined)

export const isNarrowed = (search: ReviewSearch): boolean => NARROWING.some((name) => search[name] !== undefined)

/** A revision or an instant, as the API takes it. */
const toMoment = (text: string, later: 0 | 1): string =>
  isDay(text) ? new Date(dayStart(text, later) - later).toISOString() : text

/** `at` and `since` of a query. */
export function toMoments({ at, since }: ReviewSearch): { readonly at?: string; readonly since?: string } {
  return {
    ...(at === undefined ? {} : { at: toMoment(at, 1) }),
    ...(since === undefined ? {} : { since: toMoment(since, 0) }),
  }
}

/** The query of `GET …/access`. */
export function toAccessQuery(search: ReviewSearch) {
  const { tab: _, at: __, since: ___, unused, ...asked } = search
  return { ...asked, ...toMoments(search), ...(unused === undefined ? {} : { unused_for: unused }) }
}

/** The query of the same lines as a file. */
export function toCsvQuery(search: ReviewSearch): string {
  const { after: _, ...asked } = toAccessQuery(search)
  const parameters = new URLSearchParams({ format: 'csv' })
  for (const [name, value] of Object.entries(asked)) parameters.set(name, String(value))
  return parameters.toString()
}
