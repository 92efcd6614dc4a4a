// Which kept answer is that of a caller and a key: an index in memory (answer-index.ts), made when the first request
// with a key comes after a start, from pages of the table (kept-answers.ts) that have four bytes for each answer. A page
// is written where the last one ended, so that a write touches no other part of the table; what is missing of a page is
// read from the answers themselves. The index says where to look: whether it is that answer, its record says.
import { isZerohopError } from '../model/errors.ts'
import { AnswerIndex } from './answer-index.ts'
import type { RecordTable } from './checked-table.ts'

type Table = RecordTable<Uint8Array>

/** What an index was made for: another batch, or another process, that changed one of them makes it anew. */
export interface State {
  readonly next: number
  readonly count: number
}

/** First bytes of keys of the table. */
const PAGE = 1
export const [PLACE, TOTAL] = [2, 3]
/** Places that have one page. */
const PAGE_PLACES = 256
const TAG_BYTES = 4
/** Of a place without an answer. */
const NO_TAG = 0

export class AnswerNames {
  #index = new AnswerIndex()
  /** undefined while a transaction changes it, and after one that was aborted */
  #made: State | undefined
  /** tags of the places from `#first` on, which no page has yet */
  #tags: number[] = []
  #first = 0

  /** Makes the index anew unless it is that of the table. @throws DATA_DAMAGED */
  begin(table: Table, { next, count }: State): void {
    this.#tags = []
    this.#first = next
    if (this.#made?.next === next && this.#made.count === count) return
    const index = new AnswerIndex(count)
    const [oldest] = table.keys({ start: recordKey(PLACE, 0), end: Buffer.of(TOTAL), limit: 1 })
    const from = oldest === undefined ? next : readNumber(oldest, 1)
    for (let page = findPage(from); page * PAGE_PLACES < next; page++) {
      const first = page * PAGE_PLACES
      const tags = readPage(table, page, Math.min(PAGE_PLACES, next - first))
      for (let at = Math.max(0, from - first); at < tags.length; at++)
        if (tags[at] !== NO_TAG) index.add(tags[at]!, first + at)
    }
    this.#index = index
    this.#made = { next, count }
  }

  /** What a test gives for the first place that it accepts, of those that may have the answer. */
  find<T>(name: Uint8Array, next: number, test: (place: number) => T | undefined): T | undefined {
    return this.#index.find(readTag(name), next, test)
  }

  /** An answer is kept in the next place. */
  add(name: Uint8Array, place: number): void {
    this.#made = undefined
    const tag = readTag(name)
    this.#tags.push(tag)
    this.#index.add(tag, place)
  }

  /** The answer in a place goes. */
  remove(name: Uint8Array, place: number): void {
    this.#made = undefined
    this.#index.remove(readTag(name), place)
  }

  /** The place stays without an answer, between others that have one. */
  leave(table: Table, place: number): void {
    if (place >= this.#first) {
      this.#tags[place - this.#first] = NO_TAG
      return
    }
    const first = findPage(place) * PAGE_PLACES
    const tags = readPage(table, findPage(place), Math.min(PAGE_PLACES, this.#first - first))
    tags[place - first] = NO_TAG
    writePage(table, findPage(place), tags)
  }

  /** Removes the pages of places that all lie before the oldest answer. */
  forget(table: Table, oldest: number): void {
    const gone = [...table.keys({ start: recordKey(PAGE, 0), end: recordKey(PAGE, findPage(oldest)) })]
    for (const key of gone) table.remove(key)
  }

  /** Writes the pages of what was added; the last step of a transaction, which leaves the table like this. */
  end(table: Table, { next, count }: State): void {
    for (let page = findPage(this.#first); this.#tags.length > 0 && page <= findPage(next - 1); page++) {
      const first = page * PAGE_PLACES
      const known = Math.max(0, this.#first - first)
      const before = known === 0 ? [] : readPage(table, page, known)
      const skipped = Math.max(0, first - this.#first)
      writePage(table, page, [...before, ...this.#tags.slice(skipped, skipped + PAGE_PLACES - known)])
    }
    this.#tags = []
    this.#first = next
    this.#made = { next, count }
  }
}

const findPage = (place: number): number => Math.floor(place / PAGE_PLACES)

/** Part of the hash of a caller and a key. */
const readTag = (name: Uint8Array): number => new DataView(name.buffer, name.byteOffset).getUint32(0) || 1

/** The tags of the first places of a page; from the answers themselves where the page is not whole. @throws DATA_DAMAGED */
function readPage(table: Table, page: number, count: number): number[] {
  const bytes = readWhole(table, recordKey(PAGE, page))
  if (bytes?.length === count * TAG_BYTES) {
    const view = new DataView(bytes.buffer, bytes.byteOffset)
    return Array.from({ length: count }, (_, at) => view.getUint32(at * TAG_BYTES))
  }
  const tags = Array.from({ length: count }, () => NO_TAG)
  const first = page * PAGE_PLACES
  const range = { start: recordKey(PLACE, first), end: recordKey(PLACE, first + count) }
  for (const { key, content } of table.range(range)) tags[readNumber(key, 1) - first] = readTag(content)
  return tags
}

function readWhole(table: Table, key: Uint8Array): Uint8Array | undefined {
  try {
    return table.get(key)
  } catch (error) {
    if (isZerohopError(error, 'DATA_DAMAGED')) return undefined
    throw error
  }
}

function writePage(table: Table, page: number, tags: readonly number[]): void {
  const bytes = Buffer.alloc(tags.length * TAG_BYTES)
  for (const [at, tag] of tags.entries()) bytes.writeUInt32BE(tag, at * TAG_BYTES)
  table.put(recordKey(PAGE, page), bytes)
}

/** Key of a page or of a place. */
export function recordKey(first: number, number: number): Buffer {
  const key = Buffer.alloc(7)
  key[0] = first
  key.writeUIntBE(number, 1, 6)
  return key
}

export const readNumber = (bytes: Uint8Array, at: number): number =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readUIntBE(at, 6)
