// Reads recorded decisions, the newest first, with the filters of the contract: by the index where it has them, else by
// looking through the newest records. One request reads a bounded number of places, a few in each turn of the event
// loop.
import { setImmediate } from 'node:timers/promises'
import { ZerohopError } from '../model/errors.ts'
import { AUDIT_INDEX_TURNS_MAX, AUDIT_SCAN_MAX, HISTORY_ROWS_PER_TURN } from '../model/limits.ts'
import type { AuditLog, AuditRecord } from './audit-log.ts'
import type { TermGroups } from './audit-terms.ts'

export interface AuditQuery {
  readonly environment: string
  /** ms since 1970, both included */
  readonly since: number | undefined
  readonly until: number | undefined
  /** undefined when every record matches */
  readonly fits: ((record: AuditRecord) => boolean) | undefined
  /** the same by terms, for the index; undefined when terms do not say all of it */
  readonly groups: TermGroups | undefined
  readonly page: AskedRows
}

/** The rows that are asked for. */
interface AskedRows {
  readonly offset: number
  readonly rows: number
  /** id of the last record of the page before */
  readonly after?: unknown
  /** what an earlier page counted */
  readonly total?: number
}

export interface AuditPage {
  readonly rows: readonly AuditRecord[]
  /** matching records among those that can be paged to */
  readonly total: number
  /** how many rows can be paged to by their number */
  readonly reachable: number
  /** id of the last record; absent on the last page */
  readonly next?: string
  /** the total was counted one by one */
  readonly isCounted?: boolean
}

/** One page. @throws PAGE_TOO_DEEP */
export async function readAudit(audit: ReadLog, query: AuditQuery): Promise<AuditPage> {
  const { environment, since, until, fits, groups, page } = query
  const { offset, rows } = page
  if (offset + rows > AUDIT_SCAN_MAX && offset > 0) throw new ZerohopError('PAGE_TOO_DEEP', { most: AUDIT_SCAN_MAX })
  const range = {
    since: since ?? 0,
    before: until === undefined ? 2 ** 48 : until + 1,
    ...(page.after === undefined ? {} : { after: String(page.after) }),
  }
  if (fits === undefined && since === undefined && until === undefined) {
    const total = await audit.count(environment)
    const found = await audit.list(environment, { ...range, skip: offset, limit: rows + 1 })
    const shown = found.slice(0, rows)
    const next = found.length > rows ? shown.at(-1)?.id : undefined
    return { rows: shown, total, reachable: Math.min(total, AUDIT_SCAN_MAX), ...(next === undefined ? {} : { next }) }
  }
  if (groups !== undefined && groups.length > 0) {
    const found = await pageOfMatches(audit, query, groups, range)
    if (found !== undefined) return found
  }
  return look(audit, query, range)
}

type ReadLog = Pick<AuditLog, 'list' | 'count' | 'match' | 'records'>

interface Times {
  readonly since: number
  readonly before: number
  readonly after?: string
}

/** One page by the index; undefined while the index does not have all records. */
async function pageOfMatches(
  audit: ReadLog,
  { environment, fits, page }: AuditQuery,
  groups: TermGroups,
  range: Times,
): Promise<AuditPage | undefined> {
  const { offset, rows, total: known } = page
  const found = await findMatching(audit, environment, groups, range, known === undefined ? AUDIT_SCAN_MAX : rows + 1)
  if (found === undefined) return undefined
  const { ids, next: more } = found
  const shown = ids.slice(offset, offset + rows)
  const records = await audit.records(environment, shown)
  const sure = fits === undefined ? records : records.filter(fits) // two values may have the same hash
  // the last one that is shown, also where it was forgotten meanwhile; else where the search ended for now
  const next = ids.length > offset + rows ? shown.at(-1) : more
  const total = known ?? ids.length
  return { rows: sure, total, reachable: total, isCounted: true, ...(next === undefined ? {} : { next }) }
}

/** The ids of what fits, so many at most; undefined while the index does not have all records. */
async function findMatching(
  audit: ReadLog,
  environment: string,
  groups: TermGroups,
  range: Times,
  most: number,
): Promise<{ readonly ids: readonly string[]; readonly next?: string } | undefined> {
  const ids: string[] = []
  let { after } = range
  for (let turn = 0; turn < AUDIT_INDEX_TURNS_MAX && ids.length < most; turn++) {
    await setImmediate()
    const limit = most - ids.length
    const found = await audit.match(environment, groups, { ...range, ...(after === undefined ? {} : { after }), limit })
    if (found === undefined) return undefined
    for (const id of found.ids) ids.push(id)
    if (found.next === undefined) return { ids }
    after = found.next
  }
  return { ids, ...(after === undefined ? {} : { next: after }) }
}

/** Looks through the newest records, or through those behind the page before. */
async function look(audit: ReadLog, query: AuditQuery, range: Times): Promise<AuditPage> {
  const { environment, fits, page } = query
  const { offset, rows, total: known } = page
  const found: AuditRecord[] = []
  let total = 0
  let isMore = false
  let isAtEnd = false
  let { after } = range // a place among those that come meanwhile would move
  search: for (let seen = 0; seen < AUDIT_SCAN_MAX && !isAtEnd; seen += HISTORY_ROWS_PER_TURN) {
    await setImmediate()
    const limit = HISTORY_ROWS_PER_TURN
    const some = await audit.list(environment, { ...range, ...(after === undefined ? {} : { after }), limit })
    for (const record of some) {
      // of what is not counted, whether it fits is for the next page to say
      if (known !== undefined && found.length === rows) break search
      if (fits !== undefined && !fits(record)) continue
      if (found.length === rows) isMore = true
      else if (total >= offset) found.push(record)
      total++
    }
    isAtEnd = some.length < limit
    after = some.at(-1)?.id
  }
  const last = found.length === rows ? found.at(-1)?.id : after
  const next = (isMore || !isAtEnd) && (found.length > 0 || offset === 0) ? last : undefined
  const counts = { total: known ?? total, reachable: known ?? total, isCounted: true }
  return { rows: found, ...counts, ...(next === undefined ? {} : { next }) }
}
