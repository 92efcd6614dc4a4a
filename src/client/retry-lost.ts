// Goes on after a server could not be reached for a while, such as while it is restarted.
import { setTimeout as pause } from 'node:timers/promises'
import { isZerohopError, type ZerohopError } from '../model/errors.ts'
import { FACTS_ATTEMPTS_MAX, FACTS_PAUSE_MS } from '../model/limits.ts'

/** The answers of a proxy without a server behind it, and of a server that asks to try again. */
const AGAIN: ReadonlySet<unknown> = new Set([429, 502, 503, 504])

/** True for errors that may be gone when the same is asked again. */
const isLost = (error: unknown): error is ZerohopError =>
  isZerohopError(error, 'FEED_UNREACHABLE') || (isZerohopError(error, 'API_REFUSED') && AGAIN.has(error.details.status))

/** Says that it is tried again. */
export type Say = (text: string) => void

/** Attempts in a row that failed. */
export class Attempts {
  readonly #say: Say
  readonly #firstPauseMs: number
  #failed = 0

  constructor(say: Say, firstPauseMs = FACTS_PAUSE_MS) {
    this.#say = say
    this.#firstPauseMs = firstPauseMs
  }

  /** Waits longer each time, and throws the error after the last attempt. @throws any other error at once */
  async failed(error: unknown): Promise<void> {
    this.#failed++
    if (!isLost(error) || this.#failed >= FACTS_ATTEMPTS_MAX) throw error
    const ms = this.#firstPauseMs * 2 ** (this.#failed - 1)
    this.#say(`${error.message}; trying again in ${ms / 1000} s`)
    await pause(ms)
  }

  /** Something came: the next failure is the first one again. */
  worked(): void {
    this.#failed = 0
  }
}

/** Does it until it works. @throws what the last attempt threw */
export async function retryLost<T>(run: () => Promise<T>, say: Say): Promise<T> {
  const attempts = new Attempts(say)
  for (;;) {
    try {
      return await run()
    } catch (error) {
      await attempts.failed(error)
    }
  }
}
