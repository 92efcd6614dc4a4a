// The thread that makes plans, from the side of the server. Plans are made one after the other, because each may take
// all of a processor; others are made while the first image of a large environment is written.
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { KeptThread } from '../../model/kept-thread.ts'
import { PLAN_IDLE_MS, PLANS_WAITING_MAX } from '../../model/limits.ts'
import { threadUrl } from '../../model/thread.ts'
import type { MadePlan, PlanMessage, PlanTask } from './plan-task.ts'
import { revived, type TaskAnswer, threadUrl } from '../../model/thread.ts'
import type { ConditionMatches } from '../condition-sets/match-schema.ts'
import type { MadePlan, MatchTask, PlanMessage, PlanTask } from './plan-task.ts'

type Task = PlanTask | MatchTask
type Answer = MadePlan | ConditionMatches

import { revived, type TaskAnswer, threadUrl } from '../../model/thread.ts'
import type { CheckedFiles, CheckTask, MadePlan, PlanAnswer, PlanMessage, PlanTask } from './plan-task.ts'

interface Waiting {
  readonly task: PlanTask | CheckTask
  /** the thread answers each task in its kind */
  readonly resolve: (answer: never) => void
  readonly task: Task
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/** Writes the image of an environment to the file for followers, where the thread of plans finds it. */
export type WriteImage = (environment: LogId) => Promise<void>

export class Planner {
  readonly #thread: KeptThread<PlanMessage, MadePlan | undefined>
  readonly #writeImage: WriteImage | undefined

  /**
   * @param data folder of the store
   * @param writeImage without it the thread of plans builds images itself, and keeps them for its own life only
   */
  constructor(data: string, writeImage?: WriteImage) {
    this.#writeImage = writeImage
    this.#thread = new KeptThread({
      name: 'the thread of plans',
      entry: threadUrl(import.meta.url, './plan-thread.ts'),
      workerData: { data },
      idleMs: PLAN_IDLE_MS,
      waitingMax: PLANS_WAITING_MAX,
    })
  }

  /** @throws OVERLOADED, CLOSED, INTERNAL when the thread died, and what the plan throws */
  async plan(task: PlanTask): Promise<MadePlan> {
    const made = await this.#thread.ask({ task, mayBuild: this.#writeImage === undefined })
    if (made !== undefined) return made
  plan(task: PlanTask): Promise<MadePlan> {
    return this.#ask<MadePlan>(task)
  }

  /** Reads policy files. @throws as `plan`, what is about no part of the files */
  check(task: CheckTask): Promise<CheckedFiles> {
    return this.#ask<CheckedFiles>(task)
  }

  #ask<T extends PlanAnswer>(task: PlanTask | CheckTask): Promise<T> {
    return this.#ask(task) as Promise<MadePlan>
  }

  /** Who or what condition sets match. @throws as `plan` */
  match(task: MatchTask): Promise<ConditionMatches> {
    return this.#ask(task) as Promise<ConditionMatches>
  }

  #ask(task: Task): Promise<Answer> {
    if (this.#isClosed) return Promise.reject(new ZerohopError('CLOSED', { what: 'the thread of plans' }))
    const waiting = this.#waiting.size
    if (waiting >= PLANS_WAITING_MAX) return Promise.reject(new ZerohopError('OVERLOADED', { waiting }))
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    worker.ref()
    const id = this.#next++
    return new Promise<T>((resolve, reject) => {
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
    worker.on('message', ({ id, answer }: { id: number; answer: TaskAnswer<PlanAnswer | undefined> }) => {
    worker.on('message', ({ id, answer }: { id: number; answer: TaskAnswer<Answer | undefined> }) => {
      const waiting = this.#waiting.get(id)
      if (waiting === undefined) return
      if ('result' in answer && answer.result === undefined) {
        void this.#withImage(worker, id, waiting.task)
        return
      }
      this.#waiting.delete(id)
      if ('failed' in answer) waiting.reject(revived(answer.failed))
      else if (answer.result !== undefined) waiting.resolve(answer.result as never)
      if (this.#waiting.size === 0) this.#rest(worker)
    })
    worker.on('error', (cause) => this.#died(worker, cause))
    worker.on('exit', () => this.#died(worker, undefined))
    return worker
  }

  /** Has the image written that the thread lacks, and asks once more; when it cannot be written, the thread builds it. */
  async #withImage(worker: Worker, id: number, task: PlanTask | CheckTask): Promise<void> {
  async #withImage(worker: Worker, id: number, task: Task): Promise<void> {
    try {
      await this.#writeImage?.(task.environment)
    } catch {
      // the thread meets the same error, or none
    }
    const built = await this.#thread.ask({ task, mayBuild: true })
    if (built === undefined) throw new ZerohopError('INTERNAL') // it may build, so it answers
    return built
  }

  /** Ends the thread; plans that were not made yet are refused. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}
