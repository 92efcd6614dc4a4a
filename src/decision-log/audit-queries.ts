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
  readonly offset: number
  readonly rows: number
}

export interface AuditPage {
  readonly rows: readonly AuditRecord[]
  /** matching records among those that can be paged to */
  readonly total: number
  /** how many rows can be paged to */
  readonly reachable: number
}

/** One page. @throws PAGE_TOO_DEEP */
export async function readAudit(audit: ReadLog, query: AuditQuery): Promise<AuditPage> {
  const { environment, since, until, fits, groups, offset, rows } = query
  if (offset + rows > AUDIT_SCAN_MAX && offset > 0) throw new ZerohopError('PAGE_TOO_DEEP', { most: AUDIT_SCAN_MAX })
  const range = { since: since ?? 0, before: until === undefined ? 2 ** 48 : until + 1 }
  if (fits === undefined && since === undefined && until === undefined) {
    const total = await audit.count(environment)
    const page = await audit.list(environment, { ...range, skip: offset, limit: rows })
    return { rows: page, total, reachable: Math.min(total, AUDIT_SCAN_MAX) }
  }
  const ids = groups === undefined || groups.length === 0 ? undefined : await findMatching(audit, query, groups, range)
  if (ids !== undefined) {
    const page = await audit.records(environment, ids.slice(offset, offset + rows))
    const sure = fits === undefined ? page : page.filter(fits) // two values may have the same hash
    return { rows: sure, total: ids.length, reachable: ids.length }
  }
  return look(audit, query, range)
}

type ReadLog = Pick<AuditLog, 'list' | 'count' | 'match' | 'records'>

interface Times {
  readonly since: number
  readonly before: number
}

/** The ids of what fits, as many as can be paged to; undefined while the index does not have all records. */
async function findMatching(
  audit: ReadLog,
  { environment }: AuditQuery,
  groups: TermGroups,
  range: Times,
): Promise<string[] | undefined> {
  const ids: string[] = []
  let after: string | undefined
  for (let turn = 0; turn < AUDIT_INDEX_TURNS_MAX && ids.length < AUDIT_SCAN_MAX; turn++) {
    await setImmediate()
    const limit = AUDIT_SCAN_MAX - ids.length
    const found = await audit.match(environment, groups, { ...range, ...(after === undefined ? {} : { after }), limit })
    if (found === undefined) return undefined
    for (const id of found.ids) ids.push(id)
    if (found.next === undefined) break
    after = found.next
  }
  return ids
}

/** Looks through the newest records. */
async function look(audit: ReadLog, query: AuditQuery, range: Times): Promise<AuditPage> {
  const { environment, fits, offset, rows } = query
  const page: AuditRecord[] = []
  let total = 0
  let after: string | undefined // a place among those that come meanwhile would move
  for (let seen = 0; seen < AUDIT_SCAN_MAX; seen += HISTORY_ROWS_PER_TURN) {
    await setImmediate()
    const limit = HISTORY_ROWS_PER_TURN
    const some = await audit.list(environment, { ...range, ...(after === undefined ? {} : { after }), limit })
    for (const record of some) {
      if (fits !== undefined && !fits(record)) continue
      if (total >= offset && page.length < rows) page.push(record)
      total++
    }
    if (some.length < HISTORY_ROWS_PER_TURN) break
    after = some.at(-1)?.id
  }
  return { rows: page, total, reachable: total }
}
