// A second reader of a data folder that this process already has open: for a worker thread that reads a lot. It never
// writes, and it sees one consistent durable state as long as the caller stays within one turn of the event loop.
import type { LogEntry, LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { LmdbView } from './lmdb-view.ts'
import { readEntries } from './log.ts'
import { openTables } from './tables.ts'
import type { View } from './view.ts'

export interface Reader {
  /** every organization and environment known, the oldest first */
  logs(): LogId[]
  /** The last durable state of a log. @throws OBJECT_NOT_FOUND */
  view(log: LogId): View
  /** Entries after a revision, in order; at most LOG_READ_MAX of them. Empty when there are none. */
  entries(log: LogId, after: number, limit?: number): LogEntry[]
  /** The next view shows all that is durable now. */
  refresh(): void
  close(): Promise<void>
}

/** Opens a folder that a store of this process holds. */
export function openReader(folder: string): Reader {
  const tables = openTables(folder, 'read')
  return {
    logs: () => tables.heads.all().map(([log]) => log),
    view: (log) => {
      if (tables.heads.get(log) === undefined)
        throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'environment', ref: log })
      return new LmdbView(tables, (id) => tables.heads.get(id), log)
    },
    entries: (log, after, limit) => {
      const head = tables.heads.get(log)
      return head === undefined ? [] : readEntries(tables, head, after, limit)
    },
    refresh: () => void tables.root.resetReadTxn(),
    close: () => tables.root.close(),
  }
}
