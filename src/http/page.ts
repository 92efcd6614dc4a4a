// Query parameters, and the shape of a list answer. Which names a route takes is query-names.ts.
import { ZerohopError } from '../model/errors.ts'
import { FILTER_VALUES_MAX, PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX, QUERY_TEXT_LENGTH_MAX } from '../model/limits.ts'

/** A query in the form of Fastify: a repeated parameter is an array. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Page {
  readonly number: number
  readonly rows: number
  /** rows before the page; 0 with `after` */
  readonly offset: number
  /** of a page that a cursor asks for: where the one before ended */
  readonly after?: Position
  /** how many rows there are, where the first page counted them one by one: the others do not count again */
  readonly total?: number
}

/** Where a row stands in the order of its list, in a form of that list. */
export type Position = string | number | readonly Position[]

/** `page` from 1, `per_page` from 1 to 100. @throws INPUT_INVALID */
export function readPage(query: Query): Page {
  const number = readWhole(query, 'page', { absent: 1, min: 1, max: Number.MAX_SAFE_INTEGER / PAGE_ROWS_MAX })
  const rows = readWhole(query, 'per_page', { absent: PAGE_ROWS_DEFAULT, min: 1, max: PAGE_ROWS_MAX })
  return { number, rows, offset: (number - 1) * rows }
}

/** The values of a parameter that may be repeated. @throws INPUT_INVALID on too many, or too long ones */
export function readTexts(query: Query, name: string): readonly string[] {
  const sent = query[name]
  if (sent === undefined) return []
  const values = typeof sent === 'string' ? [sent] : sent
  if (values.length > FILTER_VALUES_MAX) throw invalid(name, `at most ${FILTER_VALUES_MAX} values are allowed`)
  if (values.some((value) => value.length > QUERY_TEXT_LENGTH_MAX))
    throw invalid(name, `at most ${QUERY_TEXT_LENGTH_MAX} characters are allowed`)
  return values
}

/** The value of a parameter; the last one when it is repeated. An empty one counts as absent. */
export function readText(query: Query, name: string): string | undefined {
  const value = readTexts(query, name).at(-1)
  return value === '' ? undefined : value
}

/** A time in seconds since 1970, as milliseconds. @throws INPUT_INVALID */
export function readTime(query: Query, name: string): number | undefined {
  const text = readText(query, name)
  if (text === undefined) return undefined
  if (!/^\d{1,12}$/.test(text)) throw invalid(name, 'value is not a valid integer')
  return Number(text) * 1000
}

const TRUE = new Set(['true', '1', 'yes', 'on', 't', 'y'])
const FALSE = new Set(['false', '0', 'no', 'off', 'f', 'n'])

/** A truth value, false when absent. @throws INPUT_INVALID */
export function readFlag(query: Query, name: string): boolean {
  const value = readText(query, name)?.toLowerCase()
  if (value === undefined || FALSE.has(value)) return false
  if (TRUE.has(value)) return true
  throw invalid(name, 'value could not be parsed to a boolean')
}

/** `attr_<name>=<value>` filters as [name, value]. */
export function readAttributeFilters(query: Query): readonly (readonly [string, string])[] {
  const filters: (readonly [string, string])[] = []
  for (const name of Object.keys(query)) {
    const value = name.startsWith('attr_') ? readText(query, name) : undefined
    if (value !== undefined) filters.push([name.slice('attr_'.length), value])
  }
  if (filters.length > FILTER_VALUES_MAX) throw invalid('attr_', `at most ${FILTER_VALUES_MAX} filters are allowed`)
  return filters
}

export interface PageBody<T> {
  readonly data: readonly T[]
  readonly total_count: number
  readonly page_count: number
  /** cursor of the next page; absent on the last one */
  readonly next?: string
}

export function pageBody<T>(data: readonly T[], total: number, page: Page, next?: string): PageBody<T> {
  const counts = { total_count: total, page_count: Math.ceil(total / page.rows) }
  return { data, ...counts, ...(next === undefined ? {} : { next }) }
}

interface Bounds {
  readonly absent: number
  readonly min: number
  readonly max: number
}

/** A whole number. @throws INPUT_INVALID */
export function readWhole(query: Query, name: string, { absent, min, max }: Bounds): number {
  const text = readText(query, name)
  if (text === undefined) return absent
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw invalid(name, 'value is not a valid integer')
  if (value < min) throw invalid(name, `ensure this value is greater than or equal to ${min}`)
  if (value > max) throw invalid(name, `ensure this value is less than or equal to ${Math.floor(max)}`)
  return value
}

function invalid(name: string, reason: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', name] })
}
