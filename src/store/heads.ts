// The position of each log, and how many records there must be: the head of a log has count and digest of its objects
// and entries; one record of totals has count and digest of the heads and of the tables that belong to no single log.
// Both are updated in the transaction that writes the records.

import type { ImageSize } from '../kernel/image-bytes.ts'
import type { KindName } from '../kinds/index.ts'
import type { LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Entry, Inspected, RecordTable } from './checked-table.ts'
import { Digest, NO_SUM, type Sum } from './checksum.ts'
import { dataFolder } from './disk.ts'

/** The head of a log, one record for each: everything that the next commit needs to know. */
export interface Head {
  /** the number of the log in keys */
  readonly number: number
  /** 64 random hex digits: the chain at revision 0 */
  readonly lineage: string
  readonly revision: number
  readonly chain: string
  /**
   * first revision whose entry still has its changes; absent: 1. Followers from before it take an image (trim.ts)
   */
  readonly deltasFrom?: number
  /** first revision whose entry is still there; absent: 1 */
  readonly historyFrom?: number
  /** place in the creation order of the next new object */
  readonly next: number
  /** objects of each kind */
  readonly counts: Readonly<Partial<Record<KindName, number>>>
  /** digest of the objects of each kind */
  readonly sums: Readonly<Partial<Record<KindName, Sum>>>
  /** digest of the entries of the log that are still there */
  readonly log: Sum
  /** Set while the records of a deleted environment are being removed: there are then fewer than counted here. */
  readonly leaving?: 'objects' | 'everything'
  /**
   * size of the objects in an image, as of revision `at`; when absent or of another revision it is recomputed
   * (image-budget.ts)
   */
  readonly image?: ImageSize & { readonly at: number }
}

/** Entries that the log of a head still has. */
export const entryCount = (head: Head): number => head.revision + 1 - (head.historyFrom ?? 1)

/** The tables that belong to no single log. */
export type CountedName = 'heads' | 'hashes' | 'secrets'
interface Tally {
  readonly count: number
  readonly sum: Sum
}
interface TotalsRecord extends Readonly<Record<CountedName, Tally>> {
  /** number of the next new log */
  readonly next_log: number
}

const TOTALS = Buffer.from('totals')
const NONE: Tally = { count: 0, sum: NO_SUM }

export class Totals {
  readonly #meta: RecordTable<string>
  readonly #folder: string

  constructor(meta: RecordTable<string>, folder: string) {
    this.#meta = meta
    this.#folder = folder
  }

  /** Writes the totals of a new folder. */
  create(nextLog = 1): void {
    this.#write({ next_log: nextLog, heads: NONE, hashes: NONE, secrets: NONE })
  }

  /** The number of a new log. Inside the caller's transaction. */
  takeNumber(): number {
    const totals = this.read()
    this.#write({ ...totals, next_log: totals.next_log + 1 })
    return totals.next_log
  }

  /** Sets the number of the next new log. Inside the caller's transaction. */
  setNext(number: number): void {
    this.#write({ ...this.read(), next_log: number })
  }

  /** @throws DATA_DAMAGED */
  read(): TotalsRecord {
    const text = this.#meta.get(TOTALS)
    if (text !== undefined) return JSON.parse(text) as TotalsRecord
    throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(this.#folder), reason: 'the totals are missing' })
  }

  /** Updates the totals of a table for one record that is removed (`before`), added (`after`), or replaced (both). */
  move(name: CountedName, key: Uint8Array, before: number | undefined, after: number | undefined): void {
    const totals = this.read()
    const digest = new Digest(totals[name].sum)
    if (before !== undefined) digest.subtract(key, before)
    if (after !== undefined) digest.add(key, after)
    this.#write({ ...totals, [name]: { count: totals[name].count + digest.count, sum: digest.sum } })
  }

  #write(totals: TotalsRecord): void {
    this.#meta.put(TOTALS, JSON.stringify(totals))
  }
}

/** A table whose records are counted in the totals. Keys are texts. */
export class CountedTable<C> {
  readonly name: CountedName
  readonly #table: RecordTable<C>
  readonly #totals: Totals

  constructor(name: CountedName, table: RecordTable<C>, totals: Totals) {
    this.name = name
    this.#table = table
    this.#totals = totals
  }

  /** @throws DATA_DAMAGED */
  get(key: string): C | undefined {
    return this.#table.get(Buffer.from(key))
  }

  put(key: string, content: C): void {
    const bytes = Buffer.from(key)
    const before = this.#table.entry(bytes)?.crc
    this.#totals.move(this.name, bytes, before, this.#table.put(bytes, content))
  }

  remove(key: string): void {
    const bytes = Buffer.from(key)
    const before = this.#table.entry(bytes)?.crc
    if (before === undefined) return
    this.#table.remove(bytes)
    this.#totals.move(this.name, bytes, before, undefined)
  }

  /** Every record, damaged or not. @throws DATA_DAMAGED when the table cannot be walked */
  inspect(): IterableIterator<Inspected<C>> {
    return this.#table.inspect()
  }

  /** Every record; throws at the end when count or digest differ from the totals. @throws DATA_DAMAGED */
  *all(): Generator<Entry<C>> {
    const expected = this.#totals.read()[this.name]
    const digest = new Digest()
    for (const entry of this.#table.range()) {
      digest.add(entry.key, entry.crc)
      yield entry
    }
    if (digest.count === expected.count && digest.equals(expected.sum)) return
    throw this.#table.damagedWhole(digest.count, expected.count)
  }
}

/** The heads, by the id of their log. */
export class HeadTable {
  readonly #records: CountedTable<string>

  constructor(records: CountedTable<string>) {
    this.#records = records
  }

  /** @throws DATA_DAMAGED */
  get(log: LogId): Head | undefined {
    const text = this.#records.get(log)
    return text === undefined ? undefined : (JSON.parse(text) as Head)
  }

  put(log: LogId, head: Head): void {
    this.#records.put(log, JSON.stringify(head))
  }

  remove(log: LogId): void {
    this.#records.remove(log)
  }

  /** Every head, the oldest log first, compared with count and digest in the totals. @throws DATA_DAMAGED */
  all(): [LogId, Head][] {
    const heads = [...this.#records.all()].map(({ key, content }): [LogId, Head] => [
      Buffer.from(key).toString(),
      JSON.parse(content) as Head,
    ])
    return heads.sort(([, one], [, other]) => one.number - other.number)
  }
}
