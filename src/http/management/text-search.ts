// Pages of what a search finds in kinds that may have very many objects: their texts are kept beside the objects, and
// only what is found is read. The others are searched object by object (collection-pages.ts).
import { setImmediate } from 'node:timers/promises'
import { findSearchTexts, type KindName, type Objects, SEARCHED_KINDS, type SearchedKind } from '../../kinds/index.ts'
import { SCAN_ROWS_PER_TURN } from '../../model/limits.ts'
import type { Places, StoredView, Wanted } from '../../store/view.ts'
import type { Page } from '../page.ts'
import { type Filter, makeRows, matcher, type Rows } from './collection-pages.ts'

/**
 * One page of what is found, in the order of creation, of the moment in which the search begins.
 * @param fits a further condition on what is found, which reads each of them
 * @param counted whether `total` must count them all; without it the search ends with the page, and `total` means nothing
 */
export async function found<K extends SearchedKind>(
  view: () => StoredView,
  kind: K,
  wanted: Wanted,
  page: Page,
  options: { readonly counted: boolean; readonly fits?: (object: Objects[K]) => boolean },
): Promise<Rows<Objects[K]>> {
  const { counted, fits } = options
  if (counted && page.after !== undefined && page.total === undefined) {
    const { total } = await found(view, kind, wanted, { number: 1, rows: 0, offset: 0 }, options)
    return found(view, kind, wanted, { ...page, total }, options)
  }
  const isCounting = counted && page.total === undefined
  const after = page.after === undefined ? {} : { after: Number(page.after) }
  const search = view().search(kind, { ...wanted, ...after })
  const most = fits === undefined && wanted.within === undefined ? Number.POSITIVE_INFINITY : SCAN_ROWS_PER_TURN
  const rows: Objects[K][] = []
  let total = 0
  let last: number | undefined
  try {
    for (let places = search.next(most); places !== undefined; places = search.next(most)) {
      for (const place of places) {
        // whether it fits is for the next page to say
        if (!isCounting && rows.length === page.rows)
          return { ...makeRows(page, rows, total, false, last), next: last! }
        if (fits?.(search.read(place)) === false) continue
        if (total >= page.offset && rows.length < page.rows) {
          rows.push(search.read(place))
          last = place
        }
        total++
      }
      await setImmediate()
    }
    return makeRows(page, rows, total, isCounting, last)
  } finally {
    search.close()
  }
}

/**
 * One page of what is found and has a link, in the order in which the links were made: users of a tenant, of whom there is
 * no list with their texts. Undefined when more than `most` are found, or so few links are there that each of them can be
 * looked at.
 */
export async function foundLinked<K extends SearchedKind>(
  view: () => StoredView,
  kind: K,
  wanted: Wanted,
  page: Page,
  {
    link,
    most,
    without,
  }: {
    readonly link: (object: Objects[K]) => readonly [KindName, string]
    readonly most: number
    /** places of links that do not count */
    readonly without: Places
  },
): Promise<Rows<Objects[K]> | undefined> {
  if (most <= SCAN_ROWS_PER_TURN) return undefined
  const search = view().search(kind, wanted)
  const linked: { readonly link: number; readonly place: number }[] = []
  const hidden = new Set(without)
  let count = 0
  try {
    for (let places = search.next(SCAN_ROWS_PER_TURN); places !== undefined; places = search.next(SCAN_ROWS_PER_TURN)) {
      count += places.length
      if (count > most) return undefined
      for (const place of places) {
        const made = search.findPlace(...link(search.read(place)))
        if (made !== undefined && !hidden.has(made)) linked.push({ link: made, place })
      }
      await setImmediate()
    }
    linked.sort((one, other) => one.link - other.link)
    const from = page.after === undefined ? linked : linked.filter((one) => one.link > Number(page.after))
    const shown = from.slice(page.offset, page.offset + page.rows)
    const isMore = page.offset + shown.length < from.length
    return {
      rows: shown.map(({ place }) => search.read(place)),
      total: linked.length,
      ...(isMore ? { next: shown.at(-1)!.link } : {}),
    }
  } finally {
    search.close()
  }
}

export const isSearched = (kind: string): kind is SearchedKind => (SEARCHED_KINDS as readonly string[]).includes(kind)

/** The same as a filter on objects that are at hand; one that has any of these parts fits. */
export function textFilter<K extends SearchedKind>(kind: K, parts: readonly string[]): Filter<Objects[K]> {
  const texts = findSearchTexts(kind)?.texts ?? (() => [])
  const finds = parts.map((part) => matcher(part))
  return { fits: (object) => finds.some((find) => find(...texts(object))) }
}

/** Whether some filter leaves so few rows that each of them can be looked at. */
export const leavesFew = <R>(filters: readonly Filter<R>[]): boolean =>
  filters.some(
    ({ sources }) =>
      sources !== undefined && sources.reduce((sum, source) => sum + source.count(), 0) <= SCAN_ROWS_PER_TURN,
  )
