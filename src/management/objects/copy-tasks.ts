// The tasks that copy environments: in this process, or, where replicas share a database, known to all of them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../kinds/environment.ts'
import { COPY_TASKS_MAX, TASK_POLL_MS } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import type { SharedTasks } from '../../store/store.ts'

export interface CopyTask {
  /** id of the environment that is copied: who reaches it may ask */
  readonly environment: string
  /** undefined while it runs */
  readonly outcome: { readonly result: Environment } | { readonly error: JsonObject } | undefined
}

export interface CopyTasks {
  start(id: string, environment: string): Promise<void>
  /** The copy is on record. */
  succeed(id: string, result: Environment): Promise<void>
  /** @param error the body that the request would have got */
  fail(id: string, error: JsonObject): Promise<void>
  /** The task, as soon as it has ended or after `waitMs`. */
  find(id: string, waitMs: number): Promise<CopyTask | undefined>
}

interface LocalTask extends CopyTask {
  outcome: CopyTask['outcome']
  /** resolves `ended` */
  readonly end: () => void
  readonly ended: Promise<void>
}

export class LocalTasks implements CopyTasks {
  readonly #tasks = new Map<string, LocalTask>()

  async start(id: string, environment: string): Promise<void> {
    for (const oldest of this.#tasks.keys()) {
      if (this.#tasks.size < COPY_TASKS_MAX) break
      this.#tasks.delete(oldest)
    }
    let end = (): void => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#tasks.set(id, { environment, outcome: undefined, end, ended })
  }

  async succeed(id: string, result: Environment): Promise<void> {
    this.#end(id, { result })
  }

  async fail(id: string, error: JsonObject): Promise<void> {
    this.#end(id, { error })
  }

  async find(id: string, waitMs: number): Promise<CopyTask | undefined> {
    const task = this.#tasks.get(id)
    if (task === undefined || waitMs === 0) return task
    const timer = new AbortController()
    await Promise.race([task.ended, sleep(waitMs, undefined, { signal: timer.signal }).catch(() => undefined)])
    timer.abort()
    return task
  }

  #end(id: string, outcome: NonNullable<CopyTask['outcome']>): void {
    const task = this.#tasks.get(id)
    if (task === undefined) return
    task.outcome = outcome
    task.end()
  }
}

/** What a task failed with whose replica died. */
const DIED: JsonObject = { error_code: 'UNEXPECTED_ERROR', message: 'the process that ran the task died' }

export class SharedCopyTasks implements CopyTasks {
  readonly #tasks: SharedTasks

  constructor(tasks: SharedTasks) {
    this.#tasks = tasks
  }

  start(id: string, environment: string): Promise<void> {
    return this.#tasks.start(id, environment)
  }

  /** The write itself put that on record. */
  async succeed(): Promise<void> {}

  fail(id: string, error: JsonObject): Promise<void> {
    return this.#tasks.fail(id, JSON.stringify(error))
  }

  async find(id: string, waitMs: number): Promise<CopyTask | undefined> {
    const until = performance.now() + waitMs
    for (;;) {
      const found = await this.#tasks.find(id)
      const left = until - performance.now()
      if (found === undefined || found.status !== 'processing' || left <= 0) return found && asCopyTask(found)
      await sleep(Math.min(TASK_POLL_MS, left))
    }
  }
}

function asCopyTask({
  environment,
  status,
  result,
  error,
}: NonNullable<Awaited<ReturnType<SharedTasks['find']>>>): CopyTask {
  if (status === 'processing') return { environment, outcome: undefined }
  // the two texts were written by this file and by the use case
  if (result !== null) return { environment, outcome: { result: JSON.parse(result) as Environment } }
  return { environment, outcome: { error: error === null ? DIED : (JSON.parse(error) as JsonObject) } }
}
