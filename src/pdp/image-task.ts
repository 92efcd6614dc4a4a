// Large work on an image, moved off the thread that answers checks. An image memory has exactly one thread: the worker gets a copy and
// gives one back. design.md §4.
import { Image } from '../image/image.ts'
import { unpackDelta } from '../log/codec.ts'
import type { Delta, PackedDelta } from '../log/delta.ts'
import { runTask, threadUrl } from '../model/thread.ts'

export type ImageTask =
  /** the canonical build from the image's own contents */
  | { readonly task: 'compact'; readonly bytes: Uint8Array }
  | { readonly task: 'apply'; readonly bytes: Uint8Array; readonly delta: Delta | PackedDelta }

/** Does the task in this thread and returns the image file that comes out. */
export function doTask(task: ImageTask): Uint8Array {
  const image = Image.load(task.bytes)
  if (task.task === 'compact') return image.compact().save()
  image.apply('packed' in task.delta ? unpackDelta(task.delta) : task.delta)
  return image.save()
}

/**
 * Does the task in a worker thread, which takes the bytes over.
 * @throws what `Image.load` and `Image.apply` throw; INTERNAL when the worker died
 */
export function runInThread(task: ImageTask): Promise<Uint8Array> {
  return runTask(threadUrl(import.meta.url, './image-thread.ts'), task, [task.bytes.buffer as ArrayBuffer])
}
