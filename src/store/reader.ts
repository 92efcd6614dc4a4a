// A second reader of a data folder that this process already has open: for a worker thread that reads a lot. It never
// writes, and it sees one consistent durable state as long as the caller stays within one turn of the event loop.
import type { HistoryEntry, LogEntry, LogId, Position } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import type { Head } from './heads.ts'
import { LmdbView } from './lmdb-view.ts'
import { eachPlacedObject, type PlacedObject } from './load-snapshot.ts'
import { readEntries, readHistory } from './log.ts'
import { openTables } from './tables.ts'
import type { View } from './view.ts'

export interface Reader {
  /** every organization and environment known, the oldest first */
  logs(): LogId[]
  /** The last durable state of a log. @throws OBJECT_NOT_FOUND */
  view(log: LogId): View
  /** The next view shows all that is durable now. */
  refresh(): void
  /** Where a log stands, with every object of it. @throws OBJECT_NOT_FOUND */
  state(log: LogId): LogState
  /** As `Store.entries`. @throws OBJECT_NOT_FOUND */
  entries(log: LogId, after: number, limit?: number): LogEntry[]
  /** As `Store.history`. @throws OBJECT_NOT_FOUND */
  history(log: LogId, before: number, limit: number): HistoryEntry[]
  close(): Promise<void>
}

/** The state of a log at one moment; its objects are read as they are asked for, within the same turn. */
export interface LogState {
  readonly head: Position
  /** first revision whose entry has its changes */
  readonly changesFrom: number
  readonly objects: Iterable<PlacedObject>
}

/** Opens a folder that a store of this process holds. */
export function openReader(folder: string): Reader {
  const tables = openTables(folder, 'read')
  const require = (log: LogId): Head => {
    const head = tables.heads.get(log)
    if (head === undefined) throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: log })
    return head
  }
  return {
    logs: () => tables.heads.all().map(([log]) => log),
    view: (log) => {
      require(log)
      return new LmdbView(tables, (id) => tables.heads.get(id), log)
    },
    refresh: () => void tables.root.resetReadTxn(),
    state: (log) => {
      const head = require(log)
      const { revision, chain, deltasFrom = 1 } = head
      return { head: { revision, chain }, changesFrom: deltasFrom, objects: eachPlacedObject(tables, head) }
    },
    entries: (log, after, limit) => readEntries(tables, require(log), after, limit),
    history: (log, before, limit) => readHistory(tables, require(log), before, limit),
    close: () => tables.root.close(),
  }
}
