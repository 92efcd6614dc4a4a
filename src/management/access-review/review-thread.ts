// Entry of the worker thread that makes access reviews: it keeps the images of the revisions that were asked about
// last.
import { workerData } from 'node:worker_threads'
import { serveSlow } from '../../threads/worker-host.ts'
import type { PastPlace } from '../past/past-task.ts'
import { Reviews } from './do-review.ts'
import type { ReviewTask } from './review-task.ts'

const reviews = new Reviews(workerData as PastPlace)

serveSlow((task: ReviewTask) => reviews.do(task))
