// Entry of the worker thread that does large work on an image: compaction, or deltas too large for one turn of the
// event loop. It gets a copy of the image as a file and answers with one. Started by src/pdp/image-task.ts; answers
// exactly one task, then ends.
import { parentPort, workerData } from 'node:worker_threads'
import 'msgpackr' // its native part, for a state or a large delta is unpacked here
import { answerTask } from '../model/thread.ts'
import { doTask, type ImageTask } from './image-task.ts'

const answer = answerTask(() => doTask(workerData as ImageTask))
parentPort?.postMessage(answer, 'result' in answer ? [answer.result.buffer as ArrayBuffer] : [])
