// A thread that answers one task after the other and keeps what it has read for the next: started with the first task,
// ended when none came for long. From the side of those who ask; the thread itself posts `{ id, answer }` for each
// task, and ends when it hears 'close'.
import { Worker } from 'node:worker_threads'
import { contained, inBackground } from './contained.ts'
import { ZerohopError } from './errors.ts'
import { revived, type TaskAnswer } from './thread.ts'

export interface KeptThreadOptions {
  /** what errors call it */
  readonly name: string
  readonly entry: URL
  readonly workerData: unknown
  /** milliseconds without a task after which it ends */
  readonly idleMs: number
  /** tasks that may wait; beyond it the caller is told to come back */
  readonly waitingMax: number
}

interface Waiting<Result> {
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** A task on its way to the thread. */
export interface KeptTask<Task> {
  readonly id: number
  readonly task: Task
}

export class KeptThread<Task, Result> {
  readonly #options: KeptThreadOptions
  readonly #waiting = new Map<number, Waiting<Result>>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #next = 0
  #isClosed = false

  constructor(options: KeptThreadOptions) {
    this.#options = options
  }

  /** @throws OVERLOADED, CLOSED, THREAD_LOST, and what the task throws */
  ask(task: Task): Promise<Result> {
    if (this.#isClosed) return Promise.reject(this.#closed())
    const waiting = this.#waiting.size
    if (waiting >= this.#options.waitingMax) return Promise.reject(new ZerohopError('OVERLOADED', { waiting }))
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    worker.ref()
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      const message: KeptTask<Task> = { id, task }
      worker.postMessage(message)
    })
  }

  /** Ends the thread; tasks that were not done yet are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  #closed(): ZerohopError {
    return new ZerohopError('CLOSED', { what: this.#options.name })
  }

  #start(): Worker {
    const worker = new Worker(this.#options.entry, { workerData: this.#options.workerData })
    const answered = ({ id, answer }: { id: number; answer: TaskAnswer<Result> }): void => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if ('failed' in answer) waiting?.reject(revived(answer.failed))
      else waiting?.resolve(answer.result)
      if (this.#waiting.size === 0) this.#rest(worker)
    }
    const died = contained('the end of a thread', (cause: unknown) => this.#died(worker, `${cause}`, cause))
    worker.on('message', contained('the answer of a thread', answered))
    worker.on('messageerror', died).on('error', died)
    worker.on(
      'exit',
      contained('the end of a thread', (code) => this.#died(worker, `exit code ${code}`)),
    )
    return worker
  }

  /** Without work the thread keeps no process alive. */
  #rest(worker: Worker): void {
    worker.unref()
    const end = contained('ending a thread', () => inBackground('ending a thread', this.#end()))
    this.#idle = setTimeout(end, this.#options.idleMs)
    this.#idle.unref()
  }

  #died(worker: Worker, reason: string, cause?: unknown): void {
    if (this.#worker === worker) this.#worker = undefined
    if (this.#worker !== undefined) return
    const error = this.#isClosed ? this.#closed() : new ZerohopError('THREAD_LOST', { reason }, { cause })
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    if (worker === undefined) return
    this.#worker = undefined
    worker.ref()
    await new Promise<void>((resolve) => {
      worker.once('exit', () => resolve())
      worker.postMessage('close')
    })
  }
}
