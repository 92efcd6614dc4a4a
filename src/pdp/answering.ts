// The answering side of a follower: the current image, its source and age, and the callers that wait for a later
// revision. It does not know feeds or appliers: src/pdp/follower.ts calls it. An image that is too old gives STALE,
// never a deny.
//
// With a limit the age is compared at each take, because a process that was frozen answers what waits in its sockets
// before any timer runs. A take reads the wall clock; it looks at the monotonic one too whenever the wall clock moved.
import type { Image } from '../image/image.ts'
import type { ImageProgress } from '../log/feed.ts'
import { contained } from '../model/contained.ts'
import { type ErrorCode, isZerohopError, ZerohopError } from '../model/errors.ts'
import { FEED_SILENCE_MS, TAKES_BY_ONE_CLOCK_MAX, WAITERS_MAX } from '../model/limits.ts'
import { type Moment, measureAge, momentBefore, wasSetBack } from '../model/moment.ts'
import { Taking } from './taking.ts'

export type ImageSource = 'feed' | 'file'

export interface FollowerState {
  /** revision of the image that answers */
  readonly revision: number | undefined
  /** milliseconds since the management side last confirmed that this image is current */
  readonly ageMs: number | undefined
  readonly source: ImageSource | undefined
  /** true when the last heartbeat is older than the feed may be silent */
  readonly stale: boolean
  /**
   * milliseconds by which the clock of this machine is ahead of that of the management side, at least; negative when it is
   * behind; absent until the management side has said its time
   */
  readonly clockAheadMs?: number
  /** the image that is on its way; undefined when none is */
  readonly loading?: ImageProgress | undefined
}

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
  readonly reject: (error: ZerohopError) => void
  readonly timer: NodeJS.Timeout
}

export class Answering extends Taking {
  readonly #maxStalenessMs: number | undefined
  /** the image that is held */
  #image: Image | undefined
  /** the same, unless it is broken: it may answer while it is young enough */
  #sound: Image | undefined
  #source: ImageSource | undefined
  /** the last moment at which the image is known to have been current; undefined when its age is unknown */
  #currentAt: Moment | undefined
  /** the wall clock at the last look at both clocks */
  #seenWall = 0
  /** takes since then */
  #takes = 0
  /** it was too old at a take; it only gets older until it is confirmed again */
  #wasTooOld = false
  /** the time that the management side said last, less the monotonic clock when it was heard */
  #saidAhead: number | undefined
  /** how far the clock of this machine was from that time, at least */
  #clockAheadMs: number | undefined
  /** what else is to be said when the image is too old */
  #why = ''
  #poisoned = false
  #ended: ZerohopError | undefined
  /** why it has not got an image yet, when known */
  #failure: ZerohopError | undefined
  /** ill-typed values counted by earlier images */
  #illTypedBefore = 0
  #waiters: Waiter[] = []

  /** `maxStalenessMs` after the image was current checks throw STALE; default never. */
  constructor(maxStalenessMs: number | undefined) {
    super()
    this.#maxStalenessMs = maxStalenessMs
  }

  /** The image that is held, whatever its age. */
  peek(): Image | undefined {
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
    const ageMs = this.#currentAt && measureAge(this.#currentAt)
    const stale = ageMs === undefined || ageMs > FEED_SILENCE_MS
    const clock = this.#clockAheadMs === undefined ? {} : { clockAheadMs: this.#clockAheadMs }
    return { revision: this.#image?.revision, ageMs, source: this.#source, stale, ...clock }
  }

  get illTyped(): number {
    return this.#illTypedBefore + (this.#image?.illTyped ?? 0)
  }

  protected reason(): ZerohopError | undefined {
    if (this.#ended) return this.#ended
    if (this.#poisoned || this.#image?.poisoned) return poisoned(this.#failure)
    if (this.#image === undefined) return notReady(this.#failure)
    return this.#maxStalenessMs !== undefined && this.#isTooOld(this.#maxStalenessMs, Date.now())
      ? this.#stale()
      : undefined
  }

  protected answering(): Image {
    const image = this.#sound
    if (image === undefined || image.poisoned) throw this.reason() ?? new ZerohopError('NOT_READY')
    if (this.#maxStalenessMs !== undefined && this.#isTooOld(this.#maxStalenessMs, this.wall)) throw this.#stale()
    return image
  }

  /** Sets the image that answers from now on; also called for the same image at a later revision. */
  answer(image: Image, source: ImageSource): void {
    if (this.#image !== image) this.#illTypedBefore += this.#image?.illTyped ?? 0
    this.#image = image
    this.#source = source
    this.#poisoned = false
    this.#failure = undefined
    this.#sound = image
    image.useClock(this.clock)
    this.#settleWaiters(image.revision)
  }

  /** The image is known to have been current at that moment; `undefined`: it is unknown when it was. */
  heard(at: Moment | undefined): void {
    const now = momentBefore(0)
    this.#currentAt = at === undefined || wasSetBack(at, now) ? undefined : at
    this.#seenWall = now.wall
    this.#wasTooOld = false
  }

  /**
   * The management side says what time it is: a clock that is behind prolongs nothing while it is heard. Returns how far
   * the clock of this machine is ahead, at least: what the way may have taken since `asked` does not count.
   */
  heardTime(time: number, asked: Moment = momentBefore(0)): number {
    this.#saidAhead = time - performance.now()
    this.#clockAheadMs = Math.max(asked.wall - time, Math.min(0, Date.now() - time))
    return this.#clockAheadMs
  }

  protected override saidTime(): number {
    return this.#saidAhead === undefined ? super.saidTime() : Math.floor(this.#saidAhead + performance.now())
  }

  /** When the image was last known to be current; undefined when that is unknown. */
  get currentAt(): Moment | undefined {
    return this.#currentAt
  }

  /** Why an image that is too old may stay so. */
  explain(why: string): void {
    this.#why = why
  }

  /** Loading an image failed. */
  failed(error: ZerohopError): void {
    this.#failure = error
  }

  /** The image is broken, or cannot take what changed: checks throw until there is another one. */
  poison(why?: ZerohopError): void {
    this.#poisoned = true
    this.#failure = why
    this.#sound = undefined
  }

  /**
   * Resolves when the image that answers has `revision`.
   * @throws REVISION_TIMEOUT, OVERLOADED, or the reason why it has ended
   */
  atLeast(revision: number, timeoutMs: number): Promise<void> {
    if (this.#ended) return Promise.reject(this.#ended)
    if (this.#image !== undefined && this.#image.revision >= revision && this.reason() === undefined)
      return Promise.resolve()
    if (this.#waiters.length >= WAITERS_MAX)
      return Promise.reject(new ZerohopError('OVERLOADED', { waiting: WAITERS_MAX }))
    return new Promise((resolve, reject) => {
      const late = contained('the limit of a wait', () => {
        this.#waiters = this.#waiters.filter((waiter) => waiter.timer !== timer)
        const have = this.#image?.revision ?? 0
        reject(new ZerohopError('REVISION_TIMEOUT', { wanted: revision, timeoutMs, have }))
      })
      const timer = setTimeout(late, timeoutMs)
      this.#waiters.push({ revision, resolve, reject, timer })
    })
  }

  /** Ends answering for good. */
  end(error: ZerohopError): void {
    this.#ended = error
    this.#illTypedBefore = this.illTyped
    this.#image = undefined
    this.#sound = undefined
    for (const waiter of this.#waiters.splice(0)) {
      clearTimeout(waiter.timer)
      waiter.reject(error)
    }
  }

  /** `wall`: the wall clock now. */
  #isTooOld(limitMs: number, wall: number): boolean {
    // Set back, it hides how much time has passed, and the machine may have been suspended.
    if (wall < this.#seenWall) this.#currentAt = undefined
    if (this.#wasTooOld || this.#currentAt === undefined) return true
    if (wall === this.#seenWall && ++this.#takes < TAKES_BY_ONE_CLOCK_MAX) return false
    this.#seenWall = wall
    this.#takes = 0
    const { wall: currentAt, monotonic } = this.#currentAt
    this.#wasTooOld = wall - currentAt > limitMs || performance.now() - monotonic > limitMs
    return this.#wasTooOld
  }

  #stale(): ZerohopError {
    const { ageMs } = this.state
    const age = ageMs === undefined ? 'of unknown age' : `${Math.round(ageMs)} ms old`
    return new ZerohopError('STALE', { age, limitMs: this.#maxStalenessMs, why: this.#why })
  }

  #settleWaiters(revision: number): void {
    if (this.#waiters.length === 0 || this.reason() !== undefined) return
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
  'ROLLED_BACK',
  'HEAD_NOT_SAID',
  'FOREIGN_ENVIRONMENT',
  'IMAGE_FULL',
  'INTERNAL',
]

/** POISONED, with what cannot be applied. */
function poisoned(failure: ZerohopError | undefined): ZerohopError {
  if (failure === undefined || failure.code === 'POISONED') return new ZerohopError('POISONED')
  return new ZerohopError('POISONED', { why: `: ${failure.message}` }, { cause: failure })
}

/** NOT_READY, with the cause when waiting alone does not help. */
function notReady(failure: ZerohopError | undefined): ZerohopError {
  if (!isZerohopError(failure, ...LASTING)) return new ZerohopError('NOT_READY')
  return new ZerohopError('NOT_READY', { why: `: ${failure.message}` }, { cause: failure })
}
