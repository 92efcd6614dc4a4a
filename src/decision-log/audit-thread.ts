// The thread that stores records of decisions: it unpacks, parses and syncs, so that neither the event loop nor the
// writer of policy waits for it. It also deletes the oldest ones. No other thread writes to the audit tables. Loaded
// from the build, by its URL.
import { parentPort, workerData } from 'node:worker_threads'
import { AUDIT_ROWS_PER_STEP } from '../model/limits.ts'
import { toFailure } from '../store/batch.ts'
import { asDiskError } from '../store/disk.ts'
import type { FromAsked, ToAsked } from './asked-thread.ts'
import { storeBatch } from './audit-batch.ts'
import type { AuditBatch, Stored } from './audit-lines.ts'
import type { AuditKeep, AuditTrimmed } from './audit-log.ts'
import { type AuditTables, openAuditTables, timeKey, timeOf } from './audit-tables.ts'
import { UserNames } from './user-names.ts'

export interface AuditThreadData {
  readonly folder: string
  /** the data folder, for the names of users */
  readonly data: string
}

export type AuditQuestion = { readonly batch: AuditBatch } | { readonly trim: AuditKeep }
export type AuditAnswer = { readonly stored: Stored } | { readonly trimmed: AuditTrimmed }

const { folder, data } = workerData as AuditThreadData
const port = parentPort!
const tables = openAuditTables(folder)
const users = new UserNames(data)

port.on('message', (message: ToAsked<AuditQuestion>) => {
  if ('close' in message) void close()
  else port.postMessage(answer(message))
})
port.postMessage({ ready: true } satisfies FromAsked<AuditAnswer>)

function answer({ asked: told, question }: Exclude<ToAsked<AuditQuestion>, { close: true }>): FromAsked<AuditAnswer> {
  try {
    if ('trim' in question) return { told, answer: { trimmed: trim(tables, question.trim) } }
    return { told, answer: { stored: storeBatch(tables, question.batch, Date.now(), users.find) } }
  } catch (error) {
    return { told, failure: toFailure(asDiskError(error, folder) ?? error) }
  }
}

async function close(): Promise<void> {
  await users.close()
  await tables.root.close()
  port.close()
}

/**
 * Deletes a bounded number of records, the oldest first; then the series that have been silent for longer than records
 * are kept.
 */
function trim(
  { root, records, counts, instances }: AuditTables,
  { now, ms, records: recordsMax }: AuditKeep,
): AuditTrimmed {
  return root.transactionSync(() => {
    let rows = 0
    for (const { key: environment, value: count } of [...counts.getRange()]) {
      let left = count
      const limit = AUDIT_ROWS_PER_STEP - rows
      const keys = [...records.getKeys({ start: timeKey(environment, 0), end: timeKey(environment, 2 ** 48), limit })]
      for (const key of keys) {
        if (left <= recordsMax && timeOf(key) >= now - ms) break
        void records.remove(key) // completes with the transaction
        left--
        rows++
      }
      if (left === 0) void counts.remove(environment)
      else if (left !== count) void counts.put(environment, left)
      if (rows >= AUDIT_ROWS_PER_STEP) return { rows, more: true }
    }
    for (const { key, value } of [...instances.getRange()]) {
      if (value.seen < now - ms) void instances.remove(key)
    }
    return { rows, more: false }
  })
}
