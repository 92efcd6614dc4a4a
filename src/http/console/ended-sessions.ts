// Sessions that were signed out: their cookies still open, so they are remembered until they would have ended anyway.
// The list is bounded. When it is full, the one that began first is dropped, and every session that began no later ends
// with it: no one who signed out is ever let in again, at worst someone has to sign in again.
import { SESSION_MS, SESSIONS_ENDED_MAX } from '../../model/limits.ts'

/** What is needed of a session, times in ms since 1970. */
export interface Begun {
  readonly id: string
  readonly startedAt: number
}

export class EndedSessions {
  /** id to the begin */
  readonly #ended = new Map<string, number>()
  /** sessions that began then or before are over */
  #allUntil = Number.NEGATIVE_INFINITY

  has({ id, startedAt }: Begun): boolean {
    return startedAt <= this.#allUntil || this.#ended.has(id)
  }

  add({ id, startedAt }: Begun, now: number): void {
    if (this.#ended.size >= SESSIONS_ENDED_MAX) this.#makeRoom(now)
    this.#ended.set(id, startedAt)
  }

  #makeRoom(now: number): void {
    let first: string | undefined
    let firstAt = Number.POSITIVE_INFINITY
    for (const [id, startedAt] of this.#ended) {
      if (startedAt + SESSION_MS <= now) this.#ended.delete(id)
      else if (startedAt < firstAt) {
        first = id
        firstAt = startedAt
      }
    }
    if (this.#ended.size < SESSIONS_ENDED_MAX || first === undefined) return
    this.#ended.delete(first)
    this.#allUntil = Math.max(this.#allUntil, firstAt)
  }
}
