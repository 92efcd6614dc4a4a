// Large work on an image, moved off the thread that answers checks. An image memory has exactly one thread: the worker
// gets a copy and gives one back.
import { setImmediate as pause } from 'node:timers/promises'
import { Image } from '../image/image.ts'
import { unpackDelta } from '../log/codec.ts'
import type { Delta, PackedDelta } from '../log/delta.ts'
import { Trust } from '../log/signature.ts'
import { isState, readState } from '../log/state-file.ts'
import { runTask, threadUrl } from '../model/thread.ts'

export type ImageTask =
  /** builds an image from the state as changes; with a public key the state must be signed */
  | { readonly task: 'build'; readonly bytes: Uint8Array; readonly publicKey: string | undefined }
  /** the canonical build from the image's own contents */
  | { readonly task: 'compact'; readonly bytes: Uint8Array }
  | { readonly task: 'apply'; readonly bytes: Uint8Array; readonly delta: Delta | PackedDelta }

/** Does the task in this thread and returns the resulting image file. */
export function doTask(task: ImageTask): Uint8Array {
  if (task.task === 'build') {
    const trust = task.publicKey === undefined ? undefined : new Trust(task.publicKey)
    const { environment, position, changes } = readState(task.bytes, trust)
    return Image.build(environment, position, changes).save()
  }
  const image = Image.load(task.bytes)
  if (task.task === 'compact') return image.compact().save()
  image.apply('packed' in task.delta ? unpackDelta(task.delta) : task.delta)
  return image.save()
}

/**
 * Loads an image from bytes of a feed or a disk: directly, or built by a thread when they are a state.
 * @throws IMAGE_DAMAGED, IMAGE_FOREIGN, SIGNATURE_INVALID, IMAGE_FULL, FRAME_INVALID, DELTA_INVALID
 */
export async function imageIn(bytes: Uint8Array, trust: Trust | undefined): Promise<Image> {
  if (!isState(bytes)) return Image.loadSlowly(bytes, pause, { trust })
  const copy = new Uint8Array(bytes) // the thread takes it over, and the caller may keep what is signed
  return Image.loadSlowly(await runInThread({ task: 'build', bytes: copy, publicKey: trust?.pem }), pause)
}

/**
 * Does the task in a worker thread, to which the bytes are transferred.
 * @throws what `Image.load`, `Image.build` and `Image.apply` throw; INTERNAL when the worker died
 */
export function runInThread(task: ImageTask): Promise<Uint8Array> {
  return runTask(threadUrl(import.meta.url, './image-thread.ts'), task, [task.bytes.buffer as ArrayBuffer])
}
