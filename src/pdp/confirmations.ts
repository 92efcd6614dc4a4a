// What a follower knows of the head of the log, until its image has reached it: the image was current at that moment,
// and its age counts from there. A chain that the image does not have is of another history, and confirms nothing.
import type { Position } from '../log/change.ts'
import { HEADS_AWAITED_MAX } from '../model/limits.ts'
import type { Moment } from '../model/moment.ts'

export interface Confirmation {
  /** the head of the log */
  readonly revision: number
  /** its chain; undefined when that was not said, as by heartbeats */
  readonly chain: string | undefined
  /** the head was not behind at that moment */
  readonly at: Moment
}

export class Confirmations {
  #awaited: Confirmation[] = []

  add(confirmation: Confirmation): void {
    this.#awaited.push(confirmation)
    if (this.#awaited.length > HEADS_AWAITED_MAX) this.#awaited.shift()
  }

  clear(): void {
    this.#awaited = []
  }

  /**
   * The last one that an image at this position has reached; earlier ones are forgotten.
   * @param has whether the image was at a position
   */
  reached(at: Position, has: (position: Position) => boolean): Confirmation | undefined {
    const isReached = ({ revision, chain }: Confirmation): boolean => {
      if (revision > at.revision) return false
      if (chain === undefined) return true
      return revision === at.revision ? chain === at.chain : has({ revision, chain })
    }
    const last = this.#awaited.findLastIndex(isReached)
    if (last > 0) this.#awaited.splice(0, last)
    return last < 0 ? undefined : this.#awaited[0]
  }
}
