// Has the image of a large environment built by a worker thread, because reading a million objects takes longer than a turn may.
import { Worker } from 'node:worker_threads'
import type { LogId } from '../log/change.ts'
import { ERRORS, type ErrorCode, type ErrorDetails, ZerohopError } from '../model/errors.ts'
import { threadUrl } from '../model/thread.ts'
import type { Snapshot } from './snapshot.ts'

export interface SnapshotTask {
  /** folder of the store */
  readonly data: string
  readonly environment: LogId
}

export type SnapshotAnswer =
  | { readonly snapshot: Snapshot }
  | { readonly failed: { readonly code: string; readonly details: object; readonly message: string } }

/** @throws what the build throws; INTERNAL when the worker died */
export function buildInThread(task: SnapshotTask): Promise<Snapshot> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(threadUrl(import.meta.url, './snapshot-thread.ts'), { workerData: task })
    worker.once('message', (answer: SnapshotAnswer) => {
      if ('snapshot' in answer) resolve(answer.snapshot)
      else reject(revive(answer.failed))
    })
    worker.once('error', (cause) => reject(new ZerohopError('INTERNAL', {}, { cause })))
    worker.once('exit', () => reject(new ZerohopError('INTERNAL')))
  })
}

function revive({ code, details, message }: { code: string; details: object; message: string }): ZerohopError {
  if (Object.hasOwn(ERRORS, code)) return new ZerohopError(code as ErrorCode, details as ErrorDetails)
  return new ZerohopError('INTERNAL', {}, { cause: new Error(message) })
}
