// Days in an address, `2026-11-20`: those of the reader.

/** Midnight where the reader is, in ms since 1970; of a later day when one says how many days later. */
export function dayStart(day: string, later = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}

export const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(dayStart(value))

export interface Days {
  /** both included */
  readonly from?: string
  readonly until?: string
}

/** The days that an address names. */
export function parseDays({ from, until }: Record<string, unknown>): Days {
  return { ...(isDay(from) ? { from } : {}), ...(isDay(until) ? { until } : {}) }
}

/** The same as the first and the last second, since 1970. */
export const toSeconds = ({ from, until }: Days): { readonly first?: number; readonly last?: number } => ({
  ...(from === undefined ? {} : { first: dayStart(from) / 1000 }),
  ...(until === undefined ? {} : { last: dayStart(until, 1) / 1000 - 1 }),
})
