// The answering side of a follower: the current image, its source and age, and the callers that wait for a later
// revision. It does not know feeds or appliers: src/pdp/follower.ts calls it. An image that is too old gives STALE,
// never a deny.
import type { Image } from '../image/image.ts'
import { type ErrorCode, isZerohopError, ZerohopError } from '../model/errors.ts'
import { FEED_SILENCE_MS, WAITERS_MAX } from '../model/limits.ts'

export type ImageSource = 'feed' | 'file'

export interface FollowerState {
  /** revision of the image that answers */
  readonly revision: number | undefined
  /** milliseconds since the management side last confirmed that this image is current */
  readonly ageMs: number | undefined
  readonly source: ImageSource | undefined
  /** true when the last heartbeat is older than the feed may be silent */
  readonly stale: boolean
}

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
  readonly reject: (error: ZerohopError) => void
  readonly timer: NodeJS.Timeout
}

export class Answering {
  /** The image that may answer now; undefined when there is none, for the reason of `refusal()`. */
  current: Image | undefined
  readonly #maxStalenessMs: number | undefined
  /** the image that answers, unless it is too old or broken */
  #image: Image | undefined
  #source: ImageSource | undefined
  /** moment of the last heartbeat whose revision is applied, in milliseconds of performance.now() */
  #currentAt: number | undefined
  #poisoned = false
  #ended: ZerohopError | undefined
  /** why there is no image yet, when known */
  #failure: ZerohopError | undefined
  /** ill-typed values counted by earlier images */
  #illTypedBefore = 0
  #waiters: Waiter[] = []
  #staleTimer: NodeJS.Timeout | undefined

  /** `maxStalenessMs` after the last heartbeat checks throw STALE; default never. */
  constructor(maxStalenessMs: number | undefined) {
    this.#maxStalenessMs = maxStalenessMs
  }

  get image(): Image | undefined {
    return this.#image
  }

  get source(): ImageSource | undefined {
    return this.#source
  }

  /** Why it has ended for good; undefined while it has not. */
  get ended(): ZerohopError | undefined {
    return this.#ended
  }

  get isAwaited(): boolean {
    return this.#waiters.length > 0
  }

  get state(): FollowerState {
    const ageMs = this.#currentAt === undefined ? undefined : performance.now() - this.#currentAt
    const stale = ageMs === undefined || ageMs > FEED_SILENCE_MS
    return { revision: this.#image?.revision, ageMs, source: this.#source, stale }
  }

  get illTyped(): number {
    return this.#illTypedBefore + (this.#image?.illTyped ?? 0)
  }

  /** Why `current` is undefined. */
  refusal(): ZerohopError {
    if (this.#ended) return this.#ended
    if (this.#poisoned) return new ZerohopError('POISONED')
    if (this.#image === undefined) return notReady(this.#failure)
    const ageMs = Math.round(this.state.ageMs ?? 0)
    return new ZerohopError('STALE', { ageMs, limitMs: this.#maxStalenessMs })
  }

  /** Sets the image that answers from now on; also called for the same image at a later revision. */
  answer(image: Image, source: ImageSource): void {
    if (this.#image !== image) this.#illTypedBefore += this.#image?.illTyped ?? 0
    this.#image = image
    this.#source = source
    this.#poisoned = false
    this.#failure = undefined
    this.#publish()
    this.#settleWaiters(image.revision)
  }

  /** The management side confirmed `agoMs` ago that the image is current. */
  heard(agoMs: number): void {
    this.#currentAt = performance.now() - agoMs
    if (this.#maxStalenessMs === undefined) return
    clearTimeout(this.#staleTimer)
    // a timer may fire a millisecond early, and cuts off fractions
    const leftMs = Math.ceil(Math.max(0, this.#maxStalenessMs - agoMs)) + 2
    this.#staleTimer = setTimeout(() => this.#publish(), leftMs)
    this.#staleTimer.unref()
  }

  /** Loading an image failed. */
  failed(error: ZerohopError): void {
    this.#failure = error
  }

  /** The image is broken: checks throw until there is another one. */
  poison(): void {
    this.#poisoned = true
    this.#publish()
  }

  /**
   * Resolves when the image that answers has `revision`.
   * @throws REVISION_TIMEOUT, OVERLOADED, or the reason why it has ended
   */
  atLeast(revision: number, timeoutMs: number): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended)
    if (this.current !== undefined && this.current.revision >= revision) return Promise.resolve()
    if (this.#waiters.length >= WAITERS_MAX)
      return Promise.reject(new ZerohopError('OVERLOADED', { waiting: WAITERS_MAX }))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters = this.#waiters.filter((waiter) => waiter.timer !== timer)
        const have = this.#image?.revision ?? 0
        reject(new ZerohopError('REVISION_TIMEOUT', { wanted: revision, timeoutMs, have }))
      }, timeoutMs)
      this.#waiters.push({ revision, resolve, reject, timer })
    })
  }

  /** Ends answering for good. */
  end(error: ZerohopError): void {
    this.#ended = error
    this.#illTypedBefore = this.illTyped
    this.#image = undefined
    this.#publish()
    clearTimeout(this.#staleTimer)
    for (const waiter of this.#waiters.splice(0)) {
      clearTimeout(waiter.timer)
      waiter.reject(error)
    }
  }

  #publish(): void {
    const limitMs = this.#maxStalenessMs
    const tooOld = limitMs !== undefined && (this.state.ageMs ?? Number.POSITIVE_INFINITY) > limitMs
    this.current = this.#ended || this.#poisoned || tooOld ? undefined : this.#image
  }

  #settleWaiters(revision: number): void {
    if (this.#waiters.length === 0 || this.current === undefined) return
    const waiting: Waiter[] = []
    for (const waiter of this.#waiters) {
      if (waiter.revision > revision) waiting.push(waiter)
      else {
        clearTimeout(waiter.timer)
        waiter.resolve()
      }
    }
    this.#waiters = waiting
  }
}

/** Errors that a fresh image does not fix: none can be built, or none is trusted. */
const LASTING: readonly ErrorCode[] = [
  'STATE_INVALID',
  'DATA_DAMAGED',
  'IMAGE_DAMAGED',
  'IMAGE_FOREIGN',
  'SIGNATURE_INVALID',
  'IMAGE_FULL',
  'INTERNAL',
]

/** NOT_READY, with the cause when waiting alone does not help. */
function notReady(failure: ZerohopError | undefined): ZerohopError {
  if (!isZerohopError(failure, ...LASTING)) return new ZerohopError('NOT_READY')
  return new ZerohopError('NOT_READY', { why: `: ${failure.message}` }, { cause: failure })
}
