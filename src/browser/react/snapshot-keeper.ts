// Keeps one snapshot fresh in a page: loads the next one before it ends and when the page gets the focus, one request
// at a time, later after each failure. Knows nothing of React.

import {
  SNAPSHOT_FOCUS_MS,
  SNAPSHOT_LOAD_TIMEOUT_MS,
  SNAPSHOT_REFRESH_BEFORE_MS,
  SNAPSHOT_RETRY_FIRST_MS,
  SNAPSHOT_RETRY_MAX_MS,
} from '../../model/limits/snapshot-limits.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { notLonger } from '../load.ts'
import { PermissionsError } from '../permissions-error.ts'

/** Loads a snapshot. `current` is the last one, expired or not. */
export type Load = (at: { readonly current: Snapshot | undefined; readonly signal: AbortSignal }) => Promise<Snapshot>

export interface Kept {
  /** undefined before the first one is loaded, and after the last one has ended */
  readonly snapshot: Snapshot | undefined
  /** why the last attempt failed; undefined when it did not */
  readonly error: unknown
}

export class SnapshotKeeper {
  readonly #load: Load
  readonly #listeners = new Set<() => void>()
  #kept: Kept
  /** the last snapshot, also when it has ended */
  #last: Snapshot | undefined
  #loading: AbortController | undefined
  #attemptAt = Number.NEGATIVE_INFINITY
  #failures = 0
  #next: ReturnType<typeof setTimeout> | undefined
  #end: ReturnType<typeof setTimeout> | undefined

  constructor(load: Load, initial?: Snapshot) {
    this.#load = load
    this.#last = initial
    this.#kept = { snapshot: initial && Date.now() < initial.expiresAt ? initial : undefined, error: undefined }
  }

  readonly kept = (): Kept => this.#kept

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Begins; what it returns ends it. May begin again. */
  readonly start = (): (() => void) => {
    const look = () => {
      if (document.visibilityState !== 'hidden' && Date.now() - this.#attemptAt >= SNAPSHOT_FOCUS_MS) this.refresh()
    }
    window.addEventListener('focus', look)
    window.addEventListener('online', look)
    document.addEventListener('visibilitychange', look)
    const { snapshot } = this.#kept
    if (snapshot === undefined) this.refresh()
    else this.#accept(snapshot)
    return () => {
      window.removeEventListener('focus', look)
      window.removeEventListener('online', look)
      document.removeEventListener('visibilitychange', look)
      clearTimeout(this.#next)
      clearTimeout(this.#end)
      this.#loading?.abort()
      this.#loading = undefined
    }
  }

  /** Loads now, unless it is loading already. */
  readonly refresh = (): void => {
    if (this.#loading !== undefined) return
    clearTimeout(this.#next)
    this.#attemptAt = Date.now()
    const loading = new AbortController()
    this.#loading = loading
    const late = setTimeout(() => loading.abort(new Error('the snapshot took too long')), SNAPSHOT_LOAD_TIMEOUT_MS)
    const aborted = new Promise<never>((_, reject) => {
      loading.signal.addEventListener('abort', () => reject(loading.signal.reason), { once: true })
    })
    const isMine = (): boolean => this.#loading === loading
    Promise.race([this.#begin(loading.signal), aborted])
      .then(
        (snapshot) => isMine() && this.#accept(snapshot),
        (error) => isMine() && this.#fail(error),
      )
      .finally(() => {
        clearTimeout(late)
        if (isMine()) this.#loading = undefined
      })
  }

  async #begin(signal: AbortSignal): Promise<Snapshot> {
    return this.#load({ current: this.#last, signal })
  }

  #accept(snapshot: Snapshot): void {
    if (snapshot?.format !== 1) {
      this.#fail(new PermissionsError('SNAPSHOT_INVALID', 'this is not a snapshot of format 1'))
      return
    }
    const now = Date.now()
    const accepted = notLonger(snapshot, now)
    const left = accepted.expiresAt - now
    if (!(left > 0)) {
      this.#fail(new PermissionsError('SNAPSHOT_EXPIRED', 'the snapshot has expired on arrival'))
      return
    }
    this.#failures = 0
    this.#last = accepted
    this.#set({ snapshot: accepted, error: undefined })
    clearTimeout(this.#end)
    this.#end = setTimeout(() => this.#set({ ...this.#kept, snapshot: undefined }), left)
    if (accepted.expiresAt === accepted.validUntil) {
      // before that instant it would be the same again; not all pages ask at once
      this.#plan(left + Math.random() * SNAPSHOT_RETRY_FIRST_MS)
      return
    }
    const delay = Math.max(left - SNAPSHOT_REFRESH_BEFORE_MS, left / 2, SNAPSHOT_RETRY_FIRST_MS)
    this.#plan(delay * (1 - Math.random() / 10))
  }

  #fail(error: unknown): void {
    this.#set({ ...this.#kept, error })
    const delay = Math.min(SNAPSHOT_RETRY_FIRST_MS * 2 ** this.#failures++, SNAPSHOT_RETRY_MAX_MS)
    this.#plan(delay * (1 - Math.random() / 2))
  }

  /** A page that no one sees loads nothing; when it is seen again, it does. */
  #plan(delay: number): void {
    clearTimeout(this.#next)
    this.#next = setTimeout(() => {
      if (document.visibilityState !== 'hidden') this.refresh()
    }, delay)
  }

  #set(kept: Kept): void {
    this.#kept = kept
    for (const listener of this.#listeners) listener()
  }
}
