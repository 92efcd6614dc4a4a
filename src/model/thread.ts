// A task in a worker thread: where its code lies, one message there, one answer back, and an error that is the same on
// both sides. A worker cannot load TypeScript: its code lies beside the caller in the build, or, when the caller runs
// from source, in the bundle, which starts fastest.
import { type TransferListItem, Worker } from 'node:worker_threads'
import { ERRORS, type ErrorCode, type ErrorDetails, ZerohopError } from './errors.ts'

/**
 * URL of a worker's entry file. `from` is the caller's `import.meta.url`, `file` the entry relative to it, as
 * `./name.ts`.
 */
export function threadUrl(from: string, file: string): URL {
  const source = new URL(file, from)
  if (from.endsWith('.js')) return new URL(source.href.replace(/\.ts$/, '.js'))
  const root = source.href.slice(0, source.href.lastIndexOf('/src/'))
  return new URL(`${root}/dist/bundle/${file.slice(2).replace(/\.ts$/, '.js')}`)
}

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
 * @throws what the task throws; INTERNAL when the thread died; the error of the limit
 */
export function runTask<T>(
  entry: URL,
  task: unknown,
  transfer: TransferListItem[] = [],
  limit?: TaskLimit,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: task, transferList: transfer })
    if (limit !== undefined) {
      const late = (): void => {
        reject(limit.error())
        void worker.terminate()
      }
      const timer = setTimeout(late, limit.ms)
      worker.once('exit', () => clearTimeout(timer))
    }
    worker.once('message', (answer: TaskAnswer<T>) => {
      if ('result' in answer) resolve(answer.result)
      else reject(revived(answer.failed))
    })
    worker.once('error', (cause) => reject(new ZerohopError('INTERNAL', {}, { cause })))
    worker.once('exit', () => reject(new ZerohopError('INTERNAL')))
  })
}

/** What a task threw, on the side that asked. */
export function revived({ code, details, message, path }: Failed): ZerohopError {
  const at = path === undefined ? {} : { path }
  if (Object.hasOwn(ERRORS, code)) return new ZerohopError(code as ErrorCode, details as ErrorDetails, at)
  return new ZerohopError('INTERNAL', {}, { cause: new Error(message) })
}
