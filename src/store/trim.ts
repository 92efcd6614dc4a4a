// Trims logs, and removes the records of deleted environments. An entry first loses its changes, after which no one can
// follow from there; later the whole entry is removed. No state is touched except that of deleted environments. Runs in
// the writer thread, a bounded step in each transaction, between the batches of writes.
import type { LogId, Position } from '../log/change.ts'
import { isZerohopError } from '../model/errors.ts'
import { RETENTION_ROWS_PER_STEP } from '../model/limits.ts'
import type { Entry } from './checked-table.ts'
import type { Head } from './heads.ts'
import { putEntry, stripEntry, timeOfEntry } from './log.ts'
import { logRange, revisionKey } from './table-keys.ts'
import type { Tables } from './tables.ts'

/** How much of a log is kept: entries over either bound are removed. */
export interface Keep {
  readonly revisions: number
  readonly ms: number
}

export interface Retention {
  /** ms since 1970: what age is measured from */
  readonly now: number
  /** how long entries keep their changes, for followers */
  readonly deltas: Keep
  /** how long entries are kept at all, for history */
  readonly history: Keep
  /**
   * revisions after which the deltas of a log are kept in any case: a follower may be loading the image of that
   * revision
   */
  readonly floors?: ReadonlyMap<LogId, number>
  /** of replicas: how far back the record keeps snapshots, and the changes after the oldest of them */
  readonly past?: Keep
  /** deleted environments: their state is removed */
  readonly deleted: readonly LogId[]
  /** deleted environments whose history has expired too: everything is removed */
  readonly forgotten: readonly LogId[]
  /** of replicas: why those are to be removed from the record */
  readonly deletions?: readonly Deletion[]
}

/** The log of an organization says that one of its environments is deleted, and for so long that it can go. */
export interface Deletion {
  readonly log: LogId
  /** log of the organization */
  readonly control: LogId
  /** where that stands: the deletion is on record when this position is */
  readonly position: Position
  readonly deletedAt: number
  readonly keepMs: number
}

export interface Trimmed {
  /** rows removed or shortened */
  readonly rows: number
  /** logs that were removed entirely */
  readonly gone: readonly LogId[]
  /** whether there is more to do now */
  readonly more: boolean
}

/** How the writer reads and keeps heads. */
export interface Heads {
  get(log: LogId): Head | undefined
  set(log: LogId, head: Head | undefined): void
}

/** One step, inside the caller's transaction. */
export function trim(tables: Tables, heads: Heads, logs: Iterable<LogId>, retention: Retention): Trimmed {
  const step = new Step(tables, retention)
  const gone: LogId[] = []
  for (const log of logs) {
    const head = heads.get(log)
    if (head === undefined) continue
    const after = step.trimLog(head, retention.floors?.get(log))
    const isForgotten = retention.forgotten.includes(log)
    let left: Head | undefined = isForgotten || retention.deleted.includes(log) ? step.clear(after) : after
    if (isForgotten && left.leaving !== 'objects') left = step.forget(left)
    if (left === undefined) gone.push(log)
    if (left !== head) heads.set(log, left)
    if (step.isSpent) break
  }
  return { rows: step.rows, gone, more: step.isSpent }
}

class Step {
  rows = 0
  readonly #tables: Tables
  readonly #retention: Retention

  constructor(tables: Tables, retention: Retention) {
    this.#tables = tables
    this.#retention = retention
  }

  get isSpent(): boolean {
    return this.rows >= RETENTION_ROWS_PER_STEP
  }

  /** `floor` is the revision after which deltas are kept, whatever their age. */
  trimLog(head: Head, floor = Number.POSITIVE_INFINITY): Head {
    if (head.leaving === 'everything') return head
    const { deltas, history } = this.#retention
    const end = Math.min(head.revision, floor + 1)
    const stripped = this.#advance(head, head.deltasFrom ?? 1, end, deltas, stripEntry)
    const removed = this.#advance(stripped.head, head.historyFrom ?? 1, end, history, () => undefined)
    const [deltasFrom, historyFrom] = [stripped.from, removed.from]
    if (deltasFrom === (head.deltasFrom ?? 1) && historyFrom === (head.historyFrom ?? 1)) return head
    return { ...removed.head, deltasFrom: Math.max(deltasFrom, historyFrom), historyFrom }
  }

  /**
   * Replaces expired entries by the result of `pass`. The last one is always kept, because the next one continues its
   * chain. At a damaged entry it stops: what was not read is not thrown away.
   */
  #advance(
    head: Head,
    from: number,
    end: number,
    keep: Keep,
    pass: (entry: Uint8Array) => Uint8Array | undefined,
  ): { readonly head: Head; readonly from: number } {
    let moved = head
    let revision = from
    for (; revision < end && !this.isSpent; revision++) {
      const entry = this.#entry(head.number, revision)
      if (entry === undefined) break
      const isKept = revision > head.revision - keep.revisions
      if (isKept && timeOfEntry(entry.content) >= this.#retention.now - keep.ms) break
      moved = putEntry(this.#tables, moved, revision, entry.crc, pass(entry.content))
      this.rows++
    }
    return { head: moved, from: revision }
  }

  /** Undefined when it is missing or damaged. */
  #entry(number: number, revision: number): Entry<Uint8Array> | undefined {
    try {
      return this.#tables.log.entry(revisionKey(number, revision))
    } catch (error) {
      if (isZerohopError(error, 'DATA_DAMAGED')) return undefined
      throw error
    }
  }

  /**
   * Removes the state, some rows at a time: first what leads to objects, then the objects. Reads no record, so that
   * damage does not stop it.
   */
  clear(head: Head): Head {
    const { start, end } = logRange(head.number)
    const { search, indexes, ids, keys, objectTables } = this.#tables
    for (const table of [search, indexes, ids, keys, ...objectTables]) {
      const limit = RETENTION_ROWS_PER_STEP - this.rows
      const found = limit <= 0 ? [] : [...table.keys({ start, end, limit })]
      for (const key of found) table.remove(key)
      this.rows += found.length
      if (found.length >= limit) return { ...head, leaving: head.leaving ?? 'objects' }
    }
    if (Object.keys(head.counts).length === 0 && head.leaving !== 'objects') return head
    const { leaving: _, image: _image, ...rest } = head
    return { ...rest, counts: {}, sums: {} }
  }

  /** Removes the log and its head, once its state is gone. Undefined when nothing is left. */
  forget(head: Head): Head | undefined {
    const limit = RETENTION_ROWS_PER_STEP - this.rows
    if (limit <= 0) return head
    const range = { start: revisionKey(head.number, 0), end: revisionKey(head.number + 1, 0), limit }
    const found = [...this.#tables.log.keys(range)]
    for (const key of found) this.#tables.log.remove(key)
    this.rows += found.length
    return this.isSpent ? { ...head, leaving: 'everything' } : undefined
  }
}
