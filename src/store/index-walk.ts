// A walk over the objects under a part of an index, in the order of its values. It stays in the state of the moment in
// which it began over any number of turns of the event loop, and holds one object at a time. LMDB keeps the pages of that
// moment as long, so whoever begins a walk closes it.
import type { KindName, Objects } from '../kinds/index.ts'
import type { Head } from './heads.ts'
import type { ReadTransaction } from './lmdb.ts'
import type { PlaceRow } from './places.ts'
import { objectKey } from './table-keys.ts'
import type { Tables } from './tables.ts'
import type { Walk } from './view.ts'

export class IndexWalk<K extends KindName> implements Walk<Objects[K]> {
  readonly revision: number
  readonly #tables: Tables
  readonly #head: Head
  readonly #kind: K
  readonly #transaction: ReadTransaction
  readonly #rows: Generator<PlaceRow>
  #isClosed = false

  constructor(
    tables: Tables,
    head: Head,
    kind: K,
    {
      range,
      transaction,
    }: { readonly range: { readonly start: Buffer; readonly end: Buffer }; readonly transaction: ReadTransaction },
  ) {
    this.#tables = tables
    this.#head = head
    this.#kind = kind
    this.#transaction = transaction
    this.#rows = tables.indexes.rows({ ...range, transaction })
    this.revision = head.revision
  }

  next(): Objects[K] | undefined {
    const row = this.#rows.next()
    if (row.done === true) return undefined
    const at = objectKey(this.#head.number, this.#kind, row.value.place)
    const table = this.#tables.objects(this.#kind)
    const json = table.get(at, this.#transaction)
    if (json === undefined) throw table.damaged(at, 'is missing')
    return JSON.parse(json) as Objects[K] // only state.apply writes objects, each under its own kind
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#rows.return(undefined)
    this.#transaction.done()
  }
}
