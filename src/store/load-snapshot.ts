// Loads the state of a log from a snapshot: the objects as they are, then the entries that led to them, so that
// followers and history find what they need. It is done in several transactions; the head comes last, and what an
// interrupted load left behind is removed by the next one. Runs where the tables are written.

import { NO_SIZE, plus } from '../kernel/image-bytes.ts'
import type { KindName, Objects } from '../kinds/index.ts'
import { KIND_NAMES } from '../kinds/index.ts'
import type { LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { RETENTION_ROWS_PER_STEP } from '../model/limits.ts'
import { Digest, NO_SUM } from './checksum.ts'
import type { Head } from './heads.ts'
import { sizeOfObject } from './image-budget.ts'
import { chainAfter, type EncodedEntry, putEntry } from './log.ts'
import { SearchEdits } from './search-texts.ts'
import { link } from './state.ts'
import { logRange, nameKey, objectKey, objectRange, readObjectPlace } from './table-keys.ts'
import type { Tables } from './tables.ts'

/** An object with its place in the creation order. */
export interface PlacedObject {
  readonly kind: KindName
  readonly place: number
  /** the text that is stored */
  readonly json: string
}

/** What is known of a state apart from its objects. */
export interface SnapshotPosition {
  readonly revision: number
  readonly chain: string
  /** place in the creation order of the next new object */
  readonly next: number
  /** first revision on record whose entry has its changes, when the snapshot was written */
  readonly deltasFrom: number
}

/**
 * Every object of a log, in the order in which a snapshot is loaded: users come before their assignments.
 * @throws DATA_DAMAGED when there are others than the head says
 */
export function* eachPlacedObject(tables: Tables, head: Head): Generator<PlacedObject> {
  if (head.leaving !== undefined) return // of a deleted environment: no one will read them
  for (const kind of KIND_NAMES) {
    const digest = new Digest()
    const table = tables.objects(kind)
    for (const { key, content, crc } of table.range(objectRange(head.number, kind))) {
      digest.add(key, crc)
      yield { kind, place: readObjectPlace(key), json: content }
    }
    const expected = head.counts[kind] ?? 0
    if (digest.count !== expected || !digest.equals(head.sums[kind] ?? NO_SUM))
      throw table.damagedWhole(digest.count, expected)
  }
}

export class SnapshotLoad {
  readonly #tables: Tables
  readonly #log: LogId
  readonly #counts: Partial<Record<KindName, number>> = {}
  readonly #digests = new Map<KindName, Digest>()
  #image = NO_SIZE
  /** has the number of the log, and the digest of the entries so far */
  #head: Head
  #first: number | undefined
  #last = 0
  /** chain of the entry before the next one; undefined where that is not on record */
  #chain: string | undefined

  constructor(tables: Tables, log: LogId, { number, lineage }: Pick<Head, 'number' | 'lineage'>) {
    this.#tables = tables
    this.#log = log
    this.#head = { number, lineage, revision: 0, chain: lineage, next: 1, counts: {}, sums: {}, log: NO_SUM }
  }

  /** Removes what an interrupted load left behind. */
  clear(): void {
    const { root, objectTables, keys, ids, indexes, search, log } = this.#tables
    const range = { ...logRange(this.#head.number), limit: RETENTION_ROWS_PER_STEP }
    for (const table of [search, indexes, ids, keys, ...objectTables, log]) {
      for (let found = [...table.keys(range)]; found.length > 0; found = [...table.keys(range)]) {
        root.transactionSync(() => {
          for (const key of found) table.remove(key)
        })
      }
    }
  }

  /** Writes objects, in one transaction. */
  objects(objects: Iterable<PlacedObject>): void {
    const tables = this.#tables
    const { number } = this.#head
    const search = new SearchEdits(tables.search)
    tables.root.transactionSync(() => {
      for (const { kind, place, json } of objects) {
        const at = objectKey(number, kind, place)
        const object = JSON.parse(json) as Objects[KindName]
        tables.keys.put(nameKey(number, kind, object.key), readObjectPlace(at))
        const digest = this.#digests.get(kind) ?? new Digest()
        this.#digests.set(kind, digest)
        digest.add(at, tables.objects(kind).put(at, json))
        link(tables, this.#log, number, kind, object, readObjectPlace(at), search)
        this.#counts[kind] = (this.#counts[kind] ?? 0) + 1
        this.#image = plus(this.#image, sizeOfObject(kind, object))
      }
      search.flush()
    })
  }

  /**
   * Writes entries that led to the state, in one transaction; all entries on record come here, in order.
   * @throws HISTORY_LOST when one does not follow the one before it
   */
  entries(entries: readonly EncodedEntry[], deltasFrom: number): void {
    this.#tables.root.transactionSync(() => {
      for (const { revision, chain, bytes } of entries) {
        if (this.#first === undefined) this.#chain = revision === 1 ? this.#head.lineage : undefined
        else if (revision !== this.#last + 1) throw this.#lost(revision)
        const isWhole = revision >= deltasFrom
        if (isWhole && this.#chain !== undefined && chainAfter(this.#chain, bytes) !== chain) throw this.#lost(revision)
        this.#first ??= revision
        this.#last = revision
        this.#chain = chain
        this.#head = putEntry(this.#tables, this.#head, revision, undefined, bytes)
      }
    })
  }

  /**
   * The head of what was loaded. @throws HISTORY_LOST when the entries do not lead to the position of the snapshot
   */
  head({ revision, chain, next, deltasFrom }: SnapshotPosition): Head {
    const historyFrom = this.#first ?? revision + 1
    if (this.#first !== undefined && (this.#last !== revision || this.#chain !== chain)) throw this.#lost(revision)
    const from = Math.max(deltasFrom, historyFrom)
    const sums = Object.fromEntries([...this.#digests].map(([kind, digest]) => [kind, digest.sum]))
    return {
      ...this.#head,
      revision,
      chain,
      ...(from === 1 ? {} : { deltasFrom: from }),
      ...(historyFrom === 1 ? {} : { historyFrom }),
      next,
      counts: this.#counts,
      sums,
      image: { ...this.#image, at: revision },
    }
  }

  #lost(got: number): ZerohopError {
    return new ZerohopError('HISTORY_LOST', { log: this.#log, have: this.#last, got })
  }
}
