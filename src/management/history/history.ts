// The history over several logs, the newest entry first: log entries without their changes. One request reads a bounded
// number of entries, a few in each turn of the event loop.
import { setImmediate } from 'node:timers/promises'
import type { HistoryEntry, LogId } from '../../log/change.ts'
import { HISTORY_ROWS_PER_TURN, HISTORY_SCAN_MAX } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'

type Logs = Pick<Store<UseCases>, 'head' | 'history' | 'historyCount'>

export interface HistoryPage {
  readonly rows: readonly HistoryEntry[]
  /** matching entries among those that can be paged to */
  readonly total: number
  /** how many rows can be paged to */
  readonly reachable: number
}

export interface HistoryQuery {
  readonly logs: readonly LogId[]
  /** undefined when every entry matches */
  readonly fits: ((entry: HistoryEntry) => boolean) | undefined
  /** ms since 1970; entries before it end the search */
  readonly since?: number
  readonly offset: number
  readonly rows: number
}

/** One page of the entries of all the logs, by time. */
export async function readHistory(
  store: Logs,
  { logs, fits, since, offset, rows }: HistoryQuery,
): Promise<HistoryPage> {
  const cursors = logs.map((log) => new Cursor(store, log))
  const page: HistoryEntry[] = []
  let total = 0
  for (let seen = 0; seen < HISTORY_SCAN_MAX; seen++) {
    if (seen % HISTORY_ROWS_PER_TURN === 0) await setImmediate()
    const entry = newest(cursors)
    if (entry === undefined || (since !== undefined && entry.at < since)) break
    if (fits !== undefined && !fits(entry)) continue
    if (total >= offset && page.length < rows) page.push(entry)
    total++
    if (fits === undefined && since === undefined && page.length === rows) break
  }
  if (fits !== undefined || since !== undefined) return { rows: page, total, reachable: total }
  const all = logs.reduce((sum, log) => sum + store.historyCount(log), 0)
  return { rows: page, total: all, reachable: Math.min(all, HISTORY_SCAN_MAX) }
}

/** Removes and returns the newest entry of all logs. */
function newest(cursors: readonly Cursor[]): HistoryEntry | undefined {
  let first: Cursor | undefined
  for (const cursor of cursors) if ((cursor.next?.at ?? -1) > (first?.next?.at ?? -1)) first = cursor
  return first?.take()
}

/** Reads one log backwards, a few entries ahead. */
class Cursor {
  readonly #store: Logs
  readonly #log: LogId
  #before: number
  #ahead: HistoryEntry[] = []
  #wanted = 1

  constructor(store: Logs, log: LogId) {
    this.#store = store
    this.#log = log
    this.#before = store.head(log).revision + 1
    this.#fill()
  }

  get next(): HistoryEntry | undefined {
    return this.#ahead[0]
  }

  take(): HistoryEntry | undefined {
    const entry = this.#ahead.shift()
    if (this.#ahead.length === 0) this.#fill()
    return entry
  }

  #fill(): void {
    this.#ahead = this.#store.history(this.#log, this.#before, this.#wanted)
    this.#wanted = Math.min(100, this.#wanted * 4)
    this.#before = this.#ahead.at(-1)?.revision ?? 0
  }
}
