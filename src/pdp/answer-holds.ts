// Answers of writes that ask not to wait until their change is decided by (`X-Wait-Timeout: 0`). What arrives after such
// a write began may be its change: it is not taken before the answer is written, and then in a window. What arrived
// before is not held by it, so changes go on however many such writes come; and each is held for a bounded time.
import { contained } from '../model/contained.ts'
import { ANSWER_HOLD_MS, APPLY_WINDOW_MS } from '../model/limits.ts'

/** When a change arrived, among the beginnings of writes and in ms of the monotonic clock. */
export interface Arrival {
  readonly order: number
  readonly at: number
}

interface Hold {
  readonly order: number
  isAnswered: boolean
}

export class AnswerHolds {
  /** the oldest first */
  readonly #holds = new Set<Hold>()
  readonly #freed: () => void
  #last = 0

  /** @param freed called when changes that were held may be taken */
  constructor(freed: () => void) {
    this.#freed = freed
  }

  /** A change arrives now. */
  arrival(): Arrival {
    return { order: ++this.#last, at: performance.now() }
  }

  /** Such a write begins. Returns what to call when its answer is written, or will never be. */
  begin(): () => void {
    const hold: Hold = { order: ++this.#last, isAnswered: false }
    this.#holds.add(hold)
    return () => {
      if (hold.isAnswered) return
      hold.isAnswered = true
      const end = contained('the window after an answer', () => {
        this.#holds.delete(hold)
        this.#freed()
      })
      setTimeout(end, APPLY_WINDOW_MS).unref()
      this.#freed()
    }
  }

  /** For how many milliseconds a change is held yet; 0 when it may be taken. Who waits for it waits for no window. */
  heldMs({ order, at }: Arrival, isHurried: boolean): number {
    for (const hold of this.#holds) {
      if (hold.order > order) return 0
      if (!hold.isAnswered || !isHurried) return Math.max(0, at + ANSWER_HOLD_MS - performance.now())
    }
    return 0
  }
}
