// Large work on an image, moved off the thread that answers checks. An image memory has exactly one thread: the worker
// gets a copy and gives one back. Without a worker, or when it is lost, the work is done in many turns on a copy.
import { setImmediate as pause } from 'node:timers/promises'
import { Image } from '../image/image.ts'
import { unpackDelta } from '../log/codec.ts'
import type { Delta, PackedDelta } from '../log/delta.ts'
import { Trust } from '../log/signature.ts'
import { isState, readState } from '../log/state-file.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { IMAGE_TASK_MS, VERIFY_IN_TURN_BYTES_MAX } from '../model/limits.ts'
import { threadUrl } from '../threads/thread-url.ts'
import { WorkerClient } from '../threads/worker-client.ts'

export type ImageTask =
  /** verifies the image, and gives it back */
  | { readonly task: 'verify'; readonly bytes: Uint8Array }
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
  if (task.task === 'verify') {
    Image.load(task.bytes)
    return task.bytes
  }
  const image = Image.load(task.bytes, { verified: true })
  if (task.task === 'compact') return image.compact().save()
  image.apply('packed' in task.delta ? unpackDelta(task.delta) : task.delta)
  return image.save()
}

/**
 * Loads an image from bytes of a feed or a disk: directly, or built by a thread when they are a state. One that is
 * neither signed nor `verified` is verified, a large one by a thread.
 * @throws IMAGE_DAMAGED, IMAGE_FOREIGN, SIGNATURE_INVALID, IMAGE_FULL, FRAME_INVALID, DELTA_INVALID
 */
export async function imageIn(bytes: Uint8Array, trust: Trust | undefined, verified = false): Promise<Image> {
  if (!isState(bytes)) {
    if (verified || trust !== undefined || bytes.length <= VERIFY_IN_TURN_BYTES_MAX)
      return Image.loadSlowly(bytes, pause, { trust, ...(verified ? { verified } : {}) })
    const unverified = async (): Promise<ImageTask> => ({ task: 'verify', bytes: new Uint8Array(bytes) })
    return inThread(unverified, () => Image.loadSlowly(bytes, pause))
  }
  // the thread takes the copy over, and the caller may keep what is signed
  const task = async (): Promise<ImageTask> => ({
    task: 'build',
    bytes: new Uint8Array(bytes),
    publicKey: trust?.pem,
  })
  return inThread(task, () => {
    const { environment, position, changes } = readState(bytes, trust)
    return Image.buildSlowly(environment, position, changes, pause)
  })
}

/** Compacts a copy of the image. `begun` is called in the turn in which the copy is made. */
export function compactCopy(image: Image, begun: () => void): Promise<Image> {
  const task = async (): Promise<ImageTask> => {
    const bytes = await image.saveSlowly(pause)
    begun()
    return { task: 'compact', bytes }
  }
  return inThread(task, () => {
    begun()
    return image.compactSlowly(pause)
  })
}

/** Applies a large delta to a copy of the image, which must not change meanwhile. @throws as `Image.apply` */
export function appliedTo(image: Image, delta: Delta | PackedDelta): Promise<Image> {
  const task = async (): Promise<ImageTask> => ({ task: 'apply', bytes: await image.saveSlowly(pause), delta })
  return inThread(task, () => image.appliedSlowly('packed' in delta ? unpackDelta(delta) : delta, pause))
}

/** Why large work cannot be done by a thread here: a bundler has moved this code without it. Undefined when it can. */
export function missingThread(): ZerohopError | undefined {
  try {
    threadFile()
    return undefined
  } catch (error) {
    return error as ZerohopError
  }
}

const threadFile = (): URL => threadUrl(import.meta.url, './image-thread.ts')

/** What says that a thread cannot be used, ended before it had answered, or has its own trouble: nothing of its task. */
const WITHOUT_THREAD = ['PACKAGE_FILE_MISSING', 'THREAD_LOST', 'INTERNAL'] as const

/**
 * Has a thread do the task; without a thread it is done here, in many turns.
 * @throws what `Image.load`, `Image.build` and `Image.apply` throw
 */
async function inThread(task: () => Promise<ImageTask>, here: () => Promise<Image>): Promise<Image> {
  try {
    const entry = threadFile()
    const sent = await task()
    const thread = new WorkerClient<ImageTask, Uint8Array>({
      name: 'the thread of an image',
      entry: () => entry,
      lives: 'one task',
      timeout: TIMEOUT,
    })
    const result = await thread.ask(sent, [sent.bytes.buffer as ArrayBuffer])
    return await Image.loadSlowly(result, pause, { verified: true }).catch((cause) => {
      throw new ZerohopError('THREAD_LOST', { reason: 'what it made is no image' }, { cause })
    })
  } catch (error) {
    if (!isZerohopError(error, ...WITHOUT_THREAD)) throw error
    return here()
  }
}

const TIMEOUT = {
  ms: IMAGE_TASK_MS,
  error: () => new ZerohopError('THREAD_LOST', { reason: `no answer for ${IMAGE_TASK_MS} ms` }),
}
