// A table of records: each value carries a checksum over its table, its key and its content, and every read compares it. What does not match is
// DATA_DAMAGED, never an answer.
//
//   value on disk   content │ CRC-32, u32 little-endian        content: JSON text, or bytes

import { ZerohopError } from '../model/errors.ts'
import { contentCrc, withKey } from './checksum.ts'
import { damageReason } from './disk.ts'
import type { Database, DatabaseOptions } from './lmdb.ts'

const CRC_BYTES = 4

/** A record as it was read. `crc` is its checksum. */
export interface Entry<C> {
  readonly key: Uint8Array
  readonly content: C
  readonly crc: number
}

/** A record as it lies there, damaged or not. */
export interface Inspected<C> extends Entry<C> {
  readonly damage: ZerohopError | undefined
}

export interface KeyRange {
  readonly start?: Uint8Array
  readonly end?: Uint8Array
  readonly offset?: number
  readonly limit?: number
  readonly reverse?: boolean
}

/** How the content of a table is written. `spare` bytes are left free behind it. */
export interface Form<C> {
  readonly encode: (content: C, spare: number) => Buffer
  /** `bytes` are overwritten by the next read */
  readonly decode: (bytes: Uint8Array, length: number) => C
}

export const TEXT: Form<string> = {
  encode: (text, spare) => {
    const length = Buffer.byteLength(text)
    const bytes = Buffer.allocUnsafe(length + spare)
    bytes.write(text, 0, length)
    return bytes
  },
  decode: (bytes, length) => Buffer.prototype.toString.call(bytes, 'utf8', 0, length),
}

export const BYTES: Form<Uint8Array> = {
  encode: (content, spare) => {
    const bytes = Buffer.allocUnsafe(content.length + spare)
    bytes.set(content)
    return bytes
  },
  decode: (bytes, length) => Buffer.from(bytes.subarray(0, length)),
}

/** A value without its key, which LMDB's decoder does not know. */
interface Decoded<C> {
  readonly content: C
  /** of table and content */
  readonly crc: number
  /** the checksum that stands behind the content; -1 when the value is too short for one */
  readonly stored: number
}

type Opened<C> = Database<Decoded<C> | Buffer, Uint8Array>
export type OpenDatabase = <V>(options: DatabaseOptions) => Database<V, Uint8Array>

/** In words of an error: what is damaged, and which record of it a key names. */
export type Describe = (key: Uint8Array) => { readonly what: string; readonly record: string }

export interface RecordTableOptions<C> {
  readonly name: string
  /** part of each checksum; never given to another table */
  readonly number: number
  readonly form: Form<C>
  readonly describe: Describe
  readonly open: OpenDatabase
}

export class RecordTable<C> {
  readonly name: string
  readonly #number: number
  readonly #form: Form<C>
  readonly #describe: Describe
  readonly #db: Opened<C>

  constructor({ name, number, form, describe, open }: RecordTableOptions<C>) {
    this.name = name
    this.#number = number
    this.#form = form
    this.#describe = describe
    const encoder = { encode: (value: Buffer) => value, decode: (bytes: Uint8Array) => this.#decode(bytes) }
    // lmdb takes an encoder for a single table too; its types know that of the root only
    this.#db = open({ keyEncoding: 'binary', encoding: 'binary', encoder } as DatabaseOptions)
  }

  /** @throws DATA_DAMAGED */
  get(key: Uint8Array): C | undefined {
    return this.entry(key)?.content
  }

  /** The record with its checksum. @throws DATA_DAMAGED */
  entry(key: Uint8Array): Entry<C> | undefined {
    let found: Decoded<C> | undefined
    try {
      found = this.#db.get(key) as Decoded<C> | undefined
    } catch (error) {
      throw this.#damageFrom(error, key)
    }
    return found && this.#proven(key, found)
  }

  /** The records of a range in the order of their keys. Whoever stops early calls `return` on the iterator. @throws DATA_DAMAGED */
  *range(range: KeyRange = {}): Generator<Entry<C>> {
    for (const { key, value } of this.#walk(range)) yield this.#proven(key, value)
  }

  /** The same for who wants to hear of each damaged record and go on. @throws DATA_DAMAGED when the table itself cannot be walked */
  *inspect(range: KeyRange = {}): Generator<Inspected<C>> {
    for (const { key, value } of this.#walk(range)) {
      const crc = withKey(value.crc, key)
      const damage = crc === value.stored ? undefined : this.damaged(key, 'does not match its checksum')
      yield { key, content: value.content, crc, damage }
    }
  }

  /** The keys of a range; nothing is read of the values. */
  keys(range: KeyRange = {}): Iterable<Uint8Array> {
    return this.#db.getKeys({ ...range })
  }

  /** Walks all records and reads none: about 0.1 µs each. Returns how many there are. */
  walk(): number {
    return this.#db.getCount()
  }

  /** Writes a record inside the caller's transaction and returns its checksum. */
  put(key: Uint8Array, content: C): number {
    const value = this.#form.encode(content, CRC_BYTES)
    const end = value.length - CRC_BYTES
    const crc = withKey(contentCrc(value.subarray(0, end), this.#number), key)
    value.writeUInt32LE(crc, end)
    void this.#db.put(key, value)
    return crc
  }

  remove(key: Uint8Array): void {
    void this.#db.remove(key)
  }

  /** The error that says what is wrong with a record. */
  damaged(key: Uint8Array, reason: string): ZerohopError {
    const { what, record } = this.#describe(key)
    return new ZerohopError('DATA_DAMAGED', { what, reason: `${record} in table ${this.name} ${reason}` })
  }

  /** The error that says that a table has other records than are counted. */
  damagedWhole(found: number, expected: number): ZerohopError {
    const { what } = this.#describe(new Uint8Array())
    return new ZerohopError('DATA_DAMAGED', { what, reason: otherRecords(`table ${this.name}`, found, expected) })
  }

  *#walk(range: KeyRange): Generator<{ readonly key: Uint8Array; readonly value: Decoded<C> }> {
    let last: Uint8Array | undefined
    const rows = this.#db.getRange({ ...range })[Symbol.iterator]()
    try {
      for (;;) {
        const next = this.#next(rows, last ?? range.start)
        if (next === undefined) return
        // A damaged page can lead back to where the walk was: without this it would never end.
        if (last !== undefined && !isOrdered(last, next.key, range.reverse ?? false))
          throw this.damaged(next.key, 'is out of order')
        last = next.key
        yield { key: next.key, value: next.value as Decoded<C> }
      }
    } finally {
      rows.return?.()
    }
  }

  #next(rows: Iterator<{ key: Uint8Array; value: unknown }>, at: Uint8Array | undefined) {
    try {
      const next = rows.next()
      return next.done === true ? undefined : next.value
    } catch (error) {
      throw this.#damageFrom(error, at ?? new Uint8Array())
    }
  }

  #decode(bytes: Uint8Array): Decoded<C> {
    const end = bytes.length - CRC_BYTES
    if (end < 0) return { content: this.#form.decode(bytes, 0), crc: 0, stored: -1 }
    const stored = bytes[end]! + bytes[end + 1]! * 0x100 + bytes[end + 2]! * 0x10000 + bytes[end + 3]! * 0x1000000
    return { content: this.#form.decode(bytes, end), crc: contentCrc(bytes.subarray(0, end), this.#number), stored }
  }

  #proven(key: Uint8Array, { content, crc, stored }: Decoded<C>): Entry<C> {
    const whole = withKey(crc, key)
    if (whole !== stored) throw this.damaged(key, 'does not match its checksum')
    return { key, content, crc: whole }
  }

  #damageFrom(error: unknown, key: Uint8Array): unknown {
    const reason = damageReason(error)
    return reason === undefined ? error : this.damaged(key, `cannot be read: ${reason}`)
  }
}

/** In words: records are missing, doubled or stale. */
export function otherRecords(where: string, found: number, expected: number): string {
  return found === expected
    ? `the records of ${where} are not those that were written`
    : `${where} has ${found} records instead of ${expected}`
}

function isOrdered(before: Uint8Array, after: Uint8Array, reverse: boolean): boolean {
  const [low, high] = reverse ? [after, before] : [before, after]
  for (let at = 0; at < low.length; at++) {
    const byte = high[at]
    if (byte === undefined) return false
    if (byte !== low[at]) return byte > low[at]!
  }
  return high.length > low.length
}
