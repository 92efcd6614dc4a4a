// The address of the page Requests, and what the API is asked for it.
import { PAGE_ROWS } from '../../api/page-of.ts'
import type { RequestQuery, RequestState } from '../../api/requests.ts'
import { pageIn, textIn } from '../../components/search-params.ts'

export const STATES = [
  { value: '', label: 'Pending' },
  { value: 'approved', label: 'Approved' },
  { value: 'denied', label: 'Denied' },
  { value: 'expired', label: 'Expired' },
  { value: 'ended', label: 'Ended' },
  { value: 'revoked', label: 'Revoked' },
  { value: 'cancelled', label: 'Cancelled' },
  { value: 'superseded', label: 'Superseded' },
  { value: 'all', label: 'All' },
] as const
type State = Exclude<(typeof STATES)[number]['value'], ''>

export interface RequestsSearch {
  /** pending when absent */
  readonly state?: State
  readonly user?: string
  readonly role?: string
  readonly tenant?: string
  readonly page?: number
  /** id of the request that is open over the list */
  readonly request?: string
}

export function parseRequestsSearch(search: Record<string, unknown>): RequestsSearch {
  const state = STATES.find(({ value }) => value === search.state)?.value
  return {
    ...(state ? { state } : {}),
    ...textIn(search, 'user'),
    ...textIn(search, 'role'),
    ...textIn(search, 'tenant'),
    ...textIn(search, 'request'),
    ...pageIn(search),
  }
}

export function toRequestsQuery({ state, user, role, tenant, page = 1 }: RequestsSearch): RequestQuery {
  const states: RequestState[] = state === 'all' ? [] : [state ?? 'pending']
  return {
    ...{ page, per_page: PAGE_ROWS },
    ...(states.length === 0 ? {} : { state: states }),
    ...(user === undefined ? {} : { user: [user] }),
    ...(role === undefined ? {} : { role: [role] }),
    ...(tenant === undefined ? {} : { tenant: [tenant] }),
  }
}

/** Whether other requests are listed than the page shows by itself. */
export const isNarrowed = ({ page: _, request: __, ...filters }: RequestsSearch): boolean =>
  Object.keys(filters).length > 0
