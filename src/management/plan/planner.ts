// The thread that makes plans, from the side of the server: started with the first plan, ended when none was made for
// long, since it keeps images. Plans are made one after the other, because each may take all of a processor; others are
// made while the first image of a large environment is written.
import { Worker } from 'node:worker_threads'
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PLAN_IDLE_MS, PLANS_WAITING_MAX } from '../../model/limits.ts'
import { revived, type TaskAnswer, threadUrl } from '../../model/thread.ts'
import type { MadePlan, PlanMessage, PlanTask } from './plan-task.ts'

interface Waiting {
  readonly task: PlanTask
  readonly resolve: (plan: MadePlan) => void
  readonly reject: (error: unknown) => void
}

/** Writes the image of an environment to the file for followers, where the thread of plans finds it. */
export type WriteImage = (environment: LogId) => Promise<void>

export class Planner {
  readonly #data: string
  readonly #writeImage: WriteImage | undefined
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #next = 0
  #isClosed = false

  /**
   * @param data folder of the store
   * @param writeImage without it the thread of plans builds images itself, and keeps them for its own life only
   */
  constructor(data: string, writeImage?: WriteImage) {
    this.#data = data
    this.#writeImage = writeImage
  }

  /** @throws OVERLOADED, CLOSED, INTERNAL when the thread died, and what the plan throws */
  plan(task: PlanTask): Promise<MadePlan> {
    if (this.#isClosed) return Promise.reject(new ZerohopError('CLOSED', { what: 'the thread of plans' }))
    const waiting = this.#waiting.size
    if (waiting >= PLANS_WAITING_MAX) return Promise.reject(new ZerohopError('OVERLOADED', { waiting }))
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    worker.ref()
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { task, resolve, reject })
      send(worker, { id, task, mayBuild: this.#writeImage === undefined })
    })
  }

  /** Ends the thread; plans that were not made yet are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  #start(): Worker {
    const worker = new Worker(threadUrl(import.meta.url, './plan-thread.ts'), { workerData: { data: this.#data } })
    worker.on('message', ({ id, answer }: { id: number; answer: TaskAnswer<MadePlan | undefined> }) => {
      const waiting = this.#waiting.get(id)
      if (waiting === undefined) return
      if ('result' in answer && answer.result === undefined) {
        void this.#withImage(worker, id, waiting.task)
        return
      }
      this.#waiting.delete(id)
      if ('failed' in answer) waiting.reject(revived(answer.failed))
      else if (answer.result !== undefined) waiting.resolve(answer.result)
      if (this.#waiting.size === 0) this.#rest(worker)
    })
    worker.on('error', (cause) => this.#died(worker, cause))
    worker.on('exit', () => this.#died(worker, undefined))
    return worker
  }

  /** Has the image written that the thread lacks, and asks once more; when it cannot be written, the thread builds it. */
  async #withImage(worker: Worker, id: number, task: PlanTask): Promise<void> {
    try {
      await this.#writeImage?.(task.environment)
    } catch {
      // the thread meets the same error, or none
    }
    send(worker, { id, task, mayBuild: true })
  }

  /** Without work the thread keeps no process alive. */
  #rest(worker: Worker): void {
    worker.unref()
    this.#idle = setTimeout(() => void this.#end(), PLAN_IDLE_MS)
    this.#idle.unref()
  }

  #died(worker: Worker, cause: unknown): void {
    if (this.#worker === worker) this.#worker = undefined
    if (this.#worker !== undefined) return
    const error = this.#isClosed
      ? new ZerohopError('CLOSED', { what: 'the thread of plans' })
      : new ZerohopError('INTERNAL', {}, { cause })
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

function send(worker: Worker, message: PlanMessage): void {
  worker.postMessage(message)
}
