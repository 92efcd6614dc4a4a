// A table of places: it maps a key, an id or an index value to the places of objects. Its entries have no checksum:
// every read compares the entry with the object at its place, and a scrub finds missing entries (verify-places.ts).
// What LMDB cannot read is DATA_DAMAGED.

import { ZerohopError } from '../model/errors.ts'
import type { KeyRange } from './checked-table.ts'
import { damageReason, dataFolder } from './disk.ts'
import type { Database, ReadTransaction } from './lmdb.ts'
import { readPlace } from './table-keys.ts'

const PLACE_BYTES = 6
/** Stands for bytes that are not a place. */
const NO_PLACE = -1
/** A write is copied before the next one is encoded. */
const encoded = Buffer.alloc(PLACE_BYTES)

/** lmdb compares single places only when it has an encoder. */
export const PLACE_ENCODER = {
  encode: (place: number): Buffer => {
    encoded.writeUIntBE(place, 0, PLACE_BYTES)
    return encoded
  },
  decode: (bytes: Uint8Array): number => (bytes.length === PLACE_BYTES ? readPlace(bytes, 0) : NO_PLACE),
}

/** Which of the places under a key. */
type PlaceBounds = Pick<KeyRange, 'offset' | 'limit'> & { readonly after?: number }

export interface PlaceRow {
  readonly key: Uint8Array
  readonly place: number
}

export class PlaceTable {
  readonly name: string
  readonly #folder: string
  readonly #db: Database<number, Uint8Array>

  constructor(name: string, folder: string, db: Database<number, Uint8Array>) {
    this.name = name
    this.#folder = folder
    this.#db = db
  }

  /** The place under a key, the first when there are several. @throws DATA_DAMAGED */
  get(key: Uint8Array, transaction?: ReadTransaction): number | undefined {
    const place = this.#attempt(() => this.#db.get(key, transaction && { transaction }))
    return place === undefined ? undefined : this.#sized(place)
  }

  /** The places under a key, ascending; with `after` those behind it, which LMDB seeks. @throws DATA_DAMAGED */
  *values(key: Uint8Array, { offset, limit, after }: PlaceBounds = {}): Generator<number> {
    const bounds = {
      ...(offset === undefined ? {} : { offset }),
      ...(limit === undefined ? {} : { limit }),
      // a value is compared as it is stored; the types of lmdb know values as they are decoded
      ...(after === undefined ? {} : { start: Buffer.from(PLACE_ENCODER.encode(after + 1)) as unknown as number }),
    }
    const rows = this.#db.getValues(key, bounds)[Symbol.iterator]()
    for (const place of this.#walk(rows)) yield this.#sized(place)
  }

  /** Whether the key has this place. @throws DATA_DAMAGED */
  has(key: Uint8Array, place: number, transaction?: ReadTransaction): boolean {
    return this.#attempt(() => this.#db.doesExist(key, place, transaction && { transaction }))
  }

  /** Places under a key. That there are none, as below most new objects, is found in a third of the time of a count. */
  count(key: Uint8Array): number {
    return this.#attempt(() => (this.#db.get(key) === undefined ? 0 : this.#db.getValuesCount(key)))
  }

  /** Places in a range of keys, up to its limit. */
  countIn(range: Pick<KeyRange, 'start' | 'end' | 'limit'>): number {
    return this.#attempt(() => this.#db.getCount({ ...range }))
  }

  /** The keys of a range, each as often as it has places. */
  keys(range: KeyRange): Iterable<Uint8Array> {
    return this.#db.getKeys({ ...range })
  }

  /** Every key with a place, in the order of the keys and places. @throws DATA_DAMAGED */
  *rows(range: KeyRange): Generator<PlaceRow> {
    const rows = this.#db.getRange({ ...range })[Symbol.iterator]()
    for (const { key, value } of this.#walk(rows)) yield { key, place: this.#sized(value) }
  }

  /** Walks all entries without reading their values, about 0.1 µs each. Returns their number. */
  walk(): number {
    return this.#attempt(() => this.#db.getCount())
  }

  /** Inside the caller's transaction. */
  put(key: Uint8Array, place: number): void {
    void this.#db.put(key, place)
  }

  /** The same with an entry as it is stored. @throws DATA_DAMAGED */
  putStored(key: Uint8Array, value: Uint8Array): void {
    this.put(key, this.#sized(PLACE_ENCODER.decode(value)))
  }

  /** Removes one place of a key, or all of them. Inside the caller's transaction. */
  remove(key: Uint8Array, place?: number): void {
    if (place === undefined) void this.#db.remove(key)
    else void this.#db.remove(key, place)
  }

  *#walk<T>(rows: Iterator<T>): Generator<T> {
    try {
      for (;;) {
        const next = this.#attempt(() => rows.next())
        if (next.done === true) return
        yield next.value
      }
    } finally {
      rows.return?.()
    }
  }

  #sized(place: number): number {
    if (place !== NO_PLACE) return place
    throw this.#damaged('an entry is no place')
  }

  #attempt<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      const reason = damageReason(error)
      throw reason === undefined ? error : this.#damaged(reason)
    }
  }

  #damaged(reason: string): ZerohopError {
    return new ZerohopError('DATA_DAMAGED', { what: dataFolder(this.#folder), reason: `table ${this.name}: ${reason}` })
  }
}
