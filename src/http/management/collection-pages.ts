// Pages of a collection. A page without a filter is one range of one index. A search among very many objects is
// text-search.ts; a filter that nothing else answers looks at every row, some thousand in each turn of the event loop, so
// that checks in the same process never wait for it; which rows there are was settled when it began, a row that went
// meanwhile is left out.
import { setImmediate } from 'node:timers/promises'
import { type IndexName, KIND_NAMES, KINDS, type KindName, type KindOfIndex, type Objects } from '../../kinds/index.ts'
import { EVERY, every } from '../../kinds/kind.ts'
import { foldCase } from '../../model/fold-case.ts'
import { SCAN_ROWS_PER_TURN } from '../../model/limits.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import type { Placed, PlacedView, PlaceRange, Places, StoredView } from '../../store/view.ts'
import { type Page, type Position, type Query, readAttributeFilters, readText } from '../page.ts'
import type { PageEnd } from './cursors.ts'

/**
 * Rows in creation order. `open` gives a reader that goes on where it stopped, in the state of the moment in which it
 * was opened.
 */
export interface Source<R> {
  count(): number
  open(from: Start): Reader<R>
}

/** Where a reader begins: behind a row, or behind a number of rows. */
export type Start = Pick<Page, 'offset' | 'after'>
const FROM_START: Start = { offset: 0 }

/** A row, and where it stands in the order of its source. */
export interface At<R> {
  readonly row: R
  readonly at: Position
}

export interface Reader<R> {
  /** the next rows; fewer than `limit` when they end */
  read(limit: number): At<R>[]
  /** whoever does not read to the end */
  close(): void
}

/** The rows of one page. */
export interface Rows<T> extends PageEnd {
  readonly rows: readonly T[]
  readonly total: number
}

/** No rows. */
export const NO_ROWS: Rows<never> = { rows: [], total: 0 }

/** Kinds that may have very many objects have an index of all: deep pages of it are cheap. */
const EVERY_INDEX = new Map<KindName, IndexName>(
  KIND_NAMES.flatMap((kind) =>
    Object.entries(KINDS[kind].indexes).flatMap(([name, values]) =>
      values === every ? [[kind, name as IndexName] as const] : [],
    ),
  ),
)

/** A position of a list whose order is that of places. */
const placeRange = ({ offset, after }: Start): PlaceRange =>
  after === undefined ? { offset } : { after: Number(after) }

export function everyObject<K extends KindName>(view: () => PlacedView, kind: K): Source<Objects[K]> {
  const index = EVERY_INDEX.get(kind)
  const from = (start: Start) =>
    // the index of all of a kind lists that kind
    index === undefined
      ? view().listPlaced(kind, placeRange(start))
      : (view().byPlaced(index, EVERY, placeRange(start)) as Iterable<Placed<Objects[K]>>)
  return { count: () => view().count(kind), open: (start) => reader(from(start)) }
}

export function indexed<I extends IndexName>(
  view: () => PlacedView,
  index: I,
  value: string,
): Source<Objects[KindOfIndex<I>]> {
  return {
    count: () => view().countBy(index, value),
    open: (start) => reader(view().byPlaced(index, value, placeRange(start))),
  }
}

/** The objects at some places, in this order. */
export function placed<K extends KindName>(view: () => StoredView, kind: K, places: Places): Source<Objects[K]> {
  function* rows({ offset, after }: Start): Iterable<Placed<Objects[K]>> {
    for (const place of after === undefined ? places.slice(offset) : places.filter((one) => one > Number(after))) {
      const object = view().at(kind, place)
      if (object !== undefined) yield { place, object }
    }
  }
  return { count: () => places.length, open: (start) => reader(rows(start)) }
}

/** The rows of one source, then those of the next one. */
export function joined<R>(sources: readonly Source<R>[]): Source<R> {
  return {
    count: () => sources.reduce((sum, source) => sum + source.count(), 0),
    open({ offset, after }) {
      const [turn, at] = Array.isArray(after) ? (after as [number, Position]) : [0, undefined]
      let skip = offset
      const readers = sources.map((source, index) => {
        if (index < turn) return { read: () => [], close: () => undefined }
        const start = index === turn && at !== undefined ? { offset: 0, after: at } : { offset: skip }
        if (skip > 0) skip = Math.max(0, skip - source.count())
        return source.open(start)
      })
      return {
        read(limit) {
          const rows: At<R>[] = []
          for (const [index, one] of readers.entries()) {
            if (rows.length === limit) break
            for (const { row, at } of one.read(limit - rows.length)) rows.push({ row, at: [index, at] })
          }
          return rows
        },
        close: () => {
          for (const one of readers) one.close()
        },
      }
    },
  }
}

function reader<R>(rows: Iterable<Placed<R>>): Reader<R> {
  const iterator = rows[Symbol.iterator]()
  return {
    read(limit) {
      const batch: At<R>[] = []
      while (batch.length < limit) {
        const next = iterator.next()
        if (next.done) break
        batch.push({ row: next.value.object, at: next.value.place })
      }
      return batch
    },
    close: () => void iterator.return?.(),
  }
}

/** The rows of several sources whose positions are places, in the order of these. */
function merged<R>(sources: readonly Source<R>[]): Source<R> {
  const [only] = sources
  if (sources.length === 1 && only) return only
  return {
    count: () => sources.reduce((sum, source) => sum + source.count(), 0),
    open({ offset, after }) {
      const start = after === undefined ? FROM_START : { offset: 0, after }
      const heads = sources.map((source) => ({ reader: source.open(start), ahead: [] as At<R>[], done: false }))
      const next = (): At<R> | undefined => {
        let first: (typeof heads)[number] | undefined
        for (const head of heads) {
          if (head.ahead.length === 0 && !head.done) {
            head.ahead = head.reader.read(100).reverse()
            head.done = head.ahead.length === 0
          }
          const row = head.ahead.at(-1)
          if (row && (first === undefined || Number(row.at) < Number(first.ahead.at(-1)!.at))) first = head
        }
        return first?.ahead.pop()
      }
      for (let skip = 0; skip < offset; skip++) if (next() === undefined) break
      return {
        read(limit) {
          const rows: At<R>[] = []
          for (let row = next(); row !== undefined; row = next()) if (rows.push(row) >= limit) break
          return rows
        },
        close: () => {
          for (const head of heads) head.reader.close()
        },
      }
    },
  }
}

/** One page, straight from the index. */
export function paged<R>(source: Source<R>, page: Page): Rows<R> {
  const total = source.count()
  if (page.after === undefined && page.offset >= total) return { rows: [], total }
  const reader = source.open(page)
  try {
    const found = reader.read(page.rows + 1)
    const rows = found.slice(0, page.rows)
    return { rows: rows.map(({ row }) => row), total, ...(found.length > page.rows ? { next: rows.at(-1)!.at } : {}) }
  } finally {
    reader.close()
  }
}

/**
 * One page of what `pick` makes of the rows that it does not drop. `total` counts them all; without `counted`, and on a
 * page behind another one, the search ends with the page: then `total` means nothing, or is that of the first page.
 */
export async function searched<R, T>(
  source: Source<R>,
  page: Page,
  pick: (row: R) => T | undefined,
  counted: boolean,
): Promise<Rows<T>> {
  if (counted && page.after !== undefined && page.total === undefined) {
    // the page before did not count row by row: what is listed is found in another way by now
    const { total } = await searched(source, { number: 1, rows: 0, offset: 0 }, pick, true)
    return searched(source, { ...page, total }, pick, true)
  }
  const isCounting = counted && page.total === undefined
  const reader = source.open(page.after === undefined ? FROM_START : page)
  const rows: T[] = []
  let total = 0
  let last: Position | undefined
  try {
    for (;;) {
      const batch = reader.read(SCAN_ROWS_PER_TURN)
      for (const { row, at } of batch) {
        // whether others follow is not looked for: then the next page may be empty
        if (!isCounting && rows.length === page.rows)
          return { ...makeRows(page, rows, total, false, last), next: last! }
        const picked = pick(row)
        if (picked === undefined) continue
        if (total >= page.offset && rows.length < page.rows) {
          rows.push(picked)
          last = at
        }
        total++
      }
      if (batch.length < SCAN_ROWS_PER_TURN) break
      await setImmediate()
    }
    return makeRows(page, rows, total, isCounting, last)
  } finally {
    reader.close()
  }
}

/** A page whose list was read to its end. @param last where its last row stands */
export function makeRows<T>(
  page: Page,
  rows: readonly T[],
  total: number,
  isCounted: boolean,
  last: Position | undefined,
): Rows<T> {
  const isMore = isCounted && page.offset + rows.length < total
  return {
    rows,
    total: page.total ?? total,
    ...(isMore && last !== undefined ? { next: last } : {}),
    ...(isCounted || page.total !== undefined ? { isCounted: true } : {}),
  }
}

/** One condition on the rows of a list. */
export interface Filter<R> {
  /** the rows that fit, from indexes, each row in one of them; absent when no index knows. Empty: nothing fits */
  readonly sources?: readonly Source<R>[]
  readonly fits: (row: R) => boolean
}

/**
 * The rows that refer to one object. `key` is undefined when the object that was asked for does not exist: then nothing
 * fits.
 */
export function referring<I extends IndexName>(
  view: () => PlacedView,
  index: I,
  key: string | undefined,
  keyOf: (row: Objects[KindOfIndex<I>]) => string | null | undefined,
): Filter<Objects[KindOfIndex<I>]> {
  return { sources: key === undefined ? [] : [indexed(view, index, key)], fits: (row) => keyOf(row) === key }
}

/**
 * One page of the rows that fit every filter, read from the filter with the fewest rows; the others are tested on each
 * of those.
 */
export async function filtered<R>(
  all: Source<R>,
  filters: readonly Filter<R>[],
  page: Page,
  counted: boolean,
): Promise<Rows<R>> {
  let best: { readonly filter: Filter<R>; readonly parts: readonly Source<R>[]; readonly count: number } | undefined
  for (const filter of filters) {
    if (filter.sources === undefined) continue
    const parts = filter.sources.filter((source) => source.count() > 0)
    const count = parts.reduce((sum, source) => sum + source.count(), 0)
    if (count === 0) return NO_ROWS
    if (best === undefined || count < best.count) best = { filter, parts, count }
  }
  const rest = filters.filter((filter) => filter !== best?.filter)
  const source = best === undefined ? all : merged(best.parts)
  if (rest.length === 0 && (best === undefined || best.parts.length === 1)) return paged(source, page)
  return searched(source, page, (row) => (rest.every(({ fits }) => fits(row)) ? row : undefined), counted)
}

/**
 * A test for a search text: a substring, composed and in any letter case. With `wildcard`, `*` stands for any run of
 * characters.
 */
export function matcher(search: string, wildcard = false): (...texts: readonly (string | null)[]) => boolean {
  const parts = (wildcard ? search.split('*') : [search]).map(foldCase)
  return (...texts) => texts.some((text) => text !== null && holds(foldCase(text), parts))
}

/** The parts stand in the text one after the other. */
function holds(text: string, parts: readonly string[]): boolean {
  let from = 0
  for (const part of parts) {
    const at = text.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return true
}

/** A test for `attr_<name>=<value>` filters: the attribute, written as text, is the value. */
export function hasAttributes(
  filters: readonly (readonly [string, string])[],
): (attributes: JsonObject | null) => boolean {
  return (attributes) => filters.every(([name, value]) => attributes !== null && asText(attributes, name) === value)
}

function asText(attributes: JsonObject, name: string): string | undefined {
  const value: Json | undefined = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  return value === undefined || typeof value === 'object' ? undefined : String(value)
}

interface MaybeNamed {
  readonly key: string
  readonly name?: string
  readonly attributes?: JsonObject | null
}

/** Objects by `search` and `attr_…`. */
export async function findNamed<R extends MaybeNamed>(
  source: Source<R>,
  query: Query,
  page: Page,
  counted: boolean,
): Promise<Rows<R>> {
  const search = readText(query, 'search')
  const filters = readAttributeFilters(query)
  if (search === undefined && filters.length === 0) return paged(source, page)
  const finds = matcher(search ?? '')
  const fits = hasAttributes(filters)
  const pick = (one: R) => (finds(one.key, one.name ?? null) && fits(one.attributes ?? null) ? one : undefined)
  return searched(source, page, pick, counted)
}
