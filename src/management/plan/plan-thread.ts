// Entry of the worker thread that makes plans: it reads the folder beside the store, keeps images between plans, and
// answers one task after the other: plans, policy files to be judged, and who or what condition sets match.
import { workerData } from 'node:worker_threads'
import { openReader } from '../../store/reader.ts'
import { serve } from '../../threads/worker-host.ts'
import { checkFiles } from './check-files.ts'
import { findMatches } from './find-matches.ts'
import { makePlan } from './make-plan.ts'
import { PlanImages } from './plan-images.ts'
import type { PlanAnswer, PlanMessage } from './plan-task.ts'

const { data } = workerData as { readonly data: string }
const reader = openReader(data)
const images = new PlanImages(reader, data)

function answer({ task, mayBuild }: PlanMessage): PlanAnswer {
  reader.refresh()
  if ('files' in task) return checkFiles(reader, task)
  if ('matched' in task) return findMatches(reader.view(task.environment), images, task, mayBuild)
  return makePlan(reader, images, task, mayBuild)
}

serve(answer, { close: () => reader.close() })
