// Pages of a list of the API.

/** Rows of a page. */
export const PAGE_ROWS = 50

/** The answer of a list that is asked for its total. */
export interface PageOf<T> {
  readonly data: readonly T[]
  readonly total_count: number
}
