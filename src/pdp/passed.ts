// The places in the log that a follower has been to. An image that stands at one of them is of the same history and only older: a management side
// that lags behind (a copy of it, one that was set back) must not set a PDP back, because a revocation would be undone. A restore starts another history.
import type { Position } from '../log/change.ts'
import { POSITIONS_KEPT_MAX } from '../model/limits.ts'

export class Passed {
  /** chain by revision, the oldest first */
  readonly #chains = new Map<number, string>()

  add({ revision, chain }: Position): void {
    this.#chains.delete(revision)
    this.#chains.set(revision, chain)
    if (this.#chains.size <= POSITIONS_KEPT_MAX) return
    for (const oldest of this.#chains.keys()) {
      this.#chains.delete(oldest)
      break
    }
  }

  has({ revision, chain }: Position): boolean {
    return this.#chains.get(revision) === chain
  }
}
