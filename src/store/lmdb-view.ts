// The view over the tables: the state as use cases and all readers see it. It never writes. In the main thread it reads
// the last durable state; in the writer thread, inside the open transaction, it includes the writes of the earlier use
// cases of the batch.

import type { IndexName, KindName, KindOfIndex, Objects, SearchedKind } from '../kinds/index.ts'
import { every } from '../kinds/kind.ts'
import { instantValue } from '../kinds/times.ts'
import type { LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { parseId } from '../model/keys.ts'
import { type KeyRange, otherRecords } from './checked-table.ts'
import { Digest, NO_SUM } from './checksum.ts'
import type { Head } from './heads.ts'
import { IndexWalk } from './index-walk.ts'
import { INDEXES, REFERENCES } from './indexes.ts'
import { countCommon, valuesWithout } from './left-out.ts'
import type { ReadTransaction } from './lmdb.ts'
import { timeOfEntry } from './log.ts'
import type { ReadRows } from './read-rows.ts'
import {
  idKey,
  indexKey,
  isStorable,
  nameKey,
  objectKey,
  objectRange,
  readObjectPlace,
  revisionKey,
} from './table-keys.ts'
import { nameOfLog, type Tables } from './tables.ts'
import { listTenantRoles } from './tenant-roles.ts'
import { TextSearch } from './text-search.ts'
import type {
  Placed,
  PlaceRange,
  Places,
  Range,
  Search,
  Span,
  SpanPlace,
  StoredView,
  TenantRole,
  ValueRange,
  View,
  Walk,
  Wanted,
} from './view.ts'

/** Where the heads of logs come from: the table, or the writer's copies of them. */
export type FindHead = (log: LogId) => Head | undefined

interface Proof {
  readonly head: Head
  readonly range: KeyRange
  readonly digest: Digest
}

export class LmdbView implements StoredView {
  readonly log: LogId
  readonly position: Position
  readonly #tables: Tables
  readonly #findHead: FindHead
  readonly #head: Head | undefined
  readonly #rows: ReadRows | undefined
  #leftOut: { readonly kind: KindName; readonly places: Places } | undefined

  /**
   * A view of a log that does not exist yet is empty, at revision 0.
   * @param rows remembers what is read
   */
  constructor(tables: Tables, findHead: FindHead, log: LogId, rows?: ReadRows) {
    this.#rows = rows
    this.#tables = tables
    this.#findHead = findHead
    this.#head = findHead(log)
    this.log = log
    this.position = { revision: this.#head?.revision ?? 0, chain: this.#head?.chain ?? '' }
  }

  writtenAt(): number | undefined {
    if (this.#head === undefined) return undefined
    const entry = this.#tables.log.get(revisionKey(this.#head.number, this.#head.revision))
    return entry && timeOfEntry(entry)
  }

  get<K extends KindName>(kind: K, key: string): Objects[K] | undefined {
    if (this.#head === undefined || !isStorable(key)) return undefined
    const known = this.#rows?.find(kind, key)
    if (known !== undefined) return asObject<K>(known.object)
    const object = this.#at(kind, this.#tables.keys.get(nameKey(this.#head.number, kind, key)))
    if (object !== undefined && object.key !== key) throw this.#misled(kind, `key \`${key}\``)
    return object
  }

  find<K extends KindName>(kind: K, ref: string): Objects[K] | undefined {
    return this.#byId(kind, ref) ?? this.get(kind, ref)
  }

  require<K extends KindName>(kind: K, ref: string, path?: readonly (string | number)[]): Objects[K] {
    const found = this.find(kind, ref)
    if (found === undefined)
      throw new ZerohopError('OBJECT_NOT_FOUND', { kind, ref }, path === undefined ? {} : { path })
    return found
  }

  refuse(kind: KindName, key: string): void {
    if (this.#head === undefined || !isStorable(key)) return
    if (this.#tables.keys.get(nameKey(this.#head.number, kind, key)) !== undefined) {
      throw new ZerohopError('OBJECT_EXISTS', { kind, key })
    }
    if (this.#byId(kind, key) !== undefined) throw new ZerohopError('KEY_IS_ID', { kind, key })
  }

  count(kind: KindName): number {
    return (this.#head?.counts[kind] ?? 0) - (this.#hidden(kind)?.length ?? 0)
  }

  *list<K extends KindName>(kind: K, { offset = 0, limit }: Range = {}): Iterable<Objects[K]> {
    if (limit === 0) return
    const proof = this.#beginProof(kind)
    if (proof === undefined) return
    const isWhole = offset === 0 && limit === undefined
    const range = isWhole ? proof.range : { ...proof.range, ...withLimit({ offset }, limit) }
    for (const entry of this.#tables.objects(kind).range(range)) {
      if (isWhole) proof.digest.add(entry.key, entry.crc)
      yield asObject<K>(JSON.parse(entry.content))
    }
    if (isWhole) this.#require(proof, kind)
  }

  search<K extends SearchedKind>(kind: K, wanted: Wanted): Search<Objects[K]> {
    return new TextSearch({ tables: this.#tables, log: this.log, ...this.#stay() }, kind, wanted)
  }

  /** The state of this moment, until the transaction is given back. @throws OBJECT_NOT_FOUND */
  #stay(): { readonly head: Head; readonly transaction: ReadTransaction } {
    const transaction = this.#tables.root.useReadTransaction()
    const head = this.#findHead(this.log) // read in that transaction
    if (head !== undefined) return { head, transaction }
    transaction.done()
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: this.log })
  }

  *listPlaced<K extends KindName>(
    kind: K,
    { offset = 0, limit, after }: PlaceRange = {},
  ): Iterable<Placed<Objects[K]>> {
    const head = this.#findHead(this.log)
    if (limit === 0 || head === undefined) return
    const all = objectRange(head.number, kind)
    const range = after === undefined ? all : { ...all, start: objectKey(head.number, kind, after + 1) }
    for (const { key, content } of this.#tables.objects(kind).range({ ...range, ...withLimit({ offset }, limit) }))
      yield { place: readObjectPlace(key), object: asObject<K>(JSON.parse(content)) }
  }

  *by<I extends IndexName>(index: I, value: string, range: Range = {}): Iterable<Objects[KindOfIndex<I>]> {
    for (const { object } of this.byPlaced(index, value, range)) yield object
  }

  *byPlaced<I extends IndexName>(
    index: I,
    value: string,
    range: PlaceRange = {},
  ): Iterable<Placed<Objects[KindOfIndex<I>]>> {
    if (this.#head === undefined || range.limit === 0 || !isStorable(value)) return
    const key = indexKey(this.#head.number, index, value)
    const kind: KindOfIndex<I> = INDEXES[index].kind
    const values = index in REFERENCES ? undefined : (INDEXES[index].values as (object: unknown) => readonly string[])
    const { indexes } = this.#tables
    const hidden = this.#hidden(kind)
    const places =
      hidden === undefined ? indexes.values(key, range) : valuesWithout(indexes, key, range, hidden, values === every)
    for (const place of places) {
      const object = this.#at(kind, place)
      if (object === undefined || values?.(object).includes(value) === false) throw this.#misled(kind, `index ${index}`)
      yield { place, object }
    }
  }

  countBy(index: IndexName, value: string): number {
    if (this.#head === undefined || !isStorable(value)) return 0
    const key = indexKey(this.#head.number, index, value)
    const { indexes } = this.#tables
    const count = indexes.count(key)
    const hidden = this.#hidden(INDEXES[index].kind)
    if (hidden === undefined || count === 0) return count
    return count - (INDEXES[index].values === every ? hidden.length : countCommon(indexes, key, count, hidden))
  }

  without(kind: KindName, places: Places): StoredView {
    const view = new LmdbView(this.#tables, this.#findHead, this.log, this.#rows)
    if (places.length > 0) view.#leftOut = { kind, places }
    return view
  }

  /** Places of a kind that indexes and numbers leave out. */
  #hidden(kind: KindName): Places | undefined {
    return this.#leftOut?.kind === kind ? this.#leftOut.places : undefined
  }

  placesIn(span: Span, { offset, limit, after }: Range & { readonly after?: SpanPlace } = {}): number[] {
    if (this.#head === undefined || limit === 0) return []
    const { indexes } = this.#tables
    const { number } = this.#head
    if (after === undefined) {
      const bounds = withLimit(offset === undefined ? {} : { offset }, limit)
      return Array.from(indexes.rows({ ...spanRange(number, span), ...bounds }), ({ place }) => place)
    }
    // the rest of that instant, then the later ones
    const same = indexKey(number, span.index, (span.prefix ?? '') + instantValue(after.at))
    const first = [...indexes.values(same, withLimit({ after: after.place }, limit))]
    const left = limit === undefined ? {} : { limit: limit - first.length }
    if (left.limit === 0) return first
    const rows = indexes.rows({ ...spanRange(number, { ...span, from: after.at + 1 }), ...left })
    return [...first, ...Array.from(rows, ({ place }) => place)]
  }

  countIn(span: Span): number {
    return this.#head === undefined ? 0 : this.#tables.indexes.countIn(spanRange(this.#head.number, span))
  }

  placesUnder(values: ValueRange, { limit }: Pick<Range, 'limit'> = {}): number[] {
    if (this.#head === undefined || limit === 0) return []
    const rows = this.#tables.indexes.rows({ ...valueRange(this.#head.number, values), ...withLimit({}, limit) })
    return Array.from(rows, ({ place }) => place)
  }

  countUnder(values: ValueRange, limit?: number): number {
    if (this.#head === undefined) return 0
    return this.#tables.indexes.countIn({ ...valueRange(this.#head.number, values), ...withLimit({}, limit) })
  }

  walk<K extends KindName>(kind: K, values: ValueRange): Walk<Objects[K]> {
    const { head, transaction } = this.#stay()
    return new IndexWalk(this.#tables, head, kind, { range: valueRange(head.number, values), transaction })
  }

  at<K extends KindName>(kind: K, place: number): Objects[K] | undefined {
    if (this.#head === undefined) return undefined
    const content = this.#tables.objects(kind).get(objectKey(this.#head.number, kind, place))
    return content === undefined ? undefined : asObject<K>(JSON.parse(content))
  }

  findPlace(kind: KindName, key: string): number | undefined {
    if (this.#head === undefined || !isStorable(key)) return undefined
    return this.#tables.keys.get(nameKey(this.#head.number, kind, key))
  }

  tenantRoles(user: string): readonly TenantRole[] {
    if (this.#head === undefined || !isStorable(user)) return []
    return listTenantRoles(this.#tables, this.#head.number, user)
  }

  other(log: LogId): View {
    const view = new LmdbView(this.#tables, this.#findHead, log)
    if (view.#head === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: log })
    return view
  }

  /**
   * Begins the check that all objects of a kind are there. The head is read now, in the same transaction as the
   * objects.
   */
  #beginProof(kind: KindName): Proof | undefined {
    const head = this.#findHead(this.log)
    return head && { head, range: objectRange(head.number, kind), digest: new Digest() }
  }

  /** @throws DATA_DAMAGED when the objects read differ from count or digest in the head */
  #require({ head, digest }: Proof, kind: KindName): void {
    const expected = head.counts[kind] ?? 0
    if (head.leaving !== undefined || (digest.count === expected && digest.equals(head.sums[kind] ?? NO_SUM))) return
    const reason = otherRecords(kind.replaceAll('_', ' '), digest.count, expected)
    throw new ZerohopError('DATA_DAMAGED', { what: nameOfLog(this.log, head), reason })
  }

  #byId<K extends KindName>(kind: K, ref: string): Objects[K] | undefined {
    if (this.#head === undefined || ref.length < 32) return undefined
    const id = parseId(ref)
    if (id === undefined) return undefined
    const object = this.#at(kind, this.#tables.ids.get(idKey(this.#head.number, kind, id)))
    if (object !== undefined && object.id !== id) throw this.#misled(kind, `id ${id}`)
    return object
  }

  /** @throws DATA_DAMAGED when an entry leads to a place without an object */
  #at<K extends KindName>(kind: K, place: number | undefined): Objects[K] | undefined {
    if (place === undefined || this.#head === undefined) return undefined
    const at = objectKey(this.#head.number, kind, place)
    const table = this.#tables.objects(kind)
    const entry = table.entry(at)
    if (entry === undefined) throw table.damaged(at, 'is missing')
    const object = asObject<K>(JSON.parse(entry.content))
    this.#rows?.add(kind, { object, at, crc: entry.crc, isTaken: false }, entry.content.length)
    return object
  }

  #misled(kind: KindName, by: string): ZerohopError {
    const what = nameOfLog(this.log, this.#head ?? { counts: {} })
    return new ZerohopError('DATA_DAMAGED', { what, reason: `${by} leads to another ${kind.replaceAll('_', ' ')}` })
  }
}

function spanRange(number: number, { index, prefix = '', from, to }: Span): { start: Buffer; end: Buffer } {
  const at = (ms: number) => indexKey(number, index, prefix + instantValue(ms))
  return { start: at(from), end: at(to) }
}

const valueRange = (number: number, { index, from, to }: ValueRange): { start: Buffer; end: Buffer } => ({
  start: indexKey(number, index, from),
  end: indexKey(number, index, to),
})

// Only state.apply writes objects, each under its own kind.
function asObject<K extends KindName>(value: unknown): Objects[K] {
  return value as Objects[K]
}

function withLimit<T extends object>(options: T, limit: number | undefined): T & { limit?: number } {
  return limit === undefined ? options : { ...options, limit }
}
