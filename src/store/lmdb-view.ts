// The view over the tables: what a use case and every reader of the state sees. It never writes. In the main thread it reads the last
// durable state; in the writer thread, inside the open transaction, what the earlier use cases of the batch left.
import type { LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { parseId } from '../model/keys.ts'
import type { Kind, Objects } from '../model/objects.ts'
import { idKey, indexKey, isStorable, nameKey, objectKey, objectRange, readPlace } from './encode.ts'
import { INDEXES, type IndexKind, type IndexName } from './indexes.ts'
import type { Head, Tables } from './tables.ts'
import type { Range, StoredView, View } from './view.ts'

/** Where the heads of logs come from: the table, or the writer's copies of them. */
export type HeadOf = (log: LogId) => Head | undefined

export class LmdbView implements StoredView {
  readonly log: LogId
  readonly position: Position
  readonly #tables: Tables
  readonly #headOf: HeadOf
  readonly #head: Head | undefined

  /** A view of a log that does not exist yet is empty, at revision 0. */
  constructor(tables: Tables, headOf: HeadOf, log: LogId) {
    this.#tables = tables
    this.#headOf = headOf
    this.#head = headOf(log)
    this.log = log
    this.position = { revision: this.#head?.revision ?? 0, chain: this.#head?.chain ?? '' }
  }

  get<K extends Kind>(kind: K, key: string): Objects[K] | undefined {
    if (this.#head === undefined || !isStorable(key)) return undefined
    return this.#at(kind, this.#tables.keys.get(nameKey(this.#head.number, kind, key)))
  }

  find<K extends Kind>(kind: K, ref: string): Objects[K] | undefined {
    return this.#byId(kind, ref) ?? this.get(kind, ref)
  }

  require<K extends Kind>(kind: K, ref: string, path?: readonly (string | number)[]): Objects[K] {
    const found = this.find(kind, ref)
    if (found === undefined)
      throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, path === undefined ? {} : { path })
    return found
  }

  refuse(kind: Kind, key: string): void {
    if (this.#head === undefined || !isStorable(key)) return
    if (this.#tables.keys.get(nameKey(this.#head.number, kind, key)) !== undefined) {
      throw new ZerohopError('OBJECT_EXISTS', { kind, key })
    }
    if (this.#byId(kind, key) !== undefined) throw new ZerohopError('KEY_IS_ID', { kind, key })
  }

  count(kind: Kind): number {
    return this.#head?.counts[kind] ?? 0
  }

  *list<K extends Kind>(kind: K, range: Range = {}): Iterable<Objects[K]> {
    if (this.#head === undefined || range.limit === 0) return
    const options = { ...objectRange(this.#head.number, kind), offset: range.offset ?? 0 }
    for (const { value } of this.#tables.objects(kind).getRange(bounded(options, range.limit))) yield asObject<K>(value)
  }

  *texts(kind: Kind): Iterable<string> {
    if (this.#head === undefined) return
    for (const { value } of this.#tables.texts(kind).getRange(objectRange(this.#head.number, kind))) yield value
  }

  *by<I extends IndexName>(index: I, value: string, range: Range = {}): Iterable<Objects[IndexKind<I>]> {
    if (this.#head === undefined || range.limit === 0 || !isStorable(value)) return
    const key = indexKey(this.#head.number, index, value)
    const kind: IndexKind<I> = INDEXES[index].kind
    for (const place of this.#tables.indexes.getValues(key, bounded({ offset: range.offset ?? 0 }, range.limit))) {
      const object = this.#at(kind, place)
      if (object !== undefined) yield object
    }
  }

  countBy(index: IndexName, value: string): number {
    if (this.#head === undefined || !isStorable(value)) return 0
    return this.#tables.indexes.getValuesCount(indexKey(this.#head.number, index, value))
  }

  other(log: LogId): View {
    const view = new LmdbView(this.#tables, this.#headOf, log)
    if (view.#head === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: log })
    return view
  }

  #byId<K extends Kind>(kind: K, ref: string): Objects[K] | undefined {
    if (this.#head === undefined || ref.length < 32) return undefined
    const id = parseId(ref)
    if (id === undefined) return undefined
    return this.#at(kind, this.#tables.ids.get(idKey(this.#head.number, kind, id)))
  }

  #at<K extends Kind>(kind: K, place: Uint8Array | undefined): Objects[K] | undefined {
    if (place === undefined || this.#head === undefined) return undefined
    const value = this.#tables.objects(kind).get(objectKey(this.#head.number, kind, readPlace(place)))
    return value === undefined ? undefined : asObject<K>(value)
  }
}

// What stands under a kind was put there as that kind by state.apply, and by nothing else.
function asObject<K extends Kind>(value: unknown): Objects[K] {
  return value as Objects[K]
}

function bounded<T extends object>(options: T, limit: number | undefined): T & { limit?: number } {
  return limit === undefined ? options : { ...options, limit }
}
