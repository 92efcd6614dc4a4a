// An acknowledgement waits for the disk and for followers in the same process: once a write is acknowledged, no check
// in this process is answered from an earlier revision. There is one wait for each log that a batch wrote to; it is
// bounded, and reaching the bound is counted.
import type { LogId } from '../log/change.ts'
import { ACKNOWLEDGE_WAIT_MS } from '../model/limits.ts'

/** Followers of logs in this process. */
export interface Followers {
  /**
   * Resolves with true when no answer comes from before `revision` of the log any more, with false after `timeoutMs`.
   * Never rejects.
   */
  notBefore(log: LogId, revision: number, timeoutMs: number): Promise<boolean>
}

export class Following {
  /** writes whose followers did not catch up in time */
  early = 0
  readonly #followers = new Set<Followers>()
  /** logs whose newest revision has not reached the followers yet */
  readonly #behind = new Map<LogId, Promise<boolean>>()

  /** Returns how to stop. */
  add(followers: Followers): () => void {
    this.#followers.add(followers)
    return () => this.#followers.delete(followers)
  }

  /** True while followers have not caught up. */
  get isAwaited(): boolean {
    return this.#behind.size > 0
  }

  /** Call in the turn in which the revision is on disk, before anything else is notified. */
  moved(log: LogId, revision: number): void {
    if (this.#followers.size === 0) return
    const all = [...this.#followers].map((each) => each.notBefore(log, revision, ACKNOWLEDGE_WAIT_MS))
    const followed = Promise.all(all).then((inTime) => {
      if (this.#behind.get(log) === followed) this.#behind.delete(log)
      return !inTime.includes(false)
    })
    this.#behind.set(log, followed)
  }

  /**
   * Resolves when the followers have the newest revision of the logs, or at the bound, which counts the write in
   * `early`.
   */
  async caughtUp(logs: readonly LogId[]): Promise<void> {
    const inTime = await Promise.all(logs.map(async (log) => this.#behind.get(log)))
    if (inTime.includes(false)) this.early++
  }
}
