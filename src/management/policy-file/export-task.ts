// Writes an environment with its facts to a file in a worker thread, because reading a million objects would block the
// event loop.
import { Worker } from 'node:worker_threads'
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { threadUrl } from '../../threads/thread-url.ts'

export interface ExportTask {
  /** folder of the store */
  readonly data: string
  readonly environment: LogId
  /** path of the JSON file; created with mode 0600 */
  readonly file: string
}

/** @throws CONFIG_INVALID when the file cannot be written; THREAD_LOST */
export function exportInThread(task: ExportTask): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(threadUrl(import.meta.url, './export-thread.ts'), { workerData: task })
    worker.once('message', (trouble: string | null) => {
      if (trouble === null) resolve()
      else reject(new ZerohopError('CONFIG_INVALID', { reason: `\`${task.file}\` cannot be written: ${trouble}` }))
    })
    worker.once('error', (cause) => reject(new ZerohopError('THREAD_LOST', { reason: cause.message }, { cause })))
    worker.once('exit', (code) => reject(new ZerohopError('THREAD_LOST', { reason: `exit code ${code}` })))
  })
}
