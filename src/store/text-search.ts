// A search over the texts that are kept beside the objects of a kind. It reads none of the objects, and its place in the
// texts over several turns of the event loop.
import type { KindName, Objects, SearchedKind } from '../kinds/index.ts'
import type { LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { SEARCH_BYTES_PER_TURN, SEARCH_PLACES_PER_RECORD } from '../model/limits.ts'
import { type Entry, otherRecords } from './checked-table.ts'
import type { Head } from './heads.ts'
import type { ReadTransaction } from './lmdb.ts'
import { countRows, RowFinder, recordKey } from './search-texts.ts'
import { indexKey, isStorable, nameKey, objectKey, objectRange, readObjectPlace } from './table-keys.ts'
import { nameOfLog, type Tables } from './tables.ts'
import type { Search, Wanted } from './view.ts'

/** What reading one record costs beside its bytes, in bytes. */
const RECORD_COST = 1_024

/** A log at one moment; the search gives the transaction back. */
interface Moment {
  readonly tables: Tables
  readonly log: LogId
  readonly head: Head
  readonly transaction: ReadTransaction
}

export class TextSearch<K extends SearchedKind> implements Search<Objects[K]> {
  readonly #tables: Tables
  readonly #log: LogId
  readonly #head: Head
  readonly #kind: K
  readonly #finder: RowFinder
  readonly #within: Buffer | undefined
  readonly #transaction: ReadTransaction
  readonly #records: IterableIterator<Entry<string>>
  /** only places behind it are found; then nothing is known of how many there are */
  readonly #after: number | undefined
  #rows = 0
  #isAtEnd = false

  constructor({ tables, log, head, transaction }: Moment, kind: K, wanted: Wanted) {
    this.#tables = tables
    this.#log = log
    this.#kind = kind
    this.#finder = new RowFinder(wanted)
    this.#transaction = transaction
    this.#head = head
    this.#after = wanted.after
    const range = objectRange(head.number, kind)
    const start = wanted.after === undefined ? range.start : recordKey(head.number, kind, wanted.after)
    this.#records = tables.search.range({ ...range, start, transaction })
    if (wanted.within === undefined) return
    const { index, value } = wanted.within
    if (isStorable(value)) this.#within = indexKey(head.number, index, value)
    else this.#isAtEnd = true
  }

  next(most: number): readonly number[] | undefined {
    if (this.#isAtEnd) return undefined
    const found: number[] = []
    for (let left = SEARCH_BYTES_PER_TURN; left > 0 && found.length < most; ) {
      const next = this.#records.next()
      if (next.done === true) {
        this.#isAtEnd = true
        this.#requireAll()
        break
      }
      const { key, content } = next.value
      this.#rows += countRows(content)
      const first = readObjectPlace(key) * SEARCH_PLACES_PER_RECORD
      for (const row of this.#finder.find(content)) {
        const place = first + row
        if (place > (this.#after ?? -1) && this.#isWithin(place)) found.push(place)
      }
      left -= RECORD_COST + content.length * this.#finder.parts.length
    }
    return found
  }

  read(place: number): Objects[K] {
    const key = objectKey(this.#head.number, this.#kind, place)
    const table = this.#tables.objects(this.#kind)
    const json = table.get(key, this.#transaction)
    if (json === undefined) throw table.damaged(key, 'is missing')
    return JSON.parse(json) as Objects[K] // only state.apply writes objects, each under its own kind
  }

  findPlace(kind: KindName, key: string): number | undefined {
    if (!isStorable(key)) return undefined
    const place = this.#tables.keys.get(nameKey(this.#head.number, kind, key), this.#transaction)
    return place
  }

  close(): void {
    this.#records.return?.()
    this.#transaction.done()
  }

  #isWithin(place: number): boolean {
    return this.#within === undefined || this.#tables.indexes.has(this.#within, place, this.#transaction)
  }

  /** @throws DATA_DAMAGED when there were texts of more or fewer objects than there are */
  #requireAll(): void {
    if (this.#after !== undefined) return
    const expected = this.#head.counts[this.#kind] ?? 0
    if (this.#head.leaving !== undefined || this.#rows === expected) return
    const reason = otherRecords(`the search texts of ${this.#kind.replaceAll('_', ' ')}`, this.#rows, expected)
    throw new ZerohopError('DATA_DAMAGED', { what: nameOfLog(this.#log, this.#head), reason })
  }
}
