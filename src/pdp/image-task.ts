// Large work on an image, moved off the thread that answers checks. An image memory has exactly one thread: the worker gets a copy and
// gives one back. design.md §4.
import { Worker } from 'node:worker_threads'
import { Image } from '../image/image.ts'
import { unpackDelta } from '../log/codec.ts'
import type { Delta, PackedDelta } from '../log/delta.ts'
import { ERRORS, type ErrorCode, type ErrorDetails, ZerohopError } from '../model/errors.ts'
import { threadUrl } from '../model/thread.ts'

export type ImageTask =
  /** the canonical build from the image's own contents */
  | { readonly task: 'compact'; readonly bytes: Uint8Array }
  | { readonly task: 'apply'; readonly bytes: Uint8Array; readonly delta: Delta | PackedDelta }

export type TaskAnswer =
  | { readonly bytes: Uint8Array }
  | { readonly failed: { readonly code: string; readonly details: object; readonly message: string } }

/** Does the task in this thread and returns the image file that comes out. */
export function runTask(task: ImageTask): Uint8Array {
  const image = Image.load(task.bytes)
  if (task.task === 'compact') return image.compact().save()
  image.apply('packed' in task.delta ? unpackDelta(task.delta) : task.delta)
  return image.save()
}

/**
 * Does the task in a worker thread.
 * @throws what `Image.load` and `Image.apply` throw; INTERNAL when the worker died
 */
export function runInThread(task: ImageTask): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(threadUrl(import.meta.url, './image-thread.ts'), {
      workerData: task,
      transferList: [task.bytes.buffer as ArrayBuffer],
    })
    worker.once('message', (answer: TaskAnswer) => {
      if ('bytes' in answer) resolve(answer.bytes)
      else reject(revive(answer.failed))
    })
    worker.once('error', (cause) => reject(new ZerohopError('INTERNAL', {}, { cause })))
    worker.once('exit', () => reject(new ZerohopError('INTERNAL')))
  })
}

function revive(failed: { code: string; details: object; message: string }): ZerohopError {
  if (Object.hasOwn(ERRORS, failed.code))
    return new ZerohopError(failed.code as ErrorCode, failed.details as ErrorDetails)
  return new ZerohopError('INTERNAL', {}, { cause: new Error(failed.message) })
}
