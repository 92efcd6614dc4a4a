// Builds the image of a large environment, or its state, in a worker thread, because reading a million objects would
// block the event loop. The thread writes a file, so that no copy of it stays in memory.
import type { LogId, Position } from '../../log/change.ts'
import type { Tailed } from '../../log/signature.ts'
import { runTask } from '../../model/thread.ts'
import { threadUrl } from '../../threads/thread-url.ts'

export interface SnapshotTask {
  /** folder of the store */
  readonly data: string
  readonly environment: LogId
  readonly of: Tailed
  /** the file to write */
  readonly path: string
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
export function buildInThread(task: SnapshotTask): Promise<BuiltSnapshot> {
  return runTask(threadUrl(import.meta.url, './snapshot-thread.ts'), task)
}
