// Objects as one use case read them, with their places: what a delete takes along was listed by reading it, so the
// state need not find, read and parse each of them once more. Of one log, for one use case: the next one reads anew.

import type { KindName, Objects } from '../kinds/index.ts'
import { READ_ROWS_BYTES_MAX } from '../model/limits.ts'

/** An object as it is stored. */
export interface Row {
  readonly object: Objects[KindName]
  /** its key in the table of its kind */
  readonly at: Buffer
  /** checksum of the record */
  readonly crc: number
  /** no longer as it is stored; marked, because removing rows from a large map one by one is slow */
  isTaken: boolean
}

export class ReadRows {
  readonly #kinds = new Map<KindName, Map<string, Row>>()
  #bytes = 0

  /** Remembers a row, whose text had so many characters, while there is room. */
  add(kind: KindName, row: Row, length: number): void {
    if (this.#bytes + length > READ_ROWS_BYTES_MAX) return
    this.#bytes += length
    let rows = this.#kinds.get(kind)
    if (rows === undefined) {
      rows = new Map()
      this.#kinds.set(kind, rows)
    }
    rows.set(row.object.key, row)
  }

  find(kind: KindName, key: string): Row | undefined {
    const row = this.#kinds.get(kind)?.get(key)
    return row?.isTaken === true ? undefined : row
  }

  /** The row, which is forgotten: the caller changes it. */
  take(kind: KindName, key: string): Row | undefined {
    const row = this.find(kind, key)
    if (row !== undefined) row.isTaken = true
    return row
  }
}
