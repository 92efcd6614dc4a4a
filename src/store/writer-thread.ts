// The writer thread: the one place that writes to the data file. It takes batches of use cases, one message each, and
// answers each when its outcome is on disk. The entry file of the thread calls `serveWriter` with the use cases; this
// file does not depend on them.
import { parentPort, workerData } from 'node:worker_threads'
import { type Answer, BatchRunner, type Job, type Reply, toFailure } from './batch.ts'
import { sealWith } from './secrets.ts'
import { openTables } from './tables.ts'
import type { Retention, Trimmed } from './trim.ts'
import type { UseCases } from './view.ts'

/** The data that the main thread passes at the start. */
export interface ThreadData {
  readonly folder: string
  readonly secretsKey: Uint8Array
  /** the largest image of one environment in bytes; by default the limit of the image format */
  readonly imageBytesMax?: number
}

export type ToThread = { readonly jobs: readonly Job[] } | { readonly maintain: Retention } | { readonly close: true }
export type FromThread =
  | { readonly ready: true }
  | { readonly trimmed: Trimmed }
  | (Answer & { readonly seconds: number })

/** Serves the store that started this thread until it sends `close`. */
export function serveWriter(useCases: UseCases): void {
  if (parentPort === null) throw new Error('the writer runs in a thread of the store')
  const port = parentPort
  const { folder, secretsKey, imageBytesMax } = workerData as ThreadData
  const tables = openTables(folder, 'write')
  const runner = new BatchRunner(tables, useCases, sealWith(secretsKey), folder, imageBytesMax)
  port.on('message', (message: ToThread) => {
    if ('jobs' in message) {
      const begun = performance.now()
      const batch = runner.run(message.jobs, Date.now())
      answer({ ...batch, seconds: (performance.now() - begun) / 1000 })
    } else if ('maintain' in message)
      port.postMessage({ trimmed: runner.maintain(message.maintain) } satisfies FromThread)
    else void tables.root.close().finally(() => port.close())
  })
  port.postMessage({ ready: true } satisfies FromThread)

  function answer(batch: Answer & { readonly seconds: number }): void {
    try {
      port.postMessage(batch satisfies FromThread)
    } catch {
      // A result that cannot be cloned is a defect of one use case; the writes are on disk, and the others must still
      // be answered.
      port.postMessage({ ...batch, replies: batch.replies.map(cloneable) } satisfies FromThread)
    }
  }
}

function cloneable(reply: Reply): Reply {
  try {
    return structuredClone(reply)
  } catch (error) {
    return { failure: toFailure(error) }
  }
}
