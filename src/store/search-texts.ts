// What a search looks at, for the kinds that say so (src/kinds): the texts of up to 64 objects in one record, so that a
// search reads some thousand records instead of a million objects. Kept by whoever writes objects (state.ts).
// docs/adr/0034-search-texts.md.
//
//   record   number of rows u8 │ each row: its place within the record, u8 │ the rows, in the order of places
//   row      texts in lower case, each followed by FE │ FD │ exact texts, each followed by FE │ FF
//
// Texts are UTF-8, in which the bytes FD, FE and FF never occur. A record is handled as a string of its bytes. What is not
// ASCII is folded (src/model/fold-case.ts) when it is searched, so that records which an older version wrote are found
// alike, and an older version reads these.
import { findSearchTexts, type KindName, type Objects } from '../kinds/index.ts'
import { foldCase } from '../model/fold-case.ts'
import { SEARCH_PLACES_PER_RECORD } from '../model/limits.ts'
import type { RecordTable } from './checked-table.ts'
import { KIND_NUMBERS } from './kinds.ts'
import { objectKey } from './table-keys.ts'
import type { Wanted } from './view.ts'

const TEXT_END = '\xfe'
const EXACT = '\xfd'
const ROW_END = '\xff'

const ASCII = /^[\0-\x7f]*$/
/** The UTF-8 of a text, a character for each byte. */
const asBytes = (text: string): string => (ASCII.test(text) ? text : Buffer.from(text).toString('latin1'))
const ended = (text: string): string => asBytes(text) + TEXT_END

/** The row of an object; undefined when its kind has none. */
export function searchRow<K extends KindName>(kind: K, object: Objects[K]): string | undefined {
  const search = findSearchTexts(kind)
  if (search === undefined) return undefined
  let row = ''
  // what another version wrote, or a damaged snapshot, may lack a field
  for (const text of search.texts(object)) if (typeof text === 'string') row += ended(text.toLowerCase())
  row += EXACT
  for (const text of search.exact(object)) row += ended(text ?? '')
  return row + ROW_END
}

export const recordKey = (log: number, kind: KindName, place: number): Buffer =>
  objectKey(log, kind, Math.floor(place / SEARCH_PLACES_PER_RECORD))

/** The rows of a record by their places within it. */
export function readRows(record: string): (string | undefined)[] {
  const rows: (string | undefined)[] = []
  const count = record.charCodeAt(0)
  let from = 1 + count
  for (let row = 0; row < count; row++) {
    const to = record.indexOf(ROW_END, from) + 1
    rows[record.charCodeAt(1 + row)] = record.slice(from, to)
    from = to
  }
  return rows
}

export const countRows = (record: string): number => record.charCodeAt(0)

function writeRows(rows: readonly (string | undefined)[]): string {
  let places = ''
  let texts = ''
  for (const [place, row] of rows.entries()) {
    if (row === undefined) continue
    places += String.fromCharCode(place)
    texts += row
  }
  return String.fromCharCode(places.length) + places + texts
}

interface EditedRecord {
  readonly key: Buffer
  readonly rows: (string | undefined)[]
}

/** Changes of rows, collected over a transaction: `flush` writes each record once, so many small writes cost one. */
export class SearchEdits {
  readonly #table: RecordTable<string>
  /** by the number of the log, then by number and kind of the record */
  readonly #logs = new Map<number, Map<number, EditedRecord>>()

  constructor(table: RecordTable<string>) {
    this.#table = table
  }

  put<K extends KindName>(log: number, kind: K, place: number, object: Objects[K]): void {
    const row = searchRow(kind, object)
    if (row !== undefined) this.#rowsAround(log, kind, place)[place % SEARCH_PLACES_PER_RECORD] = row
  }

  remove(log: number, kind: KindName, place: number): void {
    if (findSearchTexts(kind) === undefined) return
    this.#rowsAround(log, kind, place)[place % SEARCH_PLACES_PER_RECORD] = undefined
  }

  /** Writes inside the caller's transaction. */
  flush(): void {
    for (const records of this.#logs.values()) {
      for (const { key, rows } of records.values()) {
        if (rows.every((row) => row === undefined)) this.#table.remove(key)
        else this.#table.put(key, writeRows(rows))
      }
    }
    this.#logs.clear()
  }

  /** @throws DATA_DAMAGED */
  #rowsAround(log: number, kind: KindName, place: number): (string | undefined)[] {
    const records = this.#logs.get(log) ?? new Map<number, EditedRecord>()
    this.#logs.set(log, records)
    const name = Math.floor(place / SEARCH_PLACES_PER_RECORD) * 256 + KIND_NUMBERS[kind]
    const known = records.get(name)
    if (known !== undefined) return known.rows
    const key = recordKey(log, kind, place)
    const record = this.#table.get(key)
    const rows = record === undefined ? [] : readRows(record)
    records.set(name, { key, rows })
    return rows
  }
}

/** The texts of rows, and whether one is not only ASCII. */
const TEXTS = /[^\xfd-\xff]+/g
const IS_OTHER = /[\x80-\xfc]/

/** The record with its texts folded. Exact texts are keys, which are ASCII. */
function foldRecord(record: string): string {
  const from = 1 + record.charCodeAt(0)
  // the places before the rows are bytes of another meaning
  const rows = record.slice(from)
  if (!IS_OTHER.test(rows)) return record
  const fold = (text: string) =>
    IS_OTHER.test(text) ? asBytes(foldCase(Buffer.from(text, 'latin1').toString('utf8'))) : text
  return record.slice(0, from) + rows.replaceAll(TEXTS, fold)
}

/** Finds rows of records. */
export class RowFinder {
  readonly parts: readonly string[]
  readonly #exact: readonly (string | undefined)[]

  constructor({ parts, exact = [] }: Wanted) {
    this.parts = [...new Set(parts.map((part) => asBytes(foldCase(part))))]
    this.#exact = exact.map((text) => (text === undefined ? undefined : ended(text)))
  }

  /** The places within the record of the rows that are found, ascending. */
  find(stored: string): number[] {
    const [first, ...rest] = this.parts
    if (first === undefined) return []
    const record = foldRecord(stored)
    if (rest.length === 0) return this.#findPart(record, first)
    const found = new Set(this.parts.flatMap((part) => this.#findPart(record, part)))
    return [...found].sort((one, other) => one - other)
  }

  #findPart(record: string, part: string): number[] {
    const found: number[] = []
    let from = 1 + record.charCodeAt(0)
    let row = 1
    for (let at = record.indexOf(part, from); at >= 0; at = record.indexOf(part, from)) {
      let end = record.indexOf(ROW_END, from)
      for (; end < at; row++) {
        from = end + 1
        end = record.indexOf(ROW_END, from)
      }
      if (this.#isWanted(record, at, end)) found.push(record.charCodeAt(row))
      from = end + 1
      row++
    }
    return found
  }

  /** Whether what was found at `at` is in a text, and the row that ends at `end` has the exact texts. */
  #isWanted(record: string, at: number, end: number): boolean {
    let next = record.indexOf(EXACT, at) + 1
    if (next === 0 || next > end) return false // found in what is exact
    for (const text of this.#exact) {
      if (text !== undefined && !record.startsWith(text, next)) return false
      next = record.indexOf(TEXT_END, next) + 1
    }
    return true
  }
}
