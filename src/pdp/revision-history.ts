// The positions that the answers of a follower came from. An image at one of them is of the same history and only
// older: a management side that lags behind (a replica, or one that was reset) must not set a PDP back, because that
// would undo a revocation. A restore starts a new history.
import type { Position } from '../log/change.ts'
import { POSITIONS_KEPT_MAX } from '../model/limits.ts'

export class RevisionHistory {
  /** a ring buffer, indexed by revision */
  readonly #places = new Array<Position | undefined>(POSITIONS_KEPT_MAX)

  add(position: Position): void {
    this.#places[position.revision % POSITIONS_KEPT_MAX] = position
  }

  /** Goes on with what another one has. */
  addAll(other: RevisionHistory): void {
    for (const position of other.#places) if (position !== undefined) this.add(position)
  }

  has({ revision, chain }: Position): boolean {
    const known = this.#places[revision % POSITIONS_KEPT_MAX]
    return known?.revision === revision && known.chain === chain
  }
}
