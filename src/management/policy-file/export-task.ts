// Writes an environment with its facts to a file in a worker thread, because reading a million objects would block the
// event loop.
import type { LogId } from '../../log/change.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { WorkerClient } from '../../threads/worker-client.ts'

export interface ExportQuestion {
  readonly environment: LogId
  /** path of the JSON file; created with mode 0600 */
  readonly file: string
}

export interface ExportTask extends ExportQuestion {
  /** folder of the store */
  readonly data: string
}

/** @throws CONFIG_INVALID when the file cannot be written; THREAD_LOST */
export function exportInThread({ data, ...question }: ExportTask): Promise<void> {
  const thread = new WorkerClient<ExportQuestion, void>({
    name: 'the thread of an export',
    entry: () => threadUrl(import.meta.url, './export-thread.ts'),
    workerData: { data },
    lives: 'one task',
  })
  return thread.ask(question)
}
