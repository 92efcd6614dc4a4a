// Bounds the bytes of request bodies that a process holds at once, in all and for one API key. Only received bytes
// count, not those that a header announces, so an announced body without bytes takes nothing. A request over the budget
// is answered with 503.
import { ZerohopError } from '../../model/errors.ts'
import { BODY_KEY_SHARE, BODY_MEMORY_BYTES_DEFAULT } from '../../model/limits.ts'

/** The budget of a process, shared by all of its servers. */
export class BodyBudget {
  readonly bytes: number
  /** bytes that one key may hold */
  readonly bytesOfKey: number
  readonly #keys = new Map<string, number>()
  #held = 0
  #refused = 0

  /** @param bytes limit of all bodies together */
  constructor(bytes: number = BODY_MEMORY_BYTES_DEFAULT) {
    this.bytes = bytes
    this.bytesOfKey = Math.floor(bytes / BODY_KEY_SHARE)
  }

  /** Bytes held now. */
  get held(): number {
    return this.#held
  }

  /** Number of bodies refused since the start. */
  get refused(): number {
    return this.#refused
  }

  /** Begins the count of one body, at 0 bytes. @param key id of the sender's API key; '' without a key */
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

  /** Returns bytes that `take` took. */
  give(key: string, bytes: number): void {
    const rest = (this.#keys.get(key) ?? 0) - bytes
    if (rest > 0) this.#keys.set(key, rest)
    else this.#keys.delete(key)
    this.#held -= bytes
  }
}

/** The count of one body's bytes. */
export class Hold {
  readonly #budget: BodyBudget
  readonly #key: string
  #bytes = 0
  #isOver = false

  constructor(budget: BodyBudget, key: string) {
    this.#budget = budget
    this.#key = key
  }

  /** Counts received bytes. @throws BODY_MEMORY_FULL */
  add(bytes: number): void {
    if (this.#isOver) return
    this.#budget.take(this.#key, bytes)
    this.#bytes += bytes
  }

  /** Returns all bytes; bytes received later do not count. */
  release(): void {
    this.#isOver = true
    this.#budget.give(this.#key, this.#bytes)
    this.#bytes = 0
  }
}

/** The default budget of servers that are given none: one for the process. */
export const processBudget = new BodyBudget()
