// Pages of a collection. A page without a filter is one range of one index. A search among very many objects is
// text-search.ts; a filter that nothing else answers looks at every row, some thousand in each turn of the event loop, so
// that checks in the same process never wait for it; which rows there are was settled when it began, a row that went
// meanwhile is left out.
import { setImmediate } from 'node:timers/promises'
import { type IndexName, KIND_NAMES, KINDS, type KindName, type KindOfIndex, type Objects } from '../../kinds/index.ts'
import { EVERY, every } from '../../kinds/kind.ts'
import { SCAN_ROWS_PER_TURN } from '../../model/limits.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import type { Places, StoredView, View } from '../../store/view.ts'
import { type Page, type Query, readAttributeFilters, readPage, readText } from '../page.ts'

/**
 * Rows in creation order. `open` gives a reader that goes on where it stopped, in the state of the moment in which it
 * was opened.
 */
export interface Source<R> {
  count(): number
  open(offset: number): Reader<R>
}

export interface Reader<R> {
  /** the next rows; fewer than `limit` when they end */
  read(limit: number): R[]
  /** whoever does not read to the end */
  close(): void
}

export interface Rows<T> {
  readonly rows: readonly T[]
  readonly total: number
}

/** Kinds that may have very many objects have an index of all: deep pages of it are cheap. */
const EVERY_INDEX = new Map<KindName, IndexName>(
  KIND_NAMES.flatMap((kind) =>
    Object.entries(KINDS[kind].indexes).flatMap(([name, values]) =>
      values === every ? [[kind, name as IndexName] as const] : [],
    ),
  ),
)

export function everyObject<K extends KindName>(view: () => View, kind: K): Source<Objects[K]> {
  const index = EVERY_INDEX.get(kind)
  const from = (offset: number) =>
    // the index of all of a kind lists that kind
    index === undefined ? view().list(kind, { offset }) : (view().by(index, EVERY, { offset }) as Iterable<Objects[K]>)
  return { count: () => view().count(kind), open: (offset) => reader(from(offset)) }
}

export function indexed<I extends IndexName>(
  view: () => View,
  index: I,
  value: string,
): Source<Objects[KindOfIndex<I>]> {
  return {
    count: () => view().countBy(index, value),
    open: (offset) => reader(view().by(index, value, { offset })),
  }
}

/** The objects at some places, in this order. */
export function placed<K extends KindName>(view: () => StoredView, kind: K, places: Places): Source<Objects[K]> {
  function* rows(offset: number): Iterable<Objects[K]> {
    for (const place of places.slice(offset)) {
      const object = view().at(kind, place)
      if (object !== undefined) yield object
    }
  }
  return { count: () => places.length, open: (offset) => reader(rows(offset)) }
}

/** The rows of one source, then those of another. */
export function joined<R>(first: Source<R>, second: Source<R>): Source<R> {
  return {
    count: () => first.count() + second.count(),
    open(offset) {
      const readers = [first.open(offset), second.open(Math.max(0, offset - first.count()))] as const
      return {
        read(limit) {
          const rows = readers[0].read(limit)
          return rows.length < limit ? [...rows, ...readers[1].read(limit - rows.length)] : rows
        },
        close: () => {
          for (const one of readers) one.close()
        },
      }
    },
  }
}

function reader<R>(rows: Iterable<R>): Reader<R> {
  const iterator = rows[Symbol.iterator]()
  return {
    read(limit) {
      const batch: R[] = []
      while (batch.length < limit) {
        const next = iterator.next()
        if (next.done) break
        batch.push(next.value)
      }
      return batch
    },
    close: () => void iterator.return?.(),
  }
}

/** The rows of several sources, merged by the time of creation. */
function merged<R extends { readonly created_at: number }>(sources: readonly Source<R>[]): Source<R> {
  const [only] = sources
  if (sources.length === 1 && only) return only
  return {
    count: () => sources.reduce((sum, source) => sum + source.count(), 0),
    open(offset) {
      const heads = sources.map((source) => ({ reader: source.open(0), ahead: [] as R[], done: false }))
      const next = (): R | undefined => {
        let first: (typeof heads)[number] | undefined
        for (const head of heads) {
          if (head.ahead.length === 0 && !head.done) {
            head.ahead = head.reader.read(100).reverse()
            head.done = head.ahead.length === 0
          }
          const row = head.ahead.at(-1)
          if (row && (first === undefined || row.created_at < (first.ahead.at(-1)?.created_at ?? 0))) first = head
        }
        return first?.ahead.pop()
      }
      for (let skip = 0; skip < offset; skip++) if (next() === undefined) break
      return {
        read(limit) {
          const rows: R[] = []
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
  if (page.offset >= total) return { rows: [], total }
  const reader = source.open(page.offset)
  try {
    return { rows: reader.read(page.rows), total }
  } finally {
    reader.close()
  }
}

/** One page of rows that are at hand. */
export function sliced<R>(rows: readonly R[], page: Page): Rows<R> {
  return { rows: rows.slice(page.offset, page.offset + page.rows), total: rows.length }
}

/** All of a list that is bounded by itself, or the page that was asked for. */
export function listPage<R>(rows: readonly R[], query: Query): readonly R[] {
  if (query.page === undefined && query.per_page === undefined) return rows
  return sliced(rows, readPage(query)).rows
}

/**
 * One page of what `pick` makes of the rows that it does not drop. `total` counts them all; without `counted` the
 * search ends with the page, and `total` means nothing.
 */
export async function searched<R, T>(
  source: Source<R>,
  page: Page,
  pick: (row: R) => T | undefined,
  counted: boolean,
): Promise<Rows<T>> {
  const reader = source.open(0)
  const rows: T[] = []
  let total = 0
  try {
    for (;;) {
      const batch = reader.read(SCAN_ROWS_PER_TURN)
      for (const row of batch) {
        const picked = pick(row)
        if (picked === undefined) continue
        if (total >= page.offset && rows.length < page.rows) rows.push(picked)
        total++
      }
      if (batch.length < SCAN_ROWS_PER_TURN || (!counted && rows.length === page.rows)) return { rows, total }
      await setImmediate()
    }
  } finally {
    reader.close()
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
  view: () => View,
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
export async function filtered<R extends { readonly created_at: number }>(
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
    if (count === 0) return { rows: [], total: 0 }
    if (best === undefined || count < best.count) best = { filter, parts, count }
  }
  const rest = filters.filter((filter) => filter !== best?.filter)
  const source = best === undefined ? all : merged(best.parts)
  if (rest.length === 0 && (best === undefined || best.parts.length === 1)) return paged(source, page)
  return searched(source, page, (row) => (rest.every(({ fits }) => fits(row)) ? row : undefined), counted)
}

/** A test for a search text: a substring in any letter case. With `wildcard`, `*` stands for any run of characters. */
export function matcher(search: string, wildcard = false): (...texts: readonly (string | null)[]) => boolean {
  const parts = (wildcard ? search.split('*') : [search]).map((part) => part.toLowerCase())
  return (...texts) => texts.some((text) => text !== null && holds(text.toLowerCase(), parts))
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
