// The address of the page Time-limited access, and what the API is asked for it.
import { PAGE_ROWS } from '../../api/page-of.ts'
import { pageIn, textIn } from '../../components/search-params.ts'

export const WITHIN = [
  { value: '7', label: 'Ends in the next 7 days' },
  { value: '30', label: 'Ends in the next 30 days' },
  { value: 'any', label: 'Ends at any time' },
] as const
export const STATES = [
  { value: '', label: 'In force or scheduled' },
  { value: 'in_force', label: 'In force' },
  { value: 'scheduled', label: 'Scheduled' },
  { value: 'ended', label: 'Ended' },
] as const
type Within = (typeof WITHIN)[number]['value']
type State = Exclude<(typeof STATES)[number]['value'], ''>
/** Days that are not in the address. */
export const USUAL: Within = '30'

export interface EndingSearch {
  readonly user?: string
  readonly role?: string
  readonly tenant?: string
  readonly ticket?: string
  readonly state?: State
  /** days until the end; 30 when absent */
  readonly within?: Within
  readonly page?: number
}

export function parseEndingSearch(search: Record<string, unknown>): EndingSearch {
  const state = STATES.find(({ value }) => value === search.state)?.value
  const within = WITHIN.find(({ value }) => value === String(search.within))?.value
  return {
    ...textIn(search, 'user'),
    ...textIn(search, 'role'),
    ...textIn(search, 'tenant'),
    ...textIn(search, 'ticket'),
    ...(state ? { state } : {}),
    ...(within === undefined || within === USUAL ? {} : { within }),
    ...pageIn(search),
  }
}

/** Days until the end that the list has; of what has ended, or has yet to start, the end does not matter. */
export const findDays = ({ state, within = USUAL }: EndingSearch): Within =>
  state === 'ended' || state === 'scheduled' ? 'any' : within

const DAY_MS = 86_400_000
const LAST = '9999-12-31T23:59:59.999Z'

/** The query of `GET /v2/facts/{p}/{e}/role_assignments`. What has yet to start is listed without an end, too. */
export function toEndingQuery(search: EndingSearch, now: number) {
  const { user, role, tenant, ticket, state, page = 1 } = search
  const days = findDays(search)
  const before = days === 'any' ? LAST : new Date(now + Number(days) * DAY_MS).toISOString()
  return {
    ...{ page, per_page: PAGE_ROWS, include_total_count: true },
    ...(state === 'scheduled' ? {} : { ending_before: before }),
    ...(state === undefined ? {} : { state: [state] }),
    ...(user === undefined ? {} : { user: [user] }),
    ...(role === undefined ? {} : { role: [role] }),
    ...(tenant === undefined ? {} : { tenant: [tenant] }),
    ...(ticket === undefined ? {} : { ticket: [ticket] }),
  }
}

/** Whether less is listed than the page shows by itself. */
export const isNarrowed = ({ page: _, ...filters }: EndingSearch): boolean => Object.keys(filters).length > 0

/** Whether everything is listed that ends within some days. */
export const isOfAll = (search: EndingSearch): boolean =>
  findDays(search) !== 'any' &&
  [search.user, search.role, search.tenant, search.ticket, search.state].every((value) => value === undefined)
