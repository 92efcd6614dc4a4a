// Entry of the worker thread that makes access reviews: it keeps the images of the revisions that were asked about
// last.
import { parentPort, workerData } from 'node:worker_threads'
import type { KeptTask } from '../../model/kept-thread.ts'
import { answerSlowTask } from '../../model/thread.ts'
import { closePort } from '../../threads/close-port.ts'
import type { PastPlace } from '../past/past-task.ts'
import { Reviews } from './do-review.ts'
import type { ReviewTask } from './review-task.ts'

const reviews = new Reviews(workerData as PastPlace)

parentPort?.on('message', (message: KeptTask<ReviewTask> | 'close') => {
  if (message === 'close') closePort(parentPort)
  else void answer(message)
})

async function answer({ id, task }: KeptTask<ReviewTask>): Promise<void> {
  parentPort?.postMessage({ id, answer: await answerSlowTask(() => reviews.do(task)) })
}
