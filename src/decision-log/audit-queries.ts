// Reads recorded decisions, the newest first, with the filters of the contract. One request reads a bounded number of
// records, a few in each turn of the event loop.
import { setImmediate } from 'node:timers/promises'
import { ZerohopError } from '../model/errors.ts'
import { AUDIT_SCAN_MAX, HISTORY_ROWS_PER_TURN } from '../model/limits.ts'
import type { AuditLog, AuditRecord } from './audit-log.ts'

export interface AuditQuery {
  readonly environment: string
  /** ms since 1970, both included */
  readonly since: number | undefined
  readonly until: number | undefined
  /** undefined when every record matches */
  readonly fits: ((record: AuditRecord) => boolean) | undefined
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
export async function readAudit(audit: Pick<AuditLog, 'list' | 'count'>, query: AuditQuery): Promise<AuditPage> {
  const { environment, since, until, fits, offset, rows } = query
  if (offset + rows > AUDIT_SCAN_MAX && offset > 0) throw new ZerohopError('PAGE_TOO_DEEP', { most: AUDIT_SCAN_MAX })
  const range = { since: since ?? 0, before: until === undefined ? 2 ** 48 : until + 1 }
  if (fits === undefined && since === undefined && until === undefined) {
    const total = await audit.count(environment)
    const page = await audit.list(environment, { ...range, skip: offset, limit: rows })
    return { rows: page, total, reachable: Math.min(total, AUDIT_SCAN_MAX) }
  }
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
