// Keeps the image of a follower on disk. Without signatures that is the current image. With signatures it is the signed
// image as received and the signed deltas after it, so that the file is verified by its signatures too.
import { setImmediate as pause } from 'node:timers/promises'
import type { Image } from '../image/image.ts'
import { encodeFrame, openDecoder, unpackDelta } from '../log/codec.ts'
import type { PackedDelta } from '../log/delta.ts'
import type { Trust } from '../log/signature.ts'
import { contained, inBackground } from '../model/contained.ts'
import { ZerohopError } from '../model/errors.ts'
import { type OnEvent, tell } from '../model/events.ts'
import { APPLY_TURN_MS, SIGNED_DELTAS_BYTES_MAX } from '../model/limits.ts'
import type { Moment } from '../model/moment.ts'
import { imageIn } from './image-task.ts'
import type { LastImage } from './last-image.ts'
import { type Pin, type Pinned, pinBytes, readPin } from './pinned.ts'

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
  /** when it was last known to be current, in ms since 1970; undefined when that is unknown */
  readonly confirmedAt: () => number | undefined
  /** what is remembered of the history */
  readonly pinned: Pinned | undefined
  readonly onEvent: OnEvent<KeeperEvent>
}

export interface KeeperEvent {
  readonly event: 'last image not written'
  readonly error: ZerohopError
}

export class ImageKeeper {
  readonly #options: KeeperOptions
  #timer: NodeJS.Timeout | undefined
  /** chain of the image on disk; empty without one */
  #saved = ''
  #savedPin: Pin | undefined
  /** true when an image was on disk, or a write was attempted */
  #begun = false
  #stopped = false
  /** a signed image that does not answer yet, and its deltas: nothing of it may replace what does */
  #candidate: { readonly bytes: Uint8Array; readonly deltas: Uint8Array[]; deltaBytes: number } | undefined
  /** a signed image that is not on disk yet */
  #original: Uint8Array | undefined
  #deltas: Uint8Array[] = []
  #deltaBytes = 0

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  /**
   * The image on disk, or `none` when there was nothing to follow, with its age. @throws IMAGE_DAMAGED,
   * SIGNATURE_INVALID, FOREIGN_ENVIRONMENT, ROLLED_BACK
   */
  async read(): Promise<{ readonly image: Image | 'none'; readonly at: Moment | undefined } | undefined> {
    const { lastImage, trust, pinned } = this.#options
    const pin = pinned && (await lastImage.pin())
    if (pin !== undefined) pinned?.restore(readPin(pin))
    this.#savedPin = pinned?.pin
    const read = await lastImage.read()
    if (read === undefined) return undefined
    if (read.bytes.length === 0) return { image: 'none', at: read.at }
    const image = await imageIn(read.bytes, trust, true) // sealed with the API key
    if (trust !== undefined) await this.#applyDeltas(image, trust)
    this.#saved = image.position.chain
    this.#begun = true
    this.#requirePinned(image)
    return { image, at: read.at }
  }

  /**
   * The file is that of the environment, and not an earlier one that was put in its place. Without a pin, as from an
   * earlier version, what is remembered begins with it. @throws FOREIGN_ENVIRONMENT, ROLLED_BACK
   */
  #requirePinned({ environment, revision }: Image): void {
    const { pinned } = this.#options
    pinned?.requireEnvironment('the last image', environment)
    const refusal = pinned?.refusal('the last image', revision)
    if (refusal !== undefined) throw refusal
    if (pinned?.pin === undefined) pinned?.answers(environment, revision)
  }

  /** A fresh image arrived, with its signature. It is kept once it answers. */
  took(bytes: Uint8Array): void {
    if (this.#options.trust !== undefined) this.#candidate = { bytes, deltas: [], deltaBytes: 0 }
  }

  /** The image that arrived last answers. */
  answers(): void {
    if (this.#candidate === undefined) return
    const { bytes, deltas, deltaBytes } = this.#candidate
    this.#candidate = undefined
    this.#original = bytes
    this.#deltas = deltas
    this.#deltaBytes = deltaBytes
  }

  /** A delta arrived, with its signature. */
  received(delta: PackedDelta): void {
    const frame = encodeFrame({ type: 'packed', delta })
    if (this.#candidate !== undefined) {
      this.#candidate.deltas.push(frame)
      this.#candidate.deltaBytes += frame.length
      return
    }
    this.#deltas.push(frame)
    this.#deltaBytes += frame.length
  }

  /** True when so many signed deltas follow the image on disk that a fresh one is due. */
  get isFull(): boolean {
    return (this.#candidate?.deltaBytes ?? this.#deltaBytes) > SIGNED_DELTAS_BYTES_MAX
  }

  /** Schedules a write; the first image is written at once. */
  saveSoon(): void {
    if (this.#timer !== undefined) return
    const save = contained('saving the last image', () => {
      this.#timer = undefined
      const image = this.#options.current()
      if (image !== undefined) inBackground('saving the last image', this.save(image))
    })
    this.#timer = setTimeout(save, this.#begun ? this.#options.saveMs : 0)
    this.#timer.unref()
  }

  /** `last`: the image no longer changes. */
  async save(image: Image, last = false): Promise<void> {
    const { lastImage, trust, copy } = this.#options
    const { chain } = image.position
    this.#begun = true
    await this.#tried(async () => {
      const at = this.#options.confirmedAt() ?? 0
      const isPinned = this.#savedPin === this.#options.pinned?.pin
      if (chain === this.#saved && isPinned) return lastImage.touch(at)
      if (trust !== undefined) {
        this.#saved = chain
        return this.#saveSigned(at)
      }
      const bytes = await (last ? image.saveSlowly(pause) : copy(image))
      if (bytes === undefined || (this.#stopped && !last)) return
      this.#saved = chain
      await lastImage.write(bytes, at)
    })
  }

  async #tried(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (cause) {
      this.#saved = ''
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
    inBackground('erasing the last image', this.#options.lastImage.erase())
  }

  /** Cancels a write whose copy is still being made. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #saveSigned(at: number): Promise<void> {
    const { lastImage, pinned } = this.#options
    const pin = pinned?.pin
    const original = this.#original
    const deltas = this.#deltas.splice(0)
    try {
      if (original !== undefined) await lastImage.write(original, at)
      if (this.#original === original) this.#original = undefined
      if (deltas.length > 0) await lastImage.append(Buffer.concat(deltas), at)
      else await lastImage.touch(at)
      // behind the image: what is remembered must never be ahead of what a restart begins with
      if (pin !== undefined && pin !== this.#savedPin) await lastImage.writePin(pinBytes(pin))
      this.#savedPin = pin
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
