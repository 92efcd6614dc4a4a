// A list that is read whole: its pages, several at a time.

/** Rows of a page of the API: the most that it answers. */
const ROWS = 100
/** Pages of a list: more than a page of the console can be read with. */
const PAGES_MAX = 50

interface Listed<T> {
  readonly data: readonly T[]
  readonly total_count: number
}

/** All rows of a list, up to a bound, and how many there are besides; the first page says that. */
export async function allRows<T>(
  readPage: (query: { page: number; per_page: number; include_total_count: true }) => Promise<unknown>,
): Promise<{ readonly rows: readonly T[]; readonly unread: number }> {
  const fetchPage = async (page: number) =>
    (await readPage({ page, per_page: ROWS, include_total_count: true })) as Listed<T>
  const first = await fetchPage(1)
  const pages = Math.min(Math.ceil(first.total_count / ROWS), PAGES_MAX)
  const rest = await Promise.all(Array.from({ length: Math.max(0, pages - 1) }, (_, index) => fetchPage(index + 2)))
  const rows = [first, ...rest].flatMap(({ data }) => data)
  return { rows, unread: Math.max(0, first.total_count - PAGES_MAX * ROWS) }
}
