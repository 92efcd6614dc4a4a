// Pages of rows that are all at hand: few, or parts of one object. Where they have an order of their own, a page begins
// behind a position in it; the parts of an object have none that stays when one of them goes, so a cursor says which of
// them were shown.
import { compareText } from '../../model/text-order.ts'
import type { Page, Position } from '../page.ts'
import type { At, Rows } from './collection-pages.ts'

/** One page of rows, sorted by their positions. */
export function ordered<R>(rows: readonly At<R>[], page: Page): Rows<R> {
  const { after } = page
  return slice(after === undefined ? rows : rows.filter(({ at }) => comparePositions(at, after) > 0), rows.length, page)
}

function slice<R>(from: readonly At<R>[], total: number, page: Page): Rows<R> {
  const shown = from.slice(page.offset, page.offset + page.rows)
  const isMore = page.offset + shown.length < from.length
  return { rows: shown.map(({ row }) => row), total, ...(isMore ? { next: shown.at(-1)!.at } : {}) }
}

/** Two positions of one list, which have the same form. */
export function comparePositions(one: Position, other: Position): number {
  if (typeof one === 'number') return one - Number(other)
  if (typeof one === 'string') return compareText(one, String(other))
  for (const [index, part] of one.entries()) {
    const compared = comparePositions(part, (other as readonly Position[])[index]!)
    if (compared !== 0) return compared
  }
  return 0
}

/** A part of an object, such as an action of a resource type. */
export interface Part<R> {
  readonly row: R
  /** id of the part */
  readonly id: string
  /** place of the object that it is a part of; 0 where all are parts of one */
  readonly of: number
}

/** Hex digits of an id that stand for it among the parts of one object. */
const MARK_DIGITS = 10

/** One page of the parts of an object, or of several in the order of their places. */
export function pageOfParts<R>(parts: readonly Part<R>[], page: Page): Rows<R> {
  const from = partsBehind(parts, page.after)
  const end = page.offset + page.rows
  const rows = { rows: from.slice(page.offset, end).map(({ row }) => row), total: parts.length }
  return from.length > end ? { ...rows, next: placeOfParts(from.slice(0, end), page.after) } : rows
}

/** The parts that were not shown. */
export function partsBehind<R>(parts: readonly Part<R>[], after: Position | undefined): readonly Part<R>[] {
  const { place, seen } = readShown(after)
  return parts.filter(({ of, id }) => of > place || (of === place && !seen.has(mark(id))))
}

/** The position behind parts that were not shown before. @param shown one at least */
export function placeOfParts(shown: readonly Part<unknown>[], after: Position | undefined): Position {
  const { place, seen } = readShown(after)
  const { of: last } = shown.at(-1)!
  const own = shown.filter(({ of }) => of === last).map(({ id }) => mark(id))
  const marks = last === place ? [...seen, ...own] : own
  return [last, Buffer.from(marks.join(''), 'hex').toString('base64url')]
}

const mark = (id: string): string => id.slice(-MARK_DIGITS)

/** The place of the last object whose parts were shown, and the marks of those. */
function readShown(after: Position | undefined): { readonly place: number; readonly seen: ReadonlySet<string> } {
  const [place = -1, marks = ''] = (after ?? []) as readonly [number, string] | readonly []
  const hex = Buffer.from(marks, 'base64url').toString('hex')
  return { place, seen: new Set(hex.match(new RegExp(`.{${MARK_DIGITS}}`, 'g'))) }
}
