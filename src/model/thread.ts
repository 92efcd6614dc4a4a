// A task in a worker thread: where its code lies, one message there, one answer back, and an error that is the same on
// both sides. A worker cannot load TypeScript: its code lies beside the caller in the build, or, when the caller runs
// from source, in the bundle, which starts fastest.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type MessagePort, type TransferListItem, Worker } from 'node:worker_threads'
import { contained, inBackground } from './contained.ts'
import { ERRORS, type ErrorCode, type ErrorDetails, ZerohopError } from './errors.ts'

/**
 * URL of a worker's entry file. `from` is the caller's `import.meta.url`, `file` the entry relative to it, as
 * `./name.ts`.
 * @throws PACKAGE_FILE_MISSING when a bundler has moved the caller without it
 */
export function threadUrl(from: string | undefined, file: string): URL {
  const name = file.slice(2).replace(/\.ts$/, '.js')
  // a bundler that makes a CommonJS file leaves no `import.meta.url`
  const source = from !== undefined && URL.canParse(file, from) ? new URL(file, from) : undefined
  if (from === undefined || source === undefined) throw missing(name, 'it is not known where this code is')
  const root = source.href.slice(0, source.href.lastIndexOf('/src/'))
  const url = /\.[cm]?js$/.test(from) ? new URL(name, source) : new URL(`${root}/dist/bundle/${name}`)
  if (!existsSync(url)) throw missing(name, `there is no ${url.protocol === 'file:' ? fileURLToPath(url) : url.href}`)
  return url
}

const missing = (file: string, reason: string): ZerohopError =>
  new ZerohopError('PACKAGE_FILE_MISSING', { file, reason })

/** An error as plain data. */
export interface Failed {
  readonly code: string
  readonly details: object
  readonly message: string
  readonly path?: readonly (string | number)[] | undefined
}

/** What a task's thread answers. */
export type TaskAnswer<T> = { readonly result: T } | { readonly failed: Failed }

/**
 * In a thread: hears no more messages, so that the thread ends when nothing else is open. The port of Deno cannot be
 * closed; its threads are workers of the web, which end at once.
 */
export function closePort(port: MessagePort | null): void {
  const { close } = (port ?? {}) as { readonly close?: () => void }
  if (close !== undefined) close.call(port)
  else (globalThis as { readonly close?: () => void }).close?.()
}

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
