// The writer thread: the one place that writes to the data file. It takes batches of use cases, one message each, and
// answers each when its outcome is on record: on disk, or in the database of replicas. The entry file of the thread
// calls `serveWriter` with the use cases and with what loads the writer of replicas; this file depends on neither.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { closePort } from '../threads/close-port.ts'
import { toFailure } from '../threads/failure.ts'
import { BatchRunner } from './batch.ts'
import type { Reply } from './job.ts'
import { KeptAnswers } from './kept-answers.ts'
import { sealWith } from './secrets.ts'
import { openTables, type Tables } from './tables.ts'
import type { UseCases } from './view.ts'
import {
  type FromThread,
  type ReplicaSettings,
  type Replies,
  type ThreadData,
  type ToThread,
  waitPaused,
} from './writer-messages.ts'

/** What the writer of replicas needs of the thread. */
export interface WriterParts {
  readonly tables: Tables
  readonly runner: BatchRunner
  readonly secretsKey: Uint8Array
  readonly send: (message: FromThread) => void
  readonly answer: (replies: Replies) => void
}

/** Loads the writer of replicas, which needs the driver of the database. */
export type LoadReplica = () => Promise<{
  readonly serveReplica: (port: MessagePort, settings: ReplicaSettings, parts: WriterParts) => Promise<void>
}>

/** Serves the store that started this thread until it sends `close`. */
export function serveWriter(useCases: UseCases, loadReplica: LoadReplica): void {
  if (parentPort === null) throw new Error('the writer runs in a thread of the store')
  const port = parentPort
  const { folder, secretsKey, imageBytesMax, replica } = workerData as ThreadData
  const tables = openTables(folder, 'write', replica === undefined ? 'durable' : 'cache')
  const answers = replica === undefined ? new KeptAnswers(tables, secretsKey) : undefined
  const runner = new BatchRunner(tables, useCases, sealWith(secretsKey), folder, answers, imageBytesMax)
  const send = (message: FromThread): void => port.postMessage(message)
  const answer = (replies: Replies): void => {
    try {
      send(replies)
    } catch {
      // A result that cannot be cloned is a defect of one use case; the writes are on record, and the others must
      // still be answered.
      send({ ...replies, replies: replies.replies.map(cloneable) })
    }
  }
  const closeTables = (): void => void tables.root.close().finally(() => closePort(port))
  if (replica !== undefined) {
    const parts = { tables, runner, secretsKey, send, answer }
    void loadReplica()
      .then(({ serveReplica }) => serveReplica(port, replica, parts))
      .catch((error) => send({ kind: 'failed', failure: toFailure(error) }))
      .finally(closeTables)
    return
  }
  port.on('message', (message: ToThread) => {
    if (message.kind === 'batch') {
      const begun = performance.now()
      const batch = runner.run(message.jobs, Date.now())
      answer({ kind: 'replies', ...batch, batch: message.batch, seconds: (performance.now() - begun) / 1000 })
    } else if (message.kind === 'maintain') send({ kind: 'trimmed', trimmed: runner.maintain(message.retention) })
    else if (message.kind === 'ask') send({ kind: 'answer', id: message.id, answer: undefined })
    else if (message.kind === 'pause') waitPaused(port, message.pause)
    else closeTables()
  })
  send({ kind: 'ready' })
}

function cloneable(reply: Reply): Reply {
  try {
    return structuredClone(reply)
  } catch (error) {
    return { failure: toFailure(error) }
  }
}
