// The thread that stores records of decisions: it unpacks, parses and syncs, so that neither the event loop nor the
// writer of policy waits for it. It also deletes the oldest ones. No other thread writes to the audit tables. Loaded
// from the build, by its URL.
import { parentPort, workerData } from 'node:worker_threads'
import { AUDIT_ROWS_PER_STEP } from '../model/limits.ts'
import { type Failure, toFailure } from '../store/batch.ts'
import { asDiskError } from '../store/disk.ts'
import { openReader, type Reader } from '../store/reader.ts'
import { type AuditBatch, type Stored, storeBatch } from './audit-batch.ts'
import { type AuditTables, openAuditTables, timeKey, timeOf } from './audit-tables.ts'

export interface AuditThreadData {
  readonly folder: string
  /** the data folder, for the names of users */
  readonly data: string
}

/** How much is kept of each environment: records over either bound are deleted. */
export interface AuditKeep {
  readonly now: number
  readonly ms: number
  readonly records: number
}

export type ToAuditThread = { readonly batch: AuditBatch } | { readonly trim: AuditKeep } | { readonly close: true }
export type FromAuditThread =
  | { readonly ready: true }
  | { readonly stored: Stored }
  | { readonly trimmed: { readonly rows: number; readonly more: boolean } }
  | { readonly failure: Failure }

const { folder, data } = workerData as AuditThreadData
const port = parentPort!
const tables = openAuditTables(folder)
let reader: Reader | undefined

port.on('message', (message: ToAuditThread) => {
  if ('close' in message) void close()
  else port.postMessage(answer(message))
})
port.postMessage({ ready: true } satisfies FromAuditThread)

function answer(message: Exclude<ToAuditThread, { close: true }>): FromAuditThread {
  try {
    if ('trim' in message) return { trimmed: trim(tables, message.trim) }
    return { stored: storeBatch(tables, message.batch, Date.now(), findUser) }
  } catch (error) {
    return { failure: toFailure(asDiskError(error, folder) ?? error) }
  }
}

/** A record is stored even when the name of its user cannot be read. */
function findUser(environment: string, key: string) {
  try {
    reader ??= openReader(data)
    return reader.view(environment).get('user', key)
  } catch {
    return undefined
  }
}

async function close(): Promise<void> {
  await reader?.close()
  await tables.root.close()
  port.close()
}

/**
 * Deletes a bounded number of records, the oldest first; then the series that have been silent for longer than records
 * are kept.
 */
function trim({ root, records, counts, instances }: AuditTables, { now, ms, records: recordsMax }: AuditKeep) {
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
