// The address of the page History: filters and page; and what the API is asked for it. Days are those of the reader.
import { type Days, parseDays, toSeconds } from '../../components/days.ts'
import { pageIn, textIn } from '../../components/search-params.ts'

export interface HistorySearch extends Days {
  /** a part of the name of whoever did it */
  readonly who?: string
  /** a part of what was done */
  readonly what?: string
  /** from 1 on; 1 when absent */
  readonly page?: number
}

/** Rows of a page. */
export const HISTORY_ROWS = 50

/** Reads the filters from an address; anything else is left out. */
export function parseHistorySearch(search: Record<string, unknown>): HistorySearch {
  return { ...textIn(search, 'who'), ...textIn(search, 'what'), ...parseDays(search), ...pageIn(search) }
}

/** The query of `GET /v2/history` for an environment. */
export function toHistoryQuery(environment: string, { who, what, page = 1, ...days }: HistorySearch) {
  const { first, last } = toSeconds(days)
  return {
    env_id: [environment],
    changed: true,
    page,
    per_page: HISTORY_ROWS,
    ...(who === undefined ? {} : { actor_display_name: who }),
    ...(what === undefined ? {} : { search: what }),
    ...(first === undefined ? {} : { timestamp_from: first }),
    ...(last === undefined ? {} : { timestamp_until: last }),
  }
}

/** Whether fewer than all revisions are asked for. */
export const isFiltered = ({ who, what, from, until }: HistorySearch): boolean =>
  [who, what, from, until].some((filter) => filter !== undefined)
