// A table of records: each value has a checksum over its table, its key and its content, which every read compares. A
// mismatch is DATA_DAMAGED.
//
//   value on disk   content │ CRC-32, u32 little-endian        content: JSON text, or bytes

import { ZerohopError } from '../model/errors.ts'
import { contentCrc, sharedCrc, withKey } from './checksum.ts'
import { damageReason } from './disk.ts'
import type { Database, DatabaseOptions, ReadTransaction } from './lmdb.ts'

const CRC_BYTES = 4

/** A record as it was read. `crc` is its checksum. */
export interface Entry<C> {
  readonly key: Uint8Array
  readonly content: C
  readonly crc: number
}

/** A record, damaged or not. */
export interface Inspected<C> extends Entry<C> {
  readonly damage: ZerohopError | undefined
}

export interface KeyRange {
  readonly start?: Uint8Array
  readonly end?: Uint8Array
  readonly offset?: number
  readonly limit?: number
  readonly reverse?: boolean
  /** reads the state of its moment instead of the newest one */
  readonly transaction?: ReadTransaction
}

/** The encoding of a table's content. `spare` bytes are left free behind it. */
export interface Form<C> {
  readonly encode: (content: C, spare: number) => Buffer
  /** `bytes` are overwritten by the next read */
  readonly decode: (bytes: Uint8Array, length: number) => C
}

/** What `toString('utf8')` calls, without resolving the name of the encoding. */
const { utf8Slice } = Buffer.prototype as unknown as {
  utf8Slice: (this: Uint8Array, from: number, to: number) => string
}

export const TEXT: Form<string> = {
  encode: (text, spare) => {
    const length = Buffer.byteLength(text)
    const bytes = Buffer.allocUnsafe(length + spare)
    bytes.write(text, 0, length)
    return bytes
  },
  decode: (bytes, length) => utf8Slice.call(bytes, 0, length),
}

/** Bytes as a string with a character for each. */
export const LATIN1: Form<string> = {
  encode: (text, spare) => {
    const bytes = Buffer.allocUnsafe(text.length + spare)
    bytes.write(text, 0, 'latin1')
    return bytes
  },
  decode: (bytes, length) => Buffer.prototype.latin1Slice.call(bytes, 0, length),
}

export const BYTES: Form<Uint8Array> = {
  encode: (content, spare) => {
    const bytes = Buffer.allocUnsafe(content.length + spare)
    bytes.set(content)
    return bytes
  },
  decode: (bytes, length) => Buffer.from(bytes.subarray(0, length)),
}

type Opened<C> = Database<C | Buffer, Uint8Array>
export type OpenDatabase = <V>(options: DatabaseOptions) => Database<V, Uint8Array>

/** For error texts: what is damaged, and which record of it a key names. */
export type Describe = (key: Uint8Array) => { readonly what: string; readonly record: string }

export interface RecordTableOptions<C> {
  readonly name: string
  /** part of each checksum; never reused for another table */
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
  /**
   * Checksum of the last decoded value: the decoder does not know the key, so the caller compares directly after the
   * read.
   */
  #crc = 0
  /** the checksum stored behind the content; -1 when the value is too short for one */
  #stored = 0

  constructor({ name, number, form, describe, open }: RecordTableOptions<C>) {
    this.name = name
    this.#number = number
    this.#form = form
    this.#describe = describe
    const encoder = { encode: (value: Buffer) => value, decode: (bytes: Uint8Array) => this.#decode(bytes) }
    // lmdb takes an encoder for a single table too, which its types allow only for the root
    this.#db = open({ keyEncoding: 'binary', encoding: 'binary', encoder } as DatabaseOptions)
  }

  /** @throws DATA_DAMAGED */
  get(key: Uint8Array, transaction?: ReadTransaction): C | undefined {
    return this.entry(key, transaction)?.content
  }

  /** The record with its checksum. @throws DATA_DAMAGED */
  entry(key: Uint8Array, transaction?: ReadTransaction): Entry<C> | undefined {
    let content: C | undefined
    try {
      content = this.#db.get(key, transaction && { transaction }) as C | undefined
    } catch (error) {
      throw this.damageFrom(error, key)
    }
    return content === undefined ? undefined : this.#proven(key, content)
  }

  /**
   * The records of a range in the order of their keys. A caller that stops early calls `return` on the iterator.
   * @throws DATA_DAMAGED
   */
  range(range: KeyRange = {}): IterableIterator<Entry<C>> {
    return new Walk(this, this.#db, range, (key, content) => this.#proven(key, content))
  }

  /**
   * The same, but damaged records are returned with their `damage` instead of thrown. @throws DATA_DAMAGED when the
   * table itself cannot be walked
   */
  inspect(range: KeyRange = {}): IterableIterator<Inspected<C>> {
    return new Walk(this, this.#db, range, (key, content) => {
      const crc = withKey(this.#crc, key)
      const damage = crc === this.#stored ? undefined : this.damaged(key, 'does not match its checksum')
      return { key, content, crc, damage }
    })
  }

  /** The keys of a range; values are not read. */
  keys(range: KeyRange = {}): Iterable<Uint8Array> {
    return this.#db.getKeys({ ...range })
  }

  /** Walks all records without reading them, about 0.1 µs each. Returns their number. */
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

  /** The DATA_DAMAGED error for one record. */
  damaged(key: Uint8Array, reason: string): ZerohopError {
    const { what, record } = this.#describe(key)
    return new ZerohopError('DATA_DAMAGED', { what, reason: `${record} in table ${this.name} ${reason}` })
  }

  /** The DATA_DAMAGED error for a table whose records differ from count or digest. */
  damagedWhole(found: number, expected: number): ZerohopError {
    const { what } = this.#describe(new Uint8Array())
    return new ZerohopError('DATA_DAMAGED', { what, reason: otherRecords(`table ${this.name}`, found, expected) })
  }

  #decode(bytes: Uint8Array): C {
    const end = bytes.length - CRC_BYTES
    if (end < 0) {
      this.#stored = -1
      return this.#form.decode(bytes, 0)
    }
    this.#stored = bytes[end]! + bytes[end + 1]! * 0x100 + bytes[end + 2]! * 0x10000 + bytes[end + 3]! * 0x1000000
    this.#crc = sharedCrc(bytes, end, this.#number)
    return this.#form.decode(bytes, end)
  }

  #proven(key: Uint8Array, content: C): Entry<C> {
    const crc = withKey(this.#crc, key)
    if (crc !== this.#stored) throw this.damaged(key, 'does not match its checksum')
    return { key, content, crc }
  }

  /** Maps an error from a read to DATA_DAMAGED when damage caused it. */
  damageFrom(error: unknown, key: Uint8Array): unknown {
    const reason = damageReason(error)
    return reason === undefined ? error : this.damaged(key, `cannot be read: ${reason}`)
  }
}

type Row<C> = { readonly key: Uint8Array; readonly value: C }

/**
 * An iterator over a range, opened with the first `next`. Not a generator, for speed: it runs for every record of an
 * image.
 */
class Walk<C, T> implements IterableIterator<T> {
  readonly #table: RecordTable<C>
  readonly #db: Opened<C>
  readonly #range: KeyRange
  readonly #made: (key: Uint8Array, content: C) => T
  readonly #isReverse: boolean
  #rows: Iterator<Row<C>> | undefined
  #last: Uint8Array | undefined

  constructor(table: RecordTable<C>, db: Opened<C>, range: KeyRange, made: (key: Uint8Array, content: C) => T) {
    this.#table = table
    this.#db = db
    this.#range = range
    this.#made = made
    this.#isReverse = range.reverse ?? false
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<T> {
    const row = this.#row()
    if (row === undefined) return { done: true, value: undefined }
    const { key, value } = row
    const last = this.#last
    // A damaged page can lead back to an earlier one: without this check the walk would never end.
    if (last !== undefined && !(this.#isReverse ? isBefore(key, last) : isBefore(last, key))) {
      this.return()
      throw this.#table.damaged(key, 'is out of order')
    }
    this.#last = key
    try {
      return { done: false, value: this.#made(key, value) }
    } catch (error) {
      this.return()
      throw error
    }
  }

  return(): IteratorResult<T> {
    this.#rows?.return?.()
    return { done: true, value: undefined }
  }

  #row(): Row<C> | undefined {
    try {
      // the result of the table's decoder
      this.#rows ??= this.#db.getRange({ ...this.#range })[Symbol.iterator]() as Iterator<Row<C>>
      const next = this.#rows.next()
      return next.done === true ? undefined : next.value
    } catch (error) {
      throw this.#table.damageFrom(error, this.#last ?? this.#range.start ?? new Uint8Array())
    }
  }
}

/** The text for records that are missing, doubled or stale. */
export function otherRecords(where: string, found: number, expected: number): string {
  return found === expected
    ? `the records of ${where} are not those that were written`
    : `${where} has ${found} records instead of ${expected}`
}

/** Compares by bytes, as LMDB does. */
function isBefore(one: Uint8Array, other: Uint8Array): boolean {
  for (let at = 0; at < one.length; at++) {
    const byte = other[at]
    if (byte === undefined) return false
    if (byte !== one[at]) return one[at]! < byte
  }
  return one.length < other.length
}
