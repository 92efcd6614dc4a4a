// Tasks about the past, done in a worker thread: reading a whole environment or ten thousand entries would block the
// event loop.
import type { LogId, Position } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PAST_TASK_MS } from '../../model/limits.ts'
import type { Checkpoint } from '../../store/checkpoint-file.ts'
import type { Reach } from '../../store/past-reader.ts'
import type { DatabaseSettings } from '../../store/settings.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { WorkerClient } from '../../threads/worker-client.ts'
import type { UndoneObject } from '../differences/undone.ts'
import type { Comparison, Range } from './compare-answers.ts'
import type { RevisionChanges } from './revision-changes.ts'

/** Where the past is read from. */
export interface PastPlace {
  /** folder of the store */
  readonly data: string
  /** of a replica: the log of record is there */
  readonly database?: DatabaseSettings | undefined
}

export type PastTask =
  | { readonly task: 'image'; readonly revision: number }
  /** `access`: also whose access it changed */
  | { readonly task: 'changes'; readonly revision: number; readonly access: boolean }
  /** `facts`: also users, tenants and what they have */
  | { readonly task: 'export'; readonly revision: number; readonly facts: boolean }
  /** facts as lines, without the first `skip`, into a new file */
  | { readonly task: 'facts'; readonly revision: number; readonly skip: number; readonly file: string }
  | { readonly task: 'undone'; readonly revision: number }
  | { readonly task: 'reach' }
  | ({ readonly task: 'compare' } & Range)
  /** which checkpoints of the data folder nothing can be built from */
  | { readonly task: 'verify' }
  /** writes a checkpoint of the head into the data folder */
  | { readonly task: 'checkpoint' }

export interface PastResults {
  readonly image: { readonly bytes: Uint8Array; readonly position: Position }
  readonly changes: RevisionChanges
  /** JSON of a policy file */
  readonly export: { readonly bytes: Uint8Array }
  readonly facts: null
  readonly undone: readonly UndoneObject[]
  readonly reach: Reach
  readonly compare: Comparison
  readonly verify: { readonly unusable: readonly number[] }
  readonly checkpoint: Checkpoint & { readonly objects: number }
}

/** What the thread is asked. */
export type PastQuestion = PastPlace & { readonly environment: LogId } & PastTask

/** @throws what the task throws; PAST_TOO_LARGE when it takes too long; INTERNAL when the thread died */
export function runPastTask<T extends PastTask>(
  place: PastPlace,
  environment: LogId,
  task: T,
): Promise<PastResults[T['task']]> {
  const thread = new WorkerClient<PastQuestion, PastResults[T['task']]>({
    name: 'the thread of the past',
    entry: () => threadUrl(import.meta.url, './past-thread.ts'),
    lives: 'one task',
    timeout: { ms: PAST_TASK_MS, error: () => new ZerohopError('PAST_TOO_LARGE', { ms: PAST_TASK_MS }) },
  })
  return thread.ask({ ...place, environment, ...task })
}
