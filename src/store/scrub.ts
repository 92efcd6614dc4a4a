// Verifies the data of a running server periodically, in a child process that works a tenth of the time at the lowest
// priority, so that bytes that changed on disk are found before they are needed. Damage is reported, counted, and stops
// writes into its log (damages.ts).

import { contained, inBackground } from '../model/contained.ts'
import { type OnEvent, tell } from '../model/events.ts'
import { SCRUB_FIRST_MS } from '../model/limits.ts'
import type { Damage } from './verify-part.ts'
import {
  type RunningVerification,
  type Verified,
  type VerifyBesideServer,
  verifyBesideServer,
} from './verify-process.ts'

export interface ScrubStats {
  /** records and entries compared since the start */
  checked: number
  /** damages found since the start; each round counts an unrepaired one again */
  damages: number
  /** rounds that could not be made to their end */
  failures: number
  /** ms since 1970 when a round last ended; 0 when none has */
  completedAt: number
  /** progress of the current round, from 0 to 1; 0 between rounds */
  progress: number
}

export interface ScrubOptions {
  readonly everyMs: number
  /** ms since 1970 */
  readonly now: () => number
  /** milliseconds until the first round */
  readonly firstMs?: number
  readonly onEvent?: OnEvent<ScrubEvent>
}

export type ScrubEvent =
  | { readonly event: 'damaged'; readonly damage: Damage }
  | { readonly event: 'completed'; readonly verified: Verified }
  /** a round could not be begun, or ended early: nothing is known of the data */
  | { readonly event: 'failed'; readonly error: unknown }

export class Scrub {
  readonly stats: ScrubStats = { checked: 0, damages: 0, failures: 0, completedAt: 0, progress: 0 }
  readonly #folder: string
  readonly #found: (damage: Damage) => void
  readonly #ended: () => void
  readonly #whileNothingIsWritten: VerifyBesideServer['whileNothingIsWritten']
  #timer: NodeJS.Timeout | undefined
  #running: RunningVerification | undefined
  #isClosed = false

  /** @param ended is called after each round: a child that died may have left a reader behind */
  constructor(
    folder: string,
    found: (damage: Damage) => void,
    ended: () => void,
    whileNothingIsWritten: VerifyBesideServer['whileNothingIsWritten'],
  ) {
    this.#folder = folder
    this.#found = found
    this.#ended = ended
    this.#whileNothingIsWritten = whileNothingIsWritten
  }

  /** Begins a round after `firstMs`, and another one every `everyMs`. */
  start(options: ScrubOptions): void {
    this.#plan(options.firstMs ?? SCRUB_FIRST_MS, options)
  }

  /** Stops the current round. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#running?.stop()
    await this.#running?.ended.catch(() => undefined)
  }

  #plan(ms: number, options: ScrubOptions): void {
    if (this.#isClosed) return
    const begin = async (): Promise<void> => {
      const { failures } = this.stats
      try {
        await this.#round(options)
      } finally {
        // what says nothing of the data is tried again soon
        const soon = Math.min(options.everyMs, SCRUB_FIRST_MS)
        this.#plan(this.stats.failures > failures ? soon : options.everyMs, options)
      }
    }
    const round = contained('the scrub', () => inBackground('the scrub', begin()))
    this.#timer = setTimeout(round, ms).unref()
  }

  async #round(options: ScrubOptions): Promise<void> {
    const before = this.stats.checked
    try {
      this.#running = verifyBesideServer(this.#folder, {
        whileNothingIsWritten: this.#whileNothingIsWritten,
        damage: (damage) => {
          this.stats.damages++
          this.#found(damage)
          tell(options.onEvent, { event: 'damaged', damage })
        },
        progress: (checked, total) => {
          this.stats.checked = before + checked
          this.stats.progress = total === 0 ? 1 : Math.min(1, checked / total)
        },
      })
      const verified = await this.#running.ended
      if (verified === undefined) return
      this.stats.completedAt = options.now()
      tell(options.onEvent, { event: 'completed', verified })
    } catch (error) {
      this.stats.failures++
      tell(options.onEvent, { event: 'failed', error })
    } finally {
      this.stats.progress = 0
      this.#running = undefined
      if (!this.#isClosed) this.#ended()
    }
  }
}
