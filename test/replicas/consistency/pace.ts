// How long the clients of a run pause between two operations. Where a run shall cost little processor time, they rest
// between the faults and ask when one begins: that is when something can go wrong.
import { setTimeout as pause } from 'node:timers/promises'

export class Pace {
  readonly times: number
  readonly #end = new AbortController()
  #fault = new AbortController()

  /** @param times how many times longer each pause is than under full load */
  constructor(times: number) {
    this.times = times
  }

  /** @param ms under full load */
  async pause(ms: number): Promise<void> {
    await pause(ms * this.times, undefined, { signal: this.#end.signal }).catch(() => undefined)
  }

  /** The same, but not longer than until the next fault. */
  async rest(ms: number): Promise<void> {
    await pause(ms * this.times, undefined, { signal: this.#fault.signal }).catch(() => undefined)
  }

  /** A fault begins: those who rest go on. Under full load nobody does. */
  rouse(): void {
    if (this.times === 1) return
    this.#fault.abort()
    this.#fault = new AbortController()
  }

  /** From now on nobody pauses. */
  end(): void {
    this.#end.abort()
    this.#fault.abort()
  }
}
