// Entry of the worker thread that makes plans: it reads the folder beside the store, keeps images between plans, and
// answers one plan after the other. It also answers who or what condition sets match, of the same images.
import { parentPort, workerData } from 'node:worker_threads'
import type { KeptTask } from '../../model/kept-thread.ts'
import { answerTask } from '../../model/thread.ts'
import { openReader } from '../../store/reader.ts'
import { checkFiles } from './check-files.ts'
import { findMatches } from '../condition-sets/find-matches.ts'
import { makePlan } from './make-plan.ts'
import { PlanImages } from './plan-images.ts'
import type { PlanAnswer, PlanMessage } from './plan-task.ts'

const { data } = workerData as { readonly data: string }
const reader = openReader(data)
const images = new PlanImages(reader, data)

parentPort?.on('message', (message: KeptTask<PlanMessage> | 'close') => {
  if (message === 'close') {
    void reader.close().then(() => parentPort?.close())
    return
  }
  reader.refresh()
  const answer = answerTask(() => makePlan(reader, images, message.task))
  const { task, mayBuild } = message
  const answer = answerTask(() =>
    'matched' in task
      ? findMatches(reader.view(task.environment), images, { task, mayBuild })
      : makePlan(reader, images, { task, mayBuild }),
  )
  parentPort?.postMessage({ id: message.id, answer })
  const { id, task, mayBuild } = message
  const answer = answerTask<PlanAnswer | undefined>(() =>
    'files' in task ? checkFiles(reader, task) : makePlan(reader, images, task, mayBuild),
  )
  parentPort?.postMessage({ id, answer })
})
