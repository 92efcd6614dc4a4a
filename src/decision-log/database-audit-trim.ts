// Forgets records of decisions in the database that replicas share, and indexes what an older version stored: a bounded
// number in one transaction, by one replica at a time.
import { AUDIT_ROWS_PER_STEP, AUDIT_TRIMMED_ENVIRONMENTS_MAX, LAST_USED_DAYS } from '../model/limits.ts'
import type { Connection } from '../store/postgres/connection.ts'
import type { AuditKeep, AuditTrimmed } from './audit-log.ts'
import { indexOlder, trimMinutes } from './database-audit-index.ts'
import { idAt, OF_ENVIRONMENT } from './database-audit-reads.ts'
import { addOlderUses, trimUses } from './database-last-uses.ts'

const DAY_MS = 86_400_000

/** Any number that no one else uses. */
const TRIM_LOCK = 6_214_507_222

/** Deletes the oldest of an environment that are before an id, or among so many of the oldest. */
const TRIM_ENVIRONMENT = `
  WITH gone AS (
    DELETE FROM zerohop.decisions WHERE environment = $1::uuid AND id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (ORDER BY environment, id) AS place FROM zerohop.decisions
        WHERE ${OF_ENVIRONMENT} ORDER BY environment, id LIMIT $2::bigint
      ) AS oldest WHERE id < $3::uuid OR place <= $4::bigint)
    RETURNING 1
  ), counted AS (SELECT count(*) AS rows FROM gone)
  UPDATE zerohop.decision_counts SET records = records - counted.rows FROM counted
  WHERE environment = $1::uuid RETURNING counted.rows::float8 AS rows`

/**
 * Deletes a bounded number of records, the oldest of each environment first; then the series that have been silent for
 * longer than records are kept. Runs in the open transaction.
 */
export async function trimRecords(connection: Connection, { now, ms, records }: AuditKeep): Promise<AuditTrimmed> {
  const [lock] = await connection.query<{ mine: boolean }>(`SELECT pg_try_advisory_xact_lock(${TRIM_LOCK}) AS mine`)
  if (lock?.mine !== true) return { rows: 0, more: false }
  if (await addOlderUses(connection)) return { rows: 0, more: true } // what they used is known before any is deleted
  const oldest = idAt(now - ms)
  // in this order batches take the same locks
  const found = await connection.query<{ environment: string; records: number }>(
    `SELECT environment::text AS environment, records::float8 AS records FROM zerohop.decision_counts c
    WHERE records > $1 OR $2::uuid > (
      SELECT d.id FROM zerohop.decisions d WHERE (d.environment, d.id) >= (c.environment, '${'0'.repeat(32)}'::uuid)
      ORDER BY d.environment, d.id LIMIT 1)
    ORDER BY c.environment LIMIT $3`,
    [records, oldest, AUDIT_TRIMMED_ENVIRONMENTS_MAX],
  )
  let rows = 0
  for (const { environment, records: count } of found) {
    const left = AUDIT_ROWS_PER_STEP - rows
    const over = Math.max(0, count - records)
    const [done] = await connection.query<{ rows: number }>(TRIM_ENVIRONMENT, [environment, left, oldest, over])
    rows += done?.rows ?? 0
    if (rows >= AUDIT_ROWS_PER_STEP) return { rows, more: true }
  }
  if (rows > 0 && found.length === AUDIT_TRIMMED_ENVIRONMENTS_MAX) return { rows, more: true }
  // what a batch has locked is in use: it may wait for a lock of this transaction
  await connection.query(
    `DELETE FROM zerohop.decision_counts WHERE environment IN (
      SELECT environment FROM zerohop.decision_counts WHERE records = 0 FOR UPDATE SKIP LOCKED)`,
  )
  await connection.query(
    `DELETE FROM zerohop.decision_series WHERE id IN (
      SELECT id FROM zerohop.decision_series WHERE seen < $1 FOR UPDATE SKIP LOCKED)`,
    [Math.floor(now - ms)],
  )
  await trimMinutes(connection, now - ms, AUDIT_ROWS_PER_STEP)
  await trimUses(connection, now - LAST_USED_DAYS * DAY_MS)
  return { rows, more: await indexOlder(connection) }
}
