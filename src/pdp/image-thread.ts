// Entry of the worker thread that does large work on an image: compaction, or deltas too large for one turn of the event loop. It gets a copy
// of the image as a file and answers with one. Started by src/pdp/image-task.ts; answers exactly one task, then ends.
import { parentPort, workerData } from 'node:worker_threads'
import { type ImageTask, runTask, type TaskAnswer } from './image-task.ts'

const answer = attempt(workerData as ImageTask)
parentPort?.postMessage(answer, 'bytes' in answer ? [answer.bytes.buffer as ArrayBuffer] : [])

function attempt(task: ImageTask): TaskAnswer {
  try {
    return { bytes: runTask(task) }
  } catch (error) {
    const { code, details, message } = error as { code?: string; details?: object; message?: string }
    return { failed: { code: code ?? 'INTERNAL', details: details ?? {}, message: message ?? String(error) } }
  }
}
