// The thread of access reviews, from the side of the server.
import { REVIEW_IDLE_MS, REVIEWS_WAITING_MAX } from '../../model/limits.ts'
import { threadUrl } from '../../threads/thread-url.ts'
import { WorkerClient } from '../../threads/worker-client.ts'
import type { PastPlace } from '../past/past-task.ts'
import type { ReviewResults, ReviewTask } from './review-task.ts'

export class Reviewer {
  readonly #thread: WorkerClient<ReviewTask, ReviewResults[ReviewTask['task']]>

  constructor(place: PastPlace) {
    const entry = threadUrl(import.meta.url, './review-thread.ts')
    this.#thread = new WorkerClient({
      name: 'the thread of access reviews',
      entry: () => entry,
      workerData: place,
      lives: { idleMs: REVIEW_IDLE_MS },
      waitingMax: REVIEWS_WAITING_MAX,
    })
  }

  /**
   * @throws OVERLOADED, CLOSED, INTERNAL when the thread died; REVISION_GONE, INPUT_INVALID for a cursor that no page gave
   */
  async ask<T extends ReviewTask>(task: T): Promise<ReviewResults[T['task']]> {
    return (await this.#thread.ask(task)) as ReviewResults[T['task']] // the thread answers what it is asked
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
