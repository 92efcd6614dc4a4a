// An acknowledgement waits for the disk and for followers in the same process: once a write is acknowledged, no check
// in this process is answered from an earlier revision. There is one wait for each log that a batch wrote to; it is
// bounded, and reaching the bound is counted.
import type { LogId } from '../log/change.ts'
import { ACKNOWLEDGE_WAIT_MS } from '../model/limits.ts'

/** Followers of logs in this process. */
export interface Followers {
  /**
   * Resolves with true once no answer comes from before `revision` of the log, with false after `timeoutMs`.
   * Never rejects.
   */
  notBefore(log: LogId, revision: number, timeoutMs: number): Promise<boolean>
  /** No answer comes from what is written from now on before the returned function is called; bounded. */
  hold?(log: LogId): () => void
}

export class Following {
  /** writes whose followers did not catch up in time */
  early = 0
  readonly #followers = new Set<Followers>()
  /** logs whose newest revision has not reached the followers yet */
  readonly #behind = new Map<LogId, Promise<boolean>>()
  /** logs with a revision that no one waits for: followers take it in their own time */
  readonly #left = new Map<LogId, number>()
  /** commits under way that are answered when they are on disk */
  #atCommit = 0

  /** Returns how to stop. */
  add(followers: Followers): () => void {
    this.#followers.add(followers)
    return () => this.#followers.delete(followers)
  }

  /** Followers take nothing that is written to the log from now on before the returned function is called. */
  hold(log: LogId): () => void {
    const frees = [...this.#followers].map((each) => each.hold?.(log))
    return () => {
      for (const free of frees) free?.()
    }
  }

  /** True while followers have not caught up. */
  get isAwaited(): boolean {
    return this.#behind.size + this.#left.size > 0
  }

  /** Call in the turn in which the revision is on disk, before anything else is notified. */
  moved(log: LogId, revision: number): void {
    if (this.#followers.size === 0) return
    // a commit that waits follows it when it is done
    if (this.#atCommit > 0) this.#left.set(log, revision)
    else this.#follow(log, revision)
  }

  /** Runs a commit; one that is answered when it is on disk hurries no follower. */
  async during<T>(isAtCommit: boolean, commit: () => Promise<T>): Promise<T> {
    if (!isAtCommit) return commit()
    this.#atCommit++
    try {
      return await commit()
    } finally {
      this.#atCommit--
    }
  }

  #follow(log: LogId, revision: number): void {
    this.#left.delete(log)
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
    for (const log of logs) {
      const revision = this.#left.get(log)
      if (revision !== undefined) this.#follow(log, revision)
    }
    const inTime = await Promise.all(logs.map(async (log) => this.#behind.get(log)))
    if (inTime.includes(false)) this.early++
  }
}
