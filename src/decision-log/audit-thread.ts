// The thread that stores records of decisions: it unpacks, parses and syncs, so that neither the event loop nor the
// writer of policy waits for it. It also deletes the oldest ones. No other thread writes to the audit tables. Loaded
// from the build, by its URL.
import { parentPort, workerData } from 'node:worker_threads'
import { asDiskError } from '../store/disk.ts'
import { closePort } from '../threads/close-port.ts'
import { toFailure } from '../threads/failure.ts'
import type { FromAsked, ToAsked } from './asked-thread.ts'
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
    if ('trim' in question) return { told, answer: { trimmed: trimTables(tables, question.trim) } }
    return { told, answer: { stored: storeBatch(tables, question.batch, Date.now(), users.find) } }
  } catch (error) {
    return { told, failure: toFailure(asDiskError(error, folder) ?? error) }
  }
}

async function close(): Promise<void> {
  await users.close()
  await tables.root.close()
  closePort(port)
}
