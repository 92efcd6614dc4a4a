// The take. A request (an HTTP request, a check, a bulk, a page of a listing) takes the image that may answer once, and
// everything in it reads that take: otherwise an answer that is decided could still be refused, or half of a bulk.
// Questions that are asked while a request is answered share its take and its instant.
import type { Image } from '../image/image.ts'
import type { ZerohopError } from '../model/errors.ts'

export abstract class Taking {
  /** requests that are being answered, one inside the other */
  #depth = 0
  /** the take of the outermost of them */
  #taken: Image | undefined
  /** ms since 1970; 0 until it is read */
  #now = 0
  /** the same of the clock of this machine */
  #wall = 0
  /** for the images that answer: the instant of questions (D15), and `context.now` of those that have none (D8) */
  protected readonly clock = (): number => this.now

  /** The image that may answer at this moment. @throws the reason why no image may */
  protected abstract answering(): Image

  /** That reason; undefined when there is an image. Never throws. */
  protected abstract reason(): ZerohopError | undefined

  /** Why `take` would throw now; undefined when it would not. Never throws. */
  refusal(): ZerohopError | undefined {
    return this.#taken === undefined ? this.reason() : undefined
  }

  /** The image for this request. It changes with a delta, but not before the caller yields. @throws the refusal */
  take(): Image {
    if (this.#taken !== undefined) return this.#taken
    if (this.#depth === 0) this.#begin()
    const image = this.answering()
    if (this.#depth > 0) this.#taken = image
    return image
  }

  /** The instant of this request: the clock is read when it is first asked for, and once. */
  get now(): number {
    if (/* canary: one-instant */ this.#now === 0) this.#now = Math.max(this.wall, this.saidTime())
    return this.#now
  }

  /** The clock of this machine in this request, which is read once. */
  protected get wall(): number {
    if (/* canary: one-look */ this.#wall === 0) this.#wall = Date.now()
    return this.#wall
  }

  /** What time it is by another clock that is known to be right, at least; `-Infinity` without one. */
  protected saidTime(): number {
    return Number.NEGATIVE_INFINITY
  }

  #begin(): void {
    this.#now = 0
    this.#wall = 0
  }

  /** The same if it was asked for; undefined when nothing of this request has read the clock. */
  get nowRead(): number | undefined {
    return this.#now === 0 ? undefined : this.#now
  }

  /** Answers one request, whose questions have one take and one instant; `work` must not await. */
  asOne<R>(work: () => R): R {
    if (this.#depth++ === 0) this.#begin()
    try {
      return work()
    } finally {
      this.leave()
    }
  }

  /** The same for the rest of a question that has taken `image`: the caller leaves it, whatever happens. */
  enter(image: Image): void {
    this.#taken = image
    this.#depth++
  }

  leave(): void {
    if (--this.#depth === 0) this.#taken = undefined
  }
}
