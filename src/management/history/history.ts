// The history over several logs, the newest entry first: log entries without their changes. One request reads a bounded
// number of entries, a few in each turn of the event loop.
//
// A page that goes on behind another one begins in each log where that one ended there. Over more logs than a position
// names, the others go on by time: behind the newest entry that comes after the last one shown. What several logs wrote at
// once has a fixed order, that of the logs.
import { setImmediate } from 'node:timers/promises'
import type { HistoryEntry, LogId } from '../../log/change.ts'
import { HISTORY_POSITION_LOGS_MAX, HISTORY_ROWS_PER_TURN, HISTORY_SCAN_MAX } from '../../model/limits.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'

type Logs = Pick<Store<UseCases>, 'head' | 'history' | 'historyCount'>

/** Where a page ended: the time and the log of its last entry, and the revision before which each log goes on. */
export type HistoryPlace = readonly [
  at: number,
  last: LogId,
  before: readonly (readonly [log: string, revision: number])[],
]

export interface HistoryPage {
  readonly rows: readonly HistoryEntry[]
  /** matching entries among those that can be paged to */
  readonly total: number
  /** how many rows can be paged to by their number */
  readonly reachable: number
  /** where the next page begins; undefined on the last one */
  readonly next?: HistoryPlace
  /** the total was counted one by one */
  readonly isCounted?: boolean
}

export interface HistoryQuery {
  readonly logs: readonly LogId[]
  /** the log that comes first where several were written at once; the others follow by their ids */
  readonly leading?: LogId
  /** undefined when every entry matches */
  readonly fits: ((entry: HistoryEntry) => boolean) | undefined
  /** ms since 1970; entries before it end the search */
  readonly since?: number
  readonly page: AskedRows
}

/** The rows that are asked for. */
interface AskedRows {
  readonly offset: number
  readonly rows: number
  /** a `HistoryPlace` */
  readonly after?: unknown
  /** what an earlier page counted */
  readonly total?: number
}

/** One page of the entries of all the logs, by time. */
export async function readHistory(
  store: Logs,
  { logs, leading, fits, since, page }: HistoryQuery,
): Promise<HistoryPage> {
  const { offset, rows, total: known } = page
  const after = page.after as HistoryPlace | undefined // as `next` of another page was
  const isFiltered = fits !== undefined || since !== undefined
  const isCounting = isFiltered && known === undefined
  const compare = (one: LogId, other: LogId): number =>
    one === leading ? -1 : other === leading ? 1 : one < other ? -1 : 1
  const cursors = [...logs].sort(compare).map((log) => new Cursor(store, log, compare, after))
  const found: HistoryEntry[] = []
  let total = 0
  let next: HistoryPlace | undefined
  let isMore = false
  let seen = 0
  for (; seen < HISTORY_SCAN_MAX; seen++) {
    if (seen % HISTORY_ROWS_PER_TURN === 0) await setImmediate()
    const cursor = newest(cursors)
    if (cursor === undefined || (since !== undefined && cursor.next!.at < since)) break
    // of what is not counted, whether it fits is for the next page to say
    isMore ||= found.length === rows && (!isCounting || fits === undefined || fits(cursor.next!))
    if (isMore && !isCounting) break
    const entry = cursor.take()!
    if (fits !== undefined && !fits(entry)) continue
    if (total >= offset && found.length < rows) {
      found.push(entry)
      if (found.length === rows) next = findPlace(cursors, cursor, entry.at)
    }
    total++
  }
  // one request looks at so many: the next one goes on where it ended
  const left = seen < HISTORY_SCAN_MAX ? undefined : newest(cursors)
  if (left !== undefined && (found.length > 0 || offset === 0)) {
    isMore = since === undefined || left.next!.at >= since
    if (found.length < rows) next = findPlace(cursors, left, left.next!.at)
  }
  const end = { ...(isMore && next !== undefined ? { next } : {}), ...(isFiltered ? { isCounted: true } : {}) }
  if (isFiltered) return { rows: found, total: known ?? total, reachable: known ?? total, ...end }
  const all = logs.reduce((sum, log) => sum + store.historyCount(log), 0)
  return { rows: found, total: all, reachable: Math.min(all, HISTORY_SCAN_MAX), ...end }
}

/** Digits of the id of a log by which a position names it. */
const NAME_DIGITS = 12
const formatLog = (log: LogId): string => log.slice(-NAME_DIGITS)

/** Where all the logs stand: that of the last entry and those with the newest ones by their revision. */
function findPlace(cursors: readonly Cursor[], last: Cursor, at: number): HistoryPlace {
  const others = cursors.filter((cursor) => cursor !== last)
  if (others.length >= HISTORY_POSITION_LOGS_MAX)
    others.sort((one, other) => (other.next?.at ?? 0) - (one.next?.at ?? 0)).splice(HISTORY_POSITION_LOGS_MAX - 1)
  return [at, last.log, [last, ...others].map((cursor) => [formatLog(cursor.log), cursor.before])]
}

/** The log with the newest entry; where several were written at once, the first one. */
function newest(cursors: readonly Cursor[]): Cursor | undefined {
  let first: Cursor | undefined
  for (const cursor of cursors) if ((cursor.next?.at ?? -1) > (first?.next?.at ?? -1)) first = cursor
  return first
}

/** Which of two logs comes first where both were written at once. */
type Compare = (one: LogId, other: LogId) => number

/** Reads one log backwards, a few entries ahead. */
class Cursor {
  readonly log: LogId
  readonly #store: Logs
  #before: number
  #ahead: HistoryEntry[] = []
  #wanted = 1

  constructor(store: Logs, log: LogId, compare: Compare, after: HistoryPlace | undefined) {
    this.#store = store
    this.log = log
    this.#before = after === undefined ? store.head(log).revision + 1 : findBefore(store, log, compare, after)
    this.#fill()
  }

  /** the revision before which the log goes on */
  get before(): number {
    return this.#ahead[0] === undefined ? 1 : this.#ahead[0].revision + 1
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
    this.#ahead = this.#store.history(this.log, this.#before, this.#wanted)
    this.#wanted = Math.min(100, this.#wanted * 4)
    this.#before = this.#ahead.at(-1)?.revision ?? 0
  }
}

/** The revision before which a log goes on: that of the position, or the one behind its last entry that comes after it. */
function findBefore(store: Logs, log: LogId, compare: Compare, [at, last, places]: HistoryPlace): number {
  const named = places.find(([name]) => name === formatLog(log))
  if (named !== undefined) return named[1]
  // what was written at the same time was shown if its log comes first
  const newest = compare(log, last) < 0 ? at - 1 : at
  let [low, high] = [0, store.head(log).revision]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const [entry] = store.history(log, middle + 1, 1)
    // what history no longer has is older
    if (entry === undefined || entry.at <= newest) low = middle
    else high = middle - 1
  }
  return low + 1
}
