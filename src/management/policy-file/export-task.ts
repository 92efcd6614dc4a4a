// Writes an environment to a file in a worker thread, because reading a million objects would block the event loop.
import type { LogId } from '../../log/change.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { WorkerClient } from '../../threads/worker-client.ts'

export interface ExportQuestion {
  readonly environment: LogId
  /** path of the file; created with mode 0600 */
  readonly file: string
  /** facts as lines; absent: one JSON with the schema and facts */
  readonly lines?: WantedLines
}

export interface WantedLines {
  /** number of facts to leave out at the start */
  readonly skip: number
  /** written only if the environment still is at this revision */
  readonly revision?: number | undefined
}

export interface ExportTask extends ExportQuestion {
  /** folder of the store */
  readonly data: string
}

/**
 * False when the environment is at another revision than is wanted: nothing was written.
 * @throws CONFIG_INVALID when the file cannot be written; THREAD_LOST
 */
export function exportInThread({ data, ...question }: ExportTask): Promise<boolean> {
  const thread = new WorkerClient<ExportQuestion, boolean>({
    name: 'the thread of an export',
    entry: () => threadUrl(import.meta.url, './export-thread.ts'),
    workerData: { data },
    lives: 'one task',
  })
  return thread.ask(question)
}
