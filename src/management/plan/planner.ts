// The thread that makes plans, from the side of the server: started with the first plan, ended when none was made for
// long, since it keeps images. Plans are made one after the other, because each may take all of a processor.
import { Worker } from 'node:worker_threads'
import { ZerohopError } from '../../model/errors.ts'
import { PLAN_IDLE_MS, PLANS_WAITING_MAX } from '../../model/limits.ts'
import { revived, type TaskAnswer, threadUrl } from '../../model/thread.ts'
import type { MadePlan, PlanTask } from './plan-task.ts'

interface Waiting {
  readonly resolve: (plan: MadePlan) => void
  readonly reject: (error: unknown) => void
}

export class Planner {
  readonly #data: string
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #next = 0
  #isClosed = false

  /** @param data folder of the store */
  constructor(data: string) {
    this.#data = data
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
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage({ id, task })
    })
  }

  /** Ends the thread; plans that were not made yet are refused. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  #start(): Worker {
    const worker = new Worker(threadUrl(import.meta.url, './plan-thread.ts'), { workerData: { data: this.#data } })
    worker.on('message', ({ id, answer }: { id: number; answer: TaskAnswer<MadePlan> }) => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if ('result' in answer) waiting?.resolve(answer.result)
      else waiting?.reject(revived(answer.failed))
      if (this.#waiting.size === 0) this.#rest(worker)
    })
    worker.on('error', (cause) => this.#died(worker, cause))
    worker.on('exit', () => this.#died(worker, undefined))
    return worker
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
