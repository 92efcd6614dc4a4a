// Reading a value of an index without the objects at some places: those that have ended, in lists that do not show them.
import type { PlaceTable } from './places.ts'
import type { PlaceRange, Places } from './view.ts'

/** A look-up of one place takes as long as walking over so many. */
const WALKED_PER_LOOKUP = 12
/** Rounds in which the row is looked for at which a page begins. Each comes nearer. */
const ROUNDS_MAX = 8

/**
 * The places under a key, ascending, without some of them.
 * @param areThere all of those are under the key
 */
export function* valuesWithout(
  table: PlaceTable,
  key: Uint8Array,
  { offset = 0, limit = Number.POSITIVE_INFINITY, after }: PlaceRange,
  without: Places,
  areThere: boolean,
): Generator<number> {
  const from = areThere && after === undefined ? findNear(table, key, offset, without) : { row: 0, left: 0 }
  let skip = offset - (from.row - from.left)
  let next = after === undefined ? from.left : countBefore(without, after + 1)
  let shown = 0
  for (const place of table.values(key, { offset: from.row, ...(after === undefined ? {} : { after }) })) {
    while (next < without.length && without[next]! < place) next++
    if (without[next] === place) continue
    if (skip-- > 0) continue
    if (shown++ >= limit) return
    yield place
  }
}

/**
 * A row at or before the one with so many shown rows before it, and how many of those before it are left out. LMDB skips
 * rows several times as fast as they are read.
 */
function findNear(table: PlaceTable, key: Uint8Array, offset: number, without: Places): { row: number; left: number } {
  let found = { row: 0, left: 0 }
  for (let row = offset, round = 0; round < ROUNDS_MAX; round++) {
    const [place] = table.values(key, { offset: row, limit: 1 })
    if (place === undefined) return found
    found = { row, left: countBefore(without, place) }
    if (offset + found.left === row) return found
    row = offset + found.left
  }
  return found
}

/** How many of them are under the key. */
export function countCommon(table: PlaceTable, key: Uint8Array, count: number, places: Places): number {
  if (places.length * WALKED_PER_LOOKUP < count) return places.filter((place) => table.has(key, place)).length
  let common = 0
  let next = 0
  for (const place of table.values(key)) {
    while (next < places.length && places[next]! < place) next++
    if (places[next] === place) common++
  }
  return common
}

/** How many are less, by halving. */
function countBefore(places: Places, place: number): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (places[middle]! < place) low = middle + 1
    else high = middle
  }
  return low
}
