// The thread that stores records of decisions: it unpacks, parses and syncs, so that neither the event loop nor the
// writer of policy waits for it. It also deletes the oldest ones. No other thread writes to the audit tables. Loaded
// from the build, by its URL.
import { workerData } from 'node:worker_threads'
import { asDiskError } from '../store/disk.ts'
import { serve } from '../threads/worker-host.ts'
import { storeBatch } from './audit-batch.ts'
import type { AuditBatch, Stored } from './audit-lines.ts'
import type { AuditKeep, AuditTrimmed } from './audit-log.ts'
import { openAuditTables } from './audit-tables.ts'
import { trimTables } from './audit-trim.ts'
import { UserNames } from './user-names.ts'

export interface AuditThreadData {
  readonly folder: string
  /** the data folder, for the names of users */
  readonly data: string
}

export type AuditQuestion = { readonly batch: AuditBatch } | { readonly trim: AuditKeep }
export type AuditAnswer = { readonly stored: Stored } | { readonly trimmed: AuditTrimmed }

const { folder, data } = workerData as AuditThreadData
const tables = openAuditTables(folder)
const users = new UserNames(data)

serve(answer, { close })

function answer(question: AuditQuestion): AuditAnswer {
  try {
    if ('trim' in question) return { trimmed: trimTables(tables, question.trim) }
    return { stored: storeBatch(tables, question.batch, Date.now(), users.find) }
  } catch (error) {
    throw asDiskError(error, folder) ?? error
  }
}

async function close(): Promise<void> {
  await users.close()
  await tables.root.close()
}
