// Forgets recorded decisions in a folder, with what they are found by, and indexes what an older version stored: a
// bounded number of them in one transaction.
import { AUDIT_ROWS_PER_STEP, LAST_USED_DAYS } from '../model/limits.ts'
import { indexOlder, trimMinutes, unindexRecord } from './audit-index.ts'
import type { AuditKeep, AuditTrimmed } from './audit-log.ts'
import { type AuditTables, keyTime, timeKey } from './audit-tables.ts'
import { addOlderUses, trimUses } from './folder-last-uses.ts'

const DAY_MS = 86_400_000

/**
 * Deletes a bounded number of records, the oldest first; then the series that have been silent for longer than records
 * are kept. With nothing more to delete it indexes older records. What they used is known before any is deleted.
 */
export function trimTables(tables: AuditTables, keep: AuditKeep): AuditTrimmed {
  if (addOlderUses(tables)) return { rows: 0, more: true }
  const trimmed = tables.root.transactionSync(() => trim(tables, keep))
  return trimmed.more ? trimmed : { ...trimmed, more: indexOlder(tables) }
}

function trim(tables: AuditTables, { now, ms, records: recordsMax }: AuditKeep): AuditTrimmed {
  const { records, counts, instances } = tables
  let rows = 0
  for (const { key: environment, value: count } of [...counts.getRange()]) {
    let left = count
    const limit = AUDIT_ROWS_PER_STEP - rows
    for (const key of [
      ...records.getKeys({ start: timeKey(environment, 0), end: timeKey(environment, 2 ** 48), limit }),
    ]) {
      if (left <= recordsMax && keyTime(key) >= now - ms) break
      const record = records.get(key)
      if (record !== undefined) unindexRecord(tables, environment, record)
      void records.remove(key) // completes with the transaction
      left--
      rows++
    }
    if (left === 0) void counts.remove(environment)
    else if (left !== count) void counts.put(environment, left)
    if (rows >= AUDIT_ROWS_PER_STEP) return { rows, more: true }
  }
  const removed = trimMinutes(tables, now - ms, AUDIT_ROWS_PER_STEP)
  for (const { key, value } of [...instances.getRange()]) {
    if (value.seen < now - ms) void instances.remove(key)
  }
  trimUses(tables, now - LAST_USED_DAYS * DAY_MS)
  return { rows, more: removed >= AUDIT_ROWS_PER_STEP }
}
