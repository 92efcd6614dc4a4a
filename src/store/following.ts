// What an acknowledgement waits for beside the disk: followers in the same process, so that nothing is answered from before a write whose caller was
// told that it is in force. One wait for each log that a batch moved, however many writes it held; bounded, and counted where the bound was met.
import type { LogId } from '../log/change.ts'
import { ACKNOWLEDGE_WAIT_MS } from '../model/limits.ts'

/** Followers of logs in this process. */
export interface Followers {
  /**
   * Resolves when nothing is answered from before `revision` of the log any more, or with false when that takes longer than `timeoutMs`.
   * Never rejects.
   */
  notBefore(log: LogId, revision: number, timeoutMs: number): Promise<boolean>
}

export class Following {
  /** writes whose followers did not catch up in time */
  early = 0
  readonly #followers = new Set<Followers>()
  /** logs that were moved and not yet followed, each until its newest revision is */
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

  /** To be told in the turn in which the revision is on disk, before anybody else is. */
  moved(log: LogId, revision: number): void {
    if (this.#followers.size === 0) return
    const all = [...this.#followers].map((each) => each.notBefore(log, revision, ACKNOWLEDGE_WAIT_MS))
    const followed = Promise.all(all).then((inTime) => {
      if (this.#behind.get(log) === followed) this.#behind.delete(log)
      return !inTime.includes(false)
    })
    this.#behind.set(log, followed)
  }

  /** Resolves when the logs are followed, or the bound was met. Counts a write. */
  async caughtUp(logs: readonly LogId[]): Promise<void> {
    const inTime = await Promise.all(logs.map(async (log) => this.#behind.get(log)))
    if (inTime.includes(false)) this.early++
  }
}
