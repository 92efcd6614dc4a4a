// The thread that makes plans, from the side of the server. Plans are made one after the other, because each may take
// all of a processor; others are made while the first image of a large environment is written.
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PLAN_IDLE_MS, PLANS_WAITING_MAX } from '../../model/limits.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { WorkerClient } from '../../threads/worker-client.ts'
import type { ConditionMatches } from '../schemas/condition-matches.ts'
import type { CheckedFiles, CheckTask, MadePlan, MatchTask, PlanAnswer, PlanMessage, PlanTask } from './plan-task.ts'

/** Writes the image of an environment to the file for followers, where the thread of plans finds it. */
export type WriteImage = (environment: LogId) => Promise<void>

export class Planner {
  readonly #thread: WorkerClient<PlanMessage, PlanAnswer>
  readonly #writeImage: WriteImage | undefined

  /**
   * @param data folder of the store
   * @param writeImage without it the thread of plans builds images itself, and keeps them for its own life only
   */
  constructor(data: string, writeImage?: WriteImage) {
    this.#writeImage = writeImage
    const entry = threadUrl(import.meta.url, './plan-thread.ts')
    this.#thread = new WorkerClient({
      name: 'the thread of plans',
      entry: () => entry,
      workerData: { data },
      lives: { idleMs: PLAN_IDLE_MS },
      waitingMax: PLANS_WAITING_MAX,
    })
  }

  /** @throws OVERLOADED, CLOSED, INTERNAL when the thread died, and what the plan throws */
  plan(task: PlanTask): Promise<MadePlan> {
    return this.#ask<MadePlan>(task)
  }

  /** Reads policy files. @throws as `plan`, what is about no part of the files */
  check(task: CheckTask): Promise<CheckedFiles> {
    return this.#ask<CheckedFiles>(task)
  }

  /** Who or what condition sets match. @throws as `plan` */
  match(task: MatchTask): Promise<ConditionMatches> {
    return this.#ask<ConditionMatches>(task)
  }

  /** The thread answers each task in its kind, which is `A`. */
  async #ask<A extends PlanAnswer>(task: PlanMessage['task']): Promise<A> {
    const answer = await this.#thread.ask({ task, mayBuild: this.#writeImage === undefined })
    if (answer !== undefined) return answer as A
    try {
      await this.#writeImage?.(task.environment)
    } catch {
      // the thread meets the same error, or none
    }
    const built = await this.#thread.ask({ task, mayBuild: true })
    if (built === undefined) throw new ZerohopError('INTERNAL') // it may build, so it answers
    return built as A
  }

  /** Ends the thread; plans that were not made yet are refused. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}
