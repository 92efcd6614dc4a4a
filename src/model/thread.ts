// A task in a worker thread: one message there, one answer back, and an error that is the same on both sides.
import { type TransferListItem, Worker } from 'node:worker_threads'
import { contained, inBackground } from './contained.ts'
import { ERRORS, type ErrorCode, type ErrorDetails, ZerohopError } from './errors.ts'

/** An error as plain data. */
export interface Failed {
  readonly code: string
  readonly details: object
  readonly message: string
  readonly path?: readonly (string | number)[] | undefined
}

/** What a task's thread answers. */
export type TaskAnswer<T> = { readonly result: T } | { readonly failed: Failed }

/** In the thread: does the task, and makes of what it throws something that can be sent. */
export function answerTask<T>(task: () => T): TaskAnswer<T> {
  try {
    return { result: task() }
  } catch (error) {
    return failedWith(error)
  }
}

/** `answerTask` of a task that waits for something. */
export async function answerSlowTask<T>(task: () => Promise<T>): Promise<TaskAnswer<T>> {
  try {
    return { result: await task() }
  } catch (error) {
    return failedWith(error)
  }
}

function failedWith(error: unknown): TaskAnswer<never> {
  const { code, details, message, path } = error as Partial<Failed>
  const text = (error as Error).stack ?? message ?? String(error)
  return { failed: { code: code ?? 'INTERNAL', details: details ?? {}, message: text, path } }
}

/** When a task takes too long. */
export interface TaskLimit {
  readonly ms: number
  /** what the caller gets; the thread is ended */
  readonly error: () => ZerohopError
}

/**
 * Has the thread of that entry do one task.
 * @throws what the task throws; THREAD_LOST when there is no such thread, or it ended without an answer; the error of
 * the limit
 */
export function runTask<T>(
  entry: URL,
  task: unknown,
  transfer: TransferListItem[] = [],
  limit?: TaskLimit,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const lost = (cause: unknown): void => reject(new ZerohopError('THREAD_LOST', { reason: `${cause}` }, { cause }))
    let worker: Worker
    try {
      worker = new Worker(entry, { workerData: task, transferList: transfer })
    } catch (cause) {
      lost(cause) // such as with the permission model of Node and without `--allow-worker`
      return
    }
    if (limit !== undefined) {
      const late = contained('the limit of a task', () => {
        inBackground('ending a thread', worker.terminate())
        reject(limit.error())
      })
      const timer = setTimeout(late, limit.ms)
      worker.once('exit', () => clearTimeout(timer))
    }
    const answered = (answer: Partial<{ result: T; failed: Failed }> | null): void => {
      if (typeof answer === 'object' && answer !== null && 'result' in answer) resolve(answer.result as T)
      else if (answer?.failed) reject(revived(answer.failed))
      else {
        inBackground('ending a thread', worker.terminate())
        lost('its file is another one')
      }
    }
    worker.once('message', contained('the answer of a thread', answered, lost))
    worker.once('messageerror', lost)
    worker.once('error', lost)
    worker.once('exit', (code) => reject(new ZerohopError('THREAD_LOST', { reason: `exit code ${code}` })))
  })
}

/** What a task threw, on the side that asked. */
export function revived({ code, details, message, path }: Failed): ZerohopError {
  const at = path === undefined ? {} : { path }
  if (Object.hasOwn(ERRORS, code)) return new ZerohopError(code as ErrorCode, details as ErrorDetails, at)
  return new ZerohopError('INTERNAL', {}, { cause: new Error(message) })
}
