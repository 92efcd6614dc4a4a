// What the log forgets, and the room that deleted environments leave. First an entry loses its changes, so that nobody can follow from there
// any more; later it goes altogether. State is never touched but that of an environment that is deleted. Runs in the writer thread, a bounded
// step in each transaction, between the batches of writes.
import type { LogId } from '../log/change.ts'
import { RETENTION_ROWS_PER_STEP } from '../model/limits.ts'
import { revisionKey } from './encode.ts'
import { stripEntry, timeOfEntry } from './log.ts'
import type { Head, Tables } from './tables.ts'

/** How much of a log is kept: whatever is over either bound goes. */
export interface Keep {
  readonly revisions: number
  readonly ms: number
}

export interface Retention {
  /** ms since 1970: what age is measured from */
  readonly now: number
  /** entries with their changes, for followers */
  readonly deltas: Keep
  /** entries at all, for history */
  readonly history: Keep
  /** logs whose deltas after a revision are kept in any case: a follower may just be loading the image there */
  readonly floors?: ReadonlyMap<LogId, number>
  /** environments that are deleted: their state goes */
  readonly deleted: readonly LogId[]
  /** environments whose history has ended too: everything goes */
  readonly forgotten: readonly LogId[]
}

export interface Trimmed {
  /** rows that went or shrank */
  readonly rows: number
  /** logs that are gone */
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
    const cleared = retention.deleted.includes(log) || retention.forgotten.includes(log) ? step.clear(after) : after
    if (retention.forgotten.includes(log) && step.forget(cleared)) {
      heads.set(log, undefined)
      gone.push(log)
    } else if (cleared !== head) heads.set(log, cleared)
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
    const { deltas, history } = this.#retention
    const strip = (key: Buffer, value: Uint8Array): void => void this.#tables.log.put(key, stripEntry(value))
    const remove = (key: Buffer): void => void this.#tables.log.remove(key)
    const end = Math.min(head.revision, floor + 1)
    const deltasFrom = this.#advance(head, head.deltasFrom ?? 1, end, deltas, strip)
    const historyFrom = this.#advance(head, head.historyFrom ?? 1, end, history, remove)
    if (deltasFrom === (head.deltasFrom ?? 1) && historyFrom === (head.historyFrom ?? 1)) return head
    return { ...head, deltasFrom: Math.max(deltasFrom, historyFrom), historyFrom }
  }

  /** Passes over entries that are no longer kept; the last one always is, because the next one continues its chain. */
  #advance(head: Head, from: number, end: number, keep: Keep, pass: (key: Buffer, value: Uint8Array) => void): number {
    let revision = from
    for (; revision < end && !this.isSpent; revision++) {
      const key = revisionKey(head.number, revision)
      const value = this.#tables.log.get(key)
      if (value === undefined) continue
      if (revision > head.revision - keep.revisions && timeOfEntry(value) >= this.#retention.now - keep.ms) break
      pass(key, value)
      this.rows++
    }
    return revision
  }

  /** Removes the state, some rows at a time: first what leads to objects, then the objects. */
  clear(head: Head): Head {
    const [start, end] = [revisionKey(head.number, 0).subarray(0, 4), revisionKey(head.number + 1, 0).subarray(0, 4)]
    const { indexes, ids, keys, objectTables } = this.#tables
    for (const table of [indexes, ids, keys, ...objectTables]) {
      const limit = RETENTION_ROWS_PER_STEP - this.rows
      if (limit <= 0) return head
      const found = [...table.getKeys({ start, end, limit })]
      for (const key of found) table.remove(key)
      this.rows += found.length
    }
    return Object.keys(head.counts).length === 0 ? head : { ...head, counts: {} }
  }

  /** Removes the log and its head, once its state is gone. True when nothing is left. */
  forget(head: Head): boolean {
    if (this.isSpent) return false
    const limit = RETENTION_ROWS_PER_STEP - this.rows
    const range = { start: revisionKey(head.number, 0), end: revisionKey(head.number + 1, 0), limit }
    const found = [...this.#tables.log.getKeys(range)]
    for (const key of found) this.#tables.log.remove(key)
    this.rows += found.length
    return !this.isSpent
  }
}
