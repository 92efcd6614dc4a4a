// The address of the page History: filters and page; and what the API is asked for it. Days are those of the reader.

export interface HistorySearch {
  /** a part of the name of whoever did it */
  readonly who?: string
  /** a part of what was done */
  readonly what?: string
  /** days, `2026-11-20`, both included */
  readonly from?: string
  readonly until?: string
  /** from 1 on; 1 when absent */
  readonly page?: number
}

/** Rows of a page. */
export const HISTORY_ROWS = 50

const TEXTS = ['who', 'what'] as const
const DAYS = ['from', 'until'] as const

/** What an address says; whatever is no filter is left out. */
export function historySearchOf(search: Record<string, unknown>): HistorySearch {
  const texts = TEXTS.map((name) => [name, typeof search[name] === 'number' ? String(search[name]) : search[name]])
  const days = DAYS.map((name) => [name, isDay(search[name]) ? search[name] : undefined])
  const { page } = search
  return Object.fromEntries([
    ...[...texts, ...days].filter(([, value]) => typeof value === 'string' && value !== ''),
    ...(Number.isSafeInteger(page) && (page as number) > 1 ? [['page', page]] : []),
  ]) as HistorySearch
}

/** The query of `GET /v2/history` for an environment. */
export function historyQueryOf(environment: string, { who, what, from, until, page = 1 }: HistorySearch) {
  return {
    env_id: [environment],
    changed: true,
    page,
    per_page: HISTORY_ROWS,
    ...(who === undefined ? {} : { actor_display_name: who }),
    ...(what === undefined ? {} : { search: what }),
    ...(from === undefined ? {} : { timestamp_from: dayStart(from) / 1000 }),
    ...(until === undefined ? {} : { timestamp_until: dayStart(until, 1) / 1000 - 1 }),
  }
}

/** Whether fewer than all revisions are asked for. */
export const isFiltered = ({ who, what, from, until }: HistorySearch): boolean =>
  [who, what, from, until].some((filter) => filter !== undefined)

const isDay = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(dayStart(value))

/** Midnight where the reader is, in ms since 1970; of a later day when one says how many days later. */
function dayStart(day: string, later = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}
