// The places in the log that a follower has been to. An image that stands at one of them is of the same history and only older: a management side
// that lags behind (a copy of it, one that was set back) must not set a PDP back, because a revocation would be undone. A restore starts another history.
import type { Position } from '../log/change.ts'
import { POSITIONS_KEPT_MAX } from '../model/limits.ts'

export class Passed {
  /** each at its revision modulo the length, so that a new one takes the place of the oldest */
  readonly #places = new Array<Position | undefined>(POSITIONS_KEPT_MAX)

  add(position: Position): void {
    this.#places[position.revision % POSITIONS_KEPT_MAX] = position
  }

  has({ revision, chain }: Position): boolean {
    const known = this.#places[revision % POSITIONS_KEPT_MAX]
    return known?.revision === revision && known.chain === chain
  }
}
