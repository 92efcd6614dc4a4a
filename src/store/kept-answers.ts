// Requests that carry an idempotency key, where one process has the data: what was answered is kept in the data folder,
// by the transaction of the write, and repeated for a day. The answer is the result of the use case, sealed, because it
// may hold the secret of a key. Runs in the writer thread only. What a repeated request gets is the same as with replicas
// (postgres/idempotency.ts). docs/adr/0057-writes-that-can-be-repeated.md.
//
//   01 page, u48     for each of 256 places: part of the SHA-256 of caller and key, u32; 0 without an answer
//   02 place, u48    SHA-256 of caller and key, 32 │ time, u48 in ms │ SHA-256 of the request, 32
//                    │ sealed answer, or nothing
//   03               next place, u48 │ number of answers, u48 │ bytes of all, u48
//
// Answers have places in the order in which they came: the oldest go first, and what is written lies side by side. Where
// the answer of a caller and a key lies is known in memory alone (answer-names.ts): docs/adr/0066-names-in-memory.md.
import { hash } from 'node:crypto'
import {
  ANSWER_KEPT_BYTES_MAX,
  IDEMPOTENCY_BYTES_MAX,
  IDEMPOTENCY_HOURS,
  IDEMPOTENCY_KEYS_MAX,
} from '../model/limits.ts'
import { AnswerNames, PLACE, readNumber, recordKey, TOTAL } from './answer-names.ts'
import { repeatAnswer, toAnswerId, writeKept } from './answer-text.ts'
import type { RecordTable } from './checked-table.ts'
import type { Done, Once, Reply } from './job.ts'
import { sealWith } from './secrets.ts'
import type { Tables } from './tables.ts'

const TOTAL_KEY = Buffer.of(TOTAL)
/** Where the fields of a record begin. */
const [AT, FINGERPRINT, SEALED] = [32, 38, 70]
/** Bytes that an answer takes beside its record, about: key, checksum, and its part of a page. */
const ROW_BYTES = 64
/** Old answers that one batch removes for each that it keeps, so that they become fewer. */
const REMOVED_PER_KEPT = 2
const REMOVED_MIN = 16

interface Total {
  next: number
  count: number
  bytes: number
}

/** How much is kept. */
export interface KeepLimits {
  readonly answers: number
  readonly bytes: number
  readonly ms: number
}
const LIMITS: KeepLimits = {
  answers: IDEMPOTENCY_KEYS_MAX,
  bytes: IDEMPOTENCY_BYTES_MAX,
  ms: IDEMPOTENCY_HOURS * 3_600_000,
}

interface Found {
  readonly place: number
  readonly record: Uint8Array
}

export class KeptAnswers {
  readonly #tables: Tables
  readonly #secretsKey: Uint8Array
  readonly #limits: KeepLimits
  readonly #names = new AnswerNames()
  #table: RecordTable<Uint8Array> | undefined
  /** as the open transaction has it */
  #total: Total | undefined
  #kept = 0
  /** what `find` was asked last: the same request is kept next */
  #looked: { readonly once: Once; readonly name: Buffer; readonly found: Found | undefined } | undefined

  constructor(tables: Tables, secretsKey: Uint8Array, limits = LIMITS) {
    this.#tables = tables
    this.#secretsKey = secretsKey
    this.#limits = limits
  }

  /** Before a transaction; the table is made when the first request with a key comes. */
  begin(isNeeded: boolean): void {
    this.#total = undefined
    this.#looked = undefined
    this.#kept = 0
    if (isNeeded) this.#table ??= this.#tables.answers('create')
  }

  /** What was answered to the same request before; undefined when it is new. @throws DATA_DAMAGED */
  find(once: Once, now: number): Reply | undefined {
    const name = hashName(once)
    const found = this.#read(name)
    this.#looked = { once, name, found }
    const record = found?.record
    if (record === undefined || !this.#isKept(readNumber(record, AT), now)) return undefined
    const fingerprint = record.subarray(FINGERPRINT, SEALED)
    return repeatAnswer(once, fingerprint, record.subarray(SEALED), this.#secretsKey)
  }

  /** Keeps what was answered, in the open transaction. */
  put(once: Once, done: Done, now: number): void {
    const table = this.#table
    if (table === undefined) return
    const total = this.#readTotal(table)
    const looked = this.#looked?.once === once ? this.#looked : undefined
    const name = looked?.name ?? hashName(once)
    const before = looked === undefined ? this.#read(name) : looked.found
    if (before !== undefined) {
      this.#remove(table, total, before.place)
      this.#names.leave(table, before.place)
    }
    const text = writeKept(done)
    const isTooLong = text.length > ANSWER_KEPT_BYTES_MAX
    const sealed = isTooLong ? Buffer.alloc(0) : sealWith(this.#secretsKey)(toAnswerId(once), text)
    const at = Buffer.alloc(6)
    at.writeUIntBE(now, 0, 6)
    const record = Buffer.concat([name, at, Buffer.from(once.fingerprint, 'hex'), sealed])
    table.put(recordKey(PLACE, total.next), record)
    this.#names.add(name, total.next)
    total.next++
    total.count++
    total.bytes += ROW_BYTES + record.length
    this.#kept++
  }

  /** Ends what the open transaction writes: the oldest answers beyond the bounds go. */
  end(now: number): void {
    const [table, total] = [this.#table, this.#total]
    if (table === undefined || total === undefined) return
    this.#forget(table, total, now, Math.max(REMOVED_MIN, this.#kept * REMOVED_PER_KEPT))
    this.#end(table, total)
  }

  /** Removes some of what is older than a day; in a transaction of the caller. Returns how many, at most `most`. */
  trim(now: number, most: number): number {
    this.#table ??= this.#tables.answers('open')
    this.#total = undefined
    const table = this.#table
    if (table === undefined) return 0
    const total = this.#readTotal(table)
    const removed = this.#forget(table, total, now, most)
    if (removed > 0) this.#end(table, total)
    return removed
  }

  #forget(table: RecordTable<Uint8Array>, total: Total, now: number, most: number): number {
    const due: number[] = []
    let [count, bytes] = [total.count, total.bytes]
    for (const { key, content } of table.range({ start: recordKey(PLACE, 0), end: TOTAL_KEY, limit: most })) {
      const isOver = count > this.#limits.answers || bytes > this.#limits.bytes
      if (!isOver && this.#isKept(readNumber(content, AT), now)) break
      due.push(readNumber(key, 1))
      count--
      bytes -= ROW_BYTES + content.length
    }
    for (const place of due) this.#remove(table, total, place)
    const last = due.at(-1)
    if (last !== undefined) this.#names.forget(table, last + 1)
    return due.length
  }

  #end(table: RecordTable<Uint8Array>, total: Total): void {
    this.#names.end(table, total)
    writeTotal(table, total)
  }

  #remove(table: RecordTable<Uint8Array>, total: Total, place: number): void {
    const key = recordKey(PLACE, place)
    const record = table.get(key)
    if (record === undefined) return
    table.remove(key)
    this.#names.remove(record, place)
    total.count--
    total.bytes -= ROW_BYTES + record.length
  }

  /** The record of a request, with its place. */
  #read(name: Uint8Array): Found | undefined {
    const table = this.#table
    if (table === undefined) return undefined
    return this.#names.find(name, this.#readTotal(table).next, (place) => {
      const record = table.get(recordKey(PLACE, place))
      return record && Buffer.compare(record.subarray(0, AT), name) === 0 ? { place, record } : undefined
    })
  }

  #isKept(at: number, now: number): boolean {
    return at > now - this.#limits.ms
  }

  #readTotal(table: RecordTable<Uint8Array>): Total {
    if (this.#total !== undefined) return this.#total
    const record = table.get(TOTAL_KEY)
    const total = record
      ? { next: readNumber(record, 0), count: readNumber(record, 6), bytes: readNumber(record, 12) }
      : { next: 0, count: 0, bytes: 0 }
    this.#names.begin(table, total)
    this.#total = total
    return total
  }
}

function writeTotal(table: RecordTable<Uint8Array>, { next, count, bytes }: Total): void {
  const record = Buffer.alloc(18)
  record.writeUIntBE(next, 0, 6)
  record.writeUIntBE(count, 6, 6)
  record.writeUIntBE(bytes, 12, 6)
  table.put(TOTAL_KEY, record)
}

const hashName = (once: Once): Buffer => hash('sha256', toAnswerId(once), 'buffer')
