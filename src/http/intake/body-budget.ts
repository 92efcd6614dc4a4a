// How many bytes of request bodies a process holds at once, and how many of them for one API key. What is counted are bytes that came, never
// those that a header announces: a connection that is only promised a body holds nothing. Who is over the budget is answered with 503.
import { ZerohopError } from '../../model/errors.ts'
import { BODY_KEY_SHARE, BODY_MEMORY_BYTES_DEFAULT } from '../../model/limits.ts'

/** The budget of a process; all of its servers take from the same one. */
export class BodyBudget {
  readonly bytes: number
  /** bytes that one key may hold */
  readonly bytesOfKey: number
  readonly #keys = new Map<string, number>()
  #held = 0
  #refused = 0

  /** @param bytes of all bodies together */
  constructor(bytes: number = BODY_MEMORY_BYTES_DEFAULT) {
    this.bytes = bytes
    this.bytesOfKey = Math.floor(bytes / BODY_KEY_SHARE)
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held
  }

  /** Bodies that were refused so far. */
  get refused(): number {
    return this.#refused
  }

  /** What is held for one body, nothing at first. @param key who sends it; '' for everybody without a key */
  hold(key: string): Hold {
    return new Hold(this, key)
  }

  /** @throws BODY_MEMORY_FULL */
  take(key: string, bytes: number): void {
    const ofKey = (this.#keys.get(key) ?? 0) + bytes
    if (ofKey > this.bytesOfKey || this.#held + bytes > this.bytes) {
      this.#refused++
      throw new ZerohopError('BODY_MEMORY_FULL', { whose: ofKey > this.bytesOfKey ? 'of this API key ' : '' })
    }
    this.#keys.set(key, ofKey)
    this.#held += bytes
  }

  /** Gives back what `take` took. */
  give(key: string, bytes: number): void {
    const rest = (this.#keys.get(key) ?? 0) - bytes
    if (rest > 0) this.#keys.set(key, rest)
    else this.#keys.delete(key)
    this.#held -= bytes
  }
}

/** The bytes of one body. */
export class Hold {
  readonly #budget: BodyBudget
  readonly #key: string
  #bytes = 0
  #isOver = false

  constructor(budget: BodyBudget, key: string) {
    this.#budget = budget
    this.#key = key
  }

  /** Counts bytes that came. @throws BODY_MEMORY_FULL */
  add(bytes: number): void {
    if (this.#isOver) return
    this.#budget.take(this.#key, bytes)
    this.#bytes += bytes
  }

  /** Gives everything back; what comes later does not count. */
  release(): void {
    this.#isOver = true
    this.#budget.give(this.#key, this.#bytes)
    this.#bytes = 0
  }
}

/** What servers take from that are given no other: one for the process. */
export const processBudget = new BodyBudget()
