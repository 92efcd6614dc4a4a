// Builds the image of a large environment, or its state, in a worker thread, because reading a million objects would
// block the event loop. The thread writes a file, so that no copy of it stays in memory.
import type { LogId, Position } from '../../log/change.ts'
import type { Tailed } from '../../log/signature.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { WorkerClient } from '../../threads/worker-client.ts'

export interface SnapshotQuestion {
  readonly environment: LogId
  readonly of: Tailed
  /** the file to write */
  readonly path: string
}

export interface SnapshotTask extends SnapshotQuestion {
  /** folder of the store */
  readonly data: string
}

export interface BuiltSnapshot {
  readonly position: Position
  readonly length: number
  /** SHA-256 of the file */
  readonly digest: Uint8Array
  /** its bytes, when the disk refused the file */
  readonly bytes?: Uint8Array
}

/** @throws what the build throws; THREAD_LOST */
export function buildInThread({ data, ...question }: SnapshotTask): Promise<BuiltSnapshot> {
  const thread = new WorkerClient<SnapshotQuestion, BuiltSnapshot>({
    name: 'the thread of a snapshot',
    entry: () => threadUrl(import.meta.url, './snapshot-thread.ts'),
    workerData: { data },
    lives: 'one task',
  })
  return thread.ask(question)
}
