// Callers that wait for the next revision of a log. Their number is bounded by the connections of the feed.
import type { LogId } from '../log/change.ts'

interface Waiter {
  readonly revision: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export class Waiters {
  readonly #byLog = new Map<LogId, Set<Waiter>>()

  /** Resolves when the log is beyond `revision`, or after `ms`; an aborted signal rejects with its reason. */
  wait(log: LogId, revision: number, signal: AbortSignal | undefined, ms?: number): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const waiters = this.#byLog.get(log) ?? new Set()
      this.#byLog.set(log, waiters)
      const leave = () => {
        clearTimeout(timer)
        waiters.delete(waiter)
        if (waiters.size === 0 && this.#byLog.get(log) === waiters) this.#byLog.delete(log)
        signal?.removeEventListener('abort', onAbort)
      }
      const onAbort = () => waiter.reject(signal?.reason)
      const waiter: Waiter = {
        revision,
        resolve: () => {
          leave()
          resolve()
        },
        reject: (reason) => {
          leave()
          reject(reason)
        },
      }
      const timer = ms === undefined ? undefined : setTimeout(waiter.resolve, ms)
      waiters.add(waiter)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  wake(log: LogId, revision: number): void {
    for (const waiter of [...(this.#byLog.get(log) ?? [])]) {
      if (revision > waiter.revision) waiter.resolve()
    }
  }

  close(reason: unknown): void {
    for (const waiters of [...this.#byLog.values()]) {
      for (const waiter of [...waiters]) waiter.reject(reason)
    }
  }
}
