// What is recorded from now on in an environment, for everyone who watches it: one look at the log for all of them,
// and none while no one does. It looks at the log itself, so it also sees what other replicas stored. PDPs send in
// batches, and one may come late: a look reaches back, and what was shown is known by its id.
import { setTimeout as sleep } from 'node:timers/promises'
import { inBackground } from '../model/contained.ts'
import { isZerohopError } from '../model/errors.ts'
import { DECISION_STREAM_MS, DECISION_STREAM_RECORDS_MAX, LOG_FOLLOW_LATE_MS } from '../model/limits.ts'
import type { AuditLog, AuditRecord } from './audit-log.ts'

/** Hears new records, the oldest first; `isCut` when there were more than one look takes. */
export type OnRecords = (records: readonly AuditRecord[], isCut: boolean) => void

type Log = Pick<AuditLog, 'list'>

export class DecisionTails {
  readonly #log: Log
  readonly #tails = new Map<string, DecisionTail>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Tells the listener from now on. Returns how to stop. */
  watch(environment: string, listener: OnRecords): () => void {
    const tail = this.#tails.get(environment) ?? new DecisionTail(this.#log, environment)
    this.#tails.set(environment, tail)
    tail.listeners.add(listener)
    return () => {
      tail.listeners.delete(listener)
      if (tail.listeners.size > 0 || this.#tails.get(environment) !== tail) return
      tail.stop()
      this.#tails.delete(environment)
    }
  }
}

class DecisionTail {
  readonly listeners = new Set<OnRecords>()
  readonly #log: Log
  readonly #environment: string
  readonly #end = new AbortController()
  /** ids of what was shown or was there before, with their times */
  readonly #known = new Map<string, number>()
  #latest = 0

  constructor(log: Log, environment: string) {
    this.#log = log
    this.#environment = environment
    inBackground('following the decisions', this.#run())
  }

  stop(): void {
    this.#end.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    let isBegun = false
    while (!signal.aborted) {
      try {
        if (isBegun) await this.#look()
        else await this.#begin()
        isBegun = true
      } catch (error) {
        if (isZerohopError(error, 'CLOSED')) return
        // it is away or busy: the next look reaches back
      }
      await sleep(DECISION_STREAM_MS, undefined, { signal, ref: false }).catch(() => undefined) // ended
    }
  }

  /** What is there already is not told. */
  async #begin(): Promise<void> {
    const [newest] = await this.#log.list(this.#environment, { limit: 1 })
    if (newest === undefined) return
    this.#latest = newest.at
    for (const record of await this.#recent()) this.#note(record)
  }

  async #look(): Promise<void> {
    const records = await this.#recent()
    const fresh = records.filter(({ id }) => !this.#known.has(id)).toReversed()
    for (const record of fresh) this.#note(record)
    for (const [id, at] of this.#known) if (at < this.#latest - LOG_FOLLOW_LATE_MS) this.#known.delete(id)
    if (fresh.length === 0 || this.#end.signal.aborted) return
    const isCut = fresh.length === DECISION_STREAM_RECORDS_MAX
    for (const listener of [...this.listeners]) listener(fresh, isCut)
  }

  #recent(): Promise<AuditRecord[]> {
    const since = Math.max(0, this.#latest - LOG_FOLLOW_LATE_MS)
    return this.#log.list(this.#environment, { since, limit: DECISION_STREAM_RECORDS_MAX })
  }

  #note({ id, at }: AuditRecord): void {
    this.#known.set(id, at)
    this.#latest = Math.max(this.#latest, at)
  }
}
