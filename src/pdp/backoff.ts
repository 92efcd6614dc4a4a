// The pause before a follower asks again: doubling, bounded, and spread so that a thousand followers do not come back at the same moment.
import { RETRY_FIRST_MS, RETRY_LONGEST_MS } from '../model/limits.ts'

export class Backoff {
  #failures = 0
  #planned = RETRY_FIRST_MS

  /** Milliseconds that the next `wait` will take. Counts one failure. */
  next(): number {
    const longest = Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** Math.min(this.#failures++, 20))
    this.#planned = Math.round(longest / 2 + (longest / 2) * fraction())
    return this.#planned
  }

  reset(): void {
    this.#failures = 0
    this.#planned = RETRY_FIRST_MS
  }

  /** Waits as planned; an aborted signal ends the pause at once. */
  wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, this.#planned)
      signal.addEventListener('abort', done, { once: true })
    })
  }
}

/** 0 to 1: the digits of the moment below a hundredth of a millisecond differ between processes, and nothing depends on them. */
function fraction(): number {
  return (performance.now() * 100) % 1
}
