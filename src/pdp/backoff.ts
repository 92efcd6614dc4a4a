// The pause before a follower asks again: doubling, bounded, and spread so that a thousand followers do not come back at the same moment.

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

  /** Milliseconds that the next `wait` will take. Counts one failure. */
  next(): number {
    const longest = Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(this.#failures++, 20))
    this.#planned = Math.round(longest / 2 + (longest / 2) * fraction())
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

/** 0 to 1: the digits of the moment below a hundredth of a millisecond differ between processes, and nothing depends on them. */
function fraction(): number {
  return (performance.now() * 100) % 1
}
