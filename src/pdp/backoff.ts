// The pause before a follower retries: exponential, bounded, and with jitter, so that a thousand followers do not
// reconnect at the same moment.

export class Backoff {
  readonly #firstMs: number
  readonly #longestMs: number
  #failures = 0
  #planned: number

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
    this.#planned = firstMs
  }

  /**
   * Counts a failure and returns the milliseconds of the next `wait`: with `askedMs` no less than that, and at most half
   * as long again.
   */
  next(askedMs = 0): number {
    const longest = Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(this.#failures++, 20))
    const own = longest / 2 + (longest / 2) * fraction()
    this.#planned = Math.round(Math.max(own, askedMs * (1 + fraction() / 2)))
    return this.#planned
  }

  reset(): void {
    this.#failures = 0
    this.#planned = this.#firstMs
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

/** Jitter from 0 to 1: the low digits of the clock differ between processes, which is random enough here. */
function fraction(): number {
  return (performance.now() * 100) % 1
}
