// Applies deltas to one image without blocking the event loop: collected in windows, a slice of work per turn, whole
// revisions only; large deltas and compaction run in a worker thread and end with a swap of the image. Feeds and
// retries are in src/pdp/follower.ts.
import { setImmediate as pause } from 'node:timers/promises'
import type { Image } from '../image/image.ts'
import type { Position } from '../log/change.ts'
import { unpackDelta } from '../log/codec.ts'
import type { Delta, PackedDelta } from '../log/delta.ts'
import { contained, inBackground } from '../model/contained.ts'
import { ZerohopError } from '../model/errors.ts'
import {
  APPLY_TURN_MS,
  APPLY_WINDOW_MS,
  COMPACT_BYTES_MIN,
  COMPACT_EVERY_CHANGES,
  DELTA_IN_TURN_MAX,
  PENDING_CHANGES_MAX,
} from '../model/limits.ts'
import type { AnswerHolds, Arrival } from './answer-holds.ts'
import { appliedTo, compactCopy } from './image-task.ts'

export interface ApplierEvents {
  /** the image has a new revision, or was replaced by a compacted one */
  moved(): void
  /** this image cannot take further deltas: FEED_GAP, FEED_FORK, DELTA_INVALID, FRAME_INVALID, POISONED, IMAGE_FULL */
  failed(error: unknown): void
  /** true while a caller waits for a later revision */
  hurried(): boolean
  /** what holds changes back */
  readonly holds: AnswerHolds
}

type AnyDelta = Delta | PackedDelta

interface Pending {
  readonly delta: AnyDelta
  readonly arrival: Arrival
}

export class Applier {
  /** the image that has everything applied so far */
  image: Image
  readonly #events: ApplierEvents
  #pending: Pending[] = []
  #pendingChanges = 0
  #timer: NodeJS.Timeout | undefined
  #turn: NodeJS.Immediate | undefined
  /**
   * the background job: during `copy` and `apply` deltas wait; during a compaction they are applied and repeated on the
   * compacted image
   */
  #job: 'copy' | 'compact' | 'apply' | undefined
  /** deltas applied during a compaction, which the compacted image needs too */
  #since: AnyDelta[] = []
  #sinceCompaction = 0
  #drained: (() => void)[] = []
  #closed = false

  constructor(image: Image, events: ApplierEvents) {
    this.image = image
    this.#events = events
  }

  /** The position after all pushed deltas. */
  get received(): Position {
    const last = this.#pending.at(-1)?.delta
    return last === undefined ? this.image.position : { revision: last.to, chain: last.chain }
  }

  /** True when all pushed deltas are applied. */
  get settled(): boolean {
    return this.#pending.length === 0
  }

  /** Queues a delta. While `isFull`, await `drained` before the next one. */
  push(delta: AnyDelta): void {
    if (delta.to <= this.received.revision) return
    this.#pending.push({ delta, arrival: this.#events.holds.arrival() })
    this.#pendingChanges += size(delta)
    this.#schedule()
  }

  /** True when the queue has reached its limit. */
  get isFull(): boolean {
    return !this.#closed && this.#pendingChanges > PENDING_CHANGES_MAX
  }

  /** Resolves when the queue has room again, or the applier has stopped. */
  drained(): Promise<void> {
    if (!this.isFull) return Promise.resolve()
    return new Promise((resolve) => this.#drained.push(resolve))
  }

  /** Applies queued deltas now instead of at the end of the window. */
  hurry(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#nextTurn()
  }

  /** Deltas that were held may be applied now. */
  goOn(): void {
    if (this.#pending.length === 0 || this.#closed) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#nextTurn()
  }

  /** The bytes of the image, copied in many short turns while deltas wait; undefined while another job runs. */
  async copy(): Promise<Uint8Array | undefined> {
    if (this.#job !== undefined || this.#closed) return undefined
    this.#job = 'copy'
    try {
      return await this.image.saveSlowly(pause)
    } finally {
      this.#job = undefined
      if (this.#pending.length > 0 && !this.#closed) this.#nextTurn()
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    clearImmediate(this.#turn)
    this.#pending = []
    this.#release()
  }

  get #held(): boolean {
    return this.#job === 'apply' || this.#job === 'copy'
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#turn !== undefined || this.#held) return
    if (this.#events.hurried()) this.#nextTurn()
    else this.#runAfter(APPLY_WINDOW_MS)
  }

  #runAfter(ms: number): void {
    const applies = contained('applying changes', () => {
      this.#timer = undefined
      this.#run()
    })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(applies, ms)
  }

  /** For how many milliseconds the next delta is held yet. */
  #heldMs(next: Pending | undefined): number {
    return next === undefined ? 0 : this.#events.holds.heldMs(next.arrival, this.#events.hurried())
  }

  #nextTurn(): void {
    const applies = contained('applying changes', () => {
      this.#turn = undefined
      this.#run()
    })
    this.#turn ??= setImmediate(applies)
  }

  #run(): void {
    if (this.#closed || this.#held) return
    try {
      this.#applySlice()
    } catch (error) {
      this.close()
      this.#events.failed(error)
    }
  }

  #applySlice(): void {
    const until = performance.now() + APPLY_TURN_MS
    let applied = 0
    while (applied < this.#pending.length) {
      const next = this.#pending[applied]!
      const { delta } = next
      if (size(delta) > DELTA_IN_TURN_MAX || this.#heldMs(next) > 0) break
      this.image.apply(unpack(delta))
      applied++
      this.#applied(delta)
      if (performance.now() > until) break
    }
    this.#pending.splice(0, applied)
    if (this.#pendingChanges <= PENDING_CHANGES_MAX) this.#release()
    if (applied > 0) this.#events.moved()
    const next = this.#pending[0]
    const heldMs = this.#heldMs(next)
    if (heldMs > 0) this.#runAfter(Math.ceil(heldMs))
    else if (next !== undefined && size(next.delta) > DELTA_IN_TURN_MAX) {
      if (this.#job === undefined) inBackground('applying a large change', this.#applyInThread(next.delta))
    } else if (next !== undefined) this.#nextTurn()
    else this.#compactIfWorthwhile()
  }

  #applied(delta: AnyDelta): void {
    this.#pendingChanges -= size(delta)
    this.#sinceCompaction += size(delta)
    if (this.#job === 'compact') this.#since.push(delta)
  }

  async #applyInThread(delta: AnyDelta): Promise<void> {
    this.#job = 'apply'
    try {
      const image = await appliedTo(this.image, delta)
      if (this.#closed) return
      this.image = image
      this.#pending.shift()
      this.#applied(delta)
      this.#job = undefined
      this.#events.moved()
      this.#nextTurn()
    } catch (error) {
      if (this.#closed) return
      this.close()
      this.#events.failed(error)
    }
  }

  #compactIfWorthwhile(): void {
    if (this.#job !== undefined || this.#sinceCompaction < COMPACT_EVERY_CHANGES) return
    this.#sinceCompaction = 0
    const { bytes, garbageBytes } = this.image.stats()
    if (garbageBytes * 3 > bytes && garbageBytes > COMPACT_BYTES_MIN)
      inBackground('compacting an image', this.#compact())
  }

  async #compact(): Promise<void> {
    this.#job = 'copy'
    try {
      const image = await compactCopy(this.image, () => {
        this.#job = 'compact'
        this.#since = []
        if (this.#pending.length > 0 && !this.#closed) this.#nextTurn()
      })
      await this.#catchUp(image)
      if (this.#closed) return
      this.image = image
      this.#events.moved()
    } catch {
      // The answering image is unchanged; a later compaction tries again.
    } finally {
      this.#job = undefined
      this.#since = []
      if (this.#pending.length > 0 && !this.#closed) this.#nextTurn()
    }
  }

  /**
   * Applies to `image` the deltas that the answering image got meanwhile, a slice per turn; returns in the turn in
   * which none is left.
   */
  async #catchUp(image: Image): Promise<void> {
    while (this.#since.length > 0 && !this.#closed) {
      const until = performance.now() + APPLY_TURN_MS
      let applied = 0
      while (applied < this.#since.length && performance.now() < until) image.apply(unpack(this.#since[applied++]!))
      this.#since.splice(0, applied)
      if (this.#since.length > 0) await pause()
    }
    if (image.revision !== this.image.revision && !this.#closed) throw new ZerohopError('INTERNAL')
  }

  #release(): void {
    for (const resolve of this.#drained.splice(0)) resolve()
  }
}

function size(delta: AnyDelta): number {
  return 'packed' in delta ? delta.count : delta.changes.length
}

function unpack(delta: AnyDelta): Delta {
  return 'packed' in delta ? unpackDelta(delta) : delta
}
