// Keeps the image of a follower on disk. Without signatures that is the current image. With signatures it is the signed
// image as received and the signed deltas after it, so that the file is verified by its signatures too.
import { setImmediate as pause } from 'node:timers/promises'
import type { Image } from '../image/image.ts'
import { encodeFrame, openDecoder, unpackDelta } from '../log/codec.ts'
import type { PackedDelta } from '../log/delta.ts'
import type { Trust } from '../log/signature.ts'
import { ZerohopError } from '../model/errors.ts'
import { type OnEvent, tell } from '../model/events.ts'
import { APPLY_TURN_MS, SIGNED_DELTAS_BYTES_MAX } from '../model/limits.ts'
import { imageIn } from './image-task.ts'
import type { LastImage } from './last-image.ts'

export interface KeeperOptions {
  readonly lastImage: LastImage
  /** images and deltas are signed */
  readonly trust: Trust | undefined
  /** milliseconds between two writes */
  readonly saveMs: number
  /** the image that answers */
  readonly current: () => Image | undefined
  /** its bytes, copied without a long turn; undefined when that is not possible now */
  readonly copy: (image: Image) => Promise<Uint8Array | undefined>
  /** milliseconds since the management side last confirmed that this image is current */
  readonly ageMs: () => number | undefined
  readonly onEvent: OnEvent<KeeperEvent>
}

export interface KeeperEvent {
  readonly event: 'last image not written'
  readonly error: ZerohopError
}

export class ImageKeeper {
  readonly #options: KeeperOptions
  #timer: NodeJS.Timeout | undefined
  /** revision on disk; 0 when there is none */
  #saved = 0
  /** true when an image was on disk, or a write was attempted */
  #begun = false
  #stopped = false
  /** a signed image that is not on disk yet */
  #original: Uint8Array | undefined
  #deltas: Uint8Array[] = []
  #deltaBytes = 0

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  /**
   * The image on disk, or `none` when there was nothing to follow, with its age. @throws IMAGE_DAMAGED,
   * SIGNATURE_INVALID
   */
  async read(): Promise<{ readonly image: Image | 'none'; readonly ageMs: number } | undefined> {
    const { lastImage, trust } = this.#options
    const read = await lastImage.read()
    if (read === undefined) return undefined
    if (read.bytes.length === 0) return { image: 'none', ageMs: read.ageMs }
    const image = await imageIn(read.bytes, trust)
    if (trust !== undefined) await this.#applyDeltas(image, trust)
    this.#saved = image.revision
    this.#begun = true
    return { image, ageMs: read.ageMs }
  }

  /** A fresh image arrived, with its signature. */
  took(bytes: Uint8Array): void {
    if (this.#options.trust === undefined) return
    this.#original = bytes
    this.#deltas = []
    this.#deltaBytes = 0
  }

  /** A delta arrived, with its signature. */
  received(delta: PackedDelta): void {
    const frame = encodeFrame({ type: 'packed', delta })
    this.#deltas.push(frame)
    this.#deltaBytes += frame.length
  }

  /** True when so many signed deltas follow the image on disk that a fresh one is due. */
  get isFull(): boolean {
    return this.#deltaBytes > SIGNED_DELTAS_BYTES_MAX
  }

  /** Schedules a write; the first image is written at once. */
  saveSoon(): void {
    if (this.#timer !== undefined) return
    const save = (): void => {
      this.#timer = undefined
      const image = this.#options.current()
      if (image !== undefined) void this.save(image)
    }
    this.#timer = setTimeout(save, this.#begun ? this.#options.saveMs : 0)
    this.#timer.unref()
  }

  /** `last`: the image no longer changes. */
  async save(image: Image, last = false): Promise<void> {
    const { lastImage, trust, copy } = this.#options
    const { revision } = image
    this.#begun = true
    await this.#tried(async () => {
      const ageMs = this.#options.ageMs() ?? Number.POSITIVE_INFINITY
      if (revision === this.#saved) return lastImage.touch(ageMs)
      if (trust !== undefined) {
        this.#saved = revision
        return this.#saveSigned(ageMs)
      }
      const bytes = await (last ? image.saveSlowly(pause) : copy(image))
      if (bytes === undefined || (this.#stopped && !last)) return
      this.#saved = revision
      await lastImage.write(bytes, ageMs)
    })
  }

  async #tried(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (cause) {
      this.#saved = 0
      const reason = cause instanceof Error ? cause.message : String(cause)
      const error = new ZerohopError('DISK_FAILED', { reason }, { cause })
      tell(this.#options.onEvent, { event: 'last image not written', error })
    }
  }

  /** Stores that there is nothing to follow. */
  async saveNone(): Promise<void> {
    await this.#tried(() => this.#options.lastImage.writeNone())
  }

  /** Deletes the files: the key was revoked or the environment deleted. */
  erase(): void {
    void this.#options.lastImage.erase()
  }

  /** Cancels a write whose copy is still being made. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #saveSigned(ageMs: number): Promise<void> {
    const { lastImage } = this.#options
    const original = this.#original
    const deltas = this.#deltas.splice(0)
    try {
      if (original !== undefined) await lastImage.write(original, ageMs)
      if (this.#original === original) this.#original = undefined
      if (deltas.length > 0) await lastImage.append(Buffer.concat(deltas), ageMs)
      else await lastImage.touch(ageMs)
    } catch (error) {
      this.#deltas.unshift(...deltas)
      throw error
    }
  }

  /** Stops at the first delta that does not continue the image: an incompletely written one is not needed. */
  async #applyDeltas(image: Image, trust: Trust): Promise<void> {
    const decoder = await openDecoder(trust)
    let until = performance.now() + APPLY_TURN_MS
    try {
      for await (const bytes of this.#options.lastImage.appended()) {
        this.#deltaBytes += bytes.length
        for (const frame of decoder.push(bytes)) {
          if ((frame.type !== 'delta' && frame.type !== 'packed') || frame.delta.to <= image.revision) continue
          image.apply(frame.type === 'packed' ? unpackDelta(frame.delta) : frame.delta)
          if (performance.now() < until) continue
          await pause()
          until = performance.now() + APPLY_TURN_MS
        }
      }
    } catch (error) {
      if (image.poisoned) throw error
    }
  }
}
