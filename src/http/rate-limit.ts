// How many requests one API key may make in a minute, when the operator sets a number: off otherwise. Windows are fixed and start anew for all
// keys at once, so a key costs one number.
import type { FastifyInstance } from 'fastify'
import { ZerohopError } from '../model/errors.ts'
import { AUTH_CACHE_MAX, RATE_WINDOW_MS } from '../model/limits.ts'

export interface RateLimits {
  /** requests of one key in a minute */
  readonly requests?: number
  /** of these, requests that are not GET */
  readonly writes?: number
}

/** Refuses what is over the limits with 429 and `retry-after`. To be called after `guard`, which finds the key. */
export function limitRates(app: FastifyInstance, { requests, writes }: RateLimits): void {
  const all = new Window(requests)
  const changing = new Window(writes)
  app.addHook('onRequest', (request, reply, done) => {
    const { id } = request.caller.key
    const wait = Math.max(all.take(id), request.method === 'GET' ? 0 : changing.take(id))
    if (wait === 0) return done()
    const seconds = Math.ceil(wait / 1000)
    reply.header('retry-after', String(seconds))
    done(new ZerohopError('RATE_LIMITED', { seconds }))
  })
}

class Window {
  readonly #most: number | undefined
  readonly #counts = new Map<string, number>()
  #end = 0

  constructor(most: number | undefined) {
    this.#most = most
  }

  /** Counts one of the key; returns how many milliseconds it must wait, 0 when it need not. */
  take(key: string): number {
    if (this.#most === undefined) return 0
    const now = performance.now()
    if (now >= this.#end || this.#counts.size >= AUTH_CACHE_MAX) {
      this.#counts.clear()
      this.#end = now + RATE_WINDOW_MS
    }
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    return count > this.#most ? this.#end - now : 0
  }
}
