// How many images are sent at once: a fleet that reconnects must not take all sockets, files and bandwidth of the
// server, and the fleet of one API key not all places of the others. Who is refused gets a random time after which to
// ask again, so that they do not all come back together. docs/feed.md.

import { randomInt } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { FEED_RETRY_SECONDS_MAX, IMAGE_DOWNLOADS_MAX } from '../../model/limits.ts'
import { whenWritten } from '../hooks.ts'

export class ImageDownloads {
  readonly #max: number
  #open = 0
  /** by the id of the API key */
  readonly #ofKeys = new Map<string, number>()

  constructor(max = IMAGE_DOWNLOADS_MAX) {
    this.#max = max
  }

  get count(): number {
    return this.#open
  }

  /**
   * Counts an answer until it is sent or its reader goes. False when its key holds as many places as are free, or more:
   * a key alone has half of all, and there is always a place for another one until as many keys as places have one each.
   */
  admit(answer: FastifyReply, key: string): boolean {
    if (this.#countOf(key) >= this.#max - this.#open) return false
    this.#add(key, 1)
    whenWritten(answer, () => this.#add(key, -1))
    return true
  }

  #countOf(key: string): number {
    return this.#ofKeys.get(key) ?? 0
  }

  #add(key: string, change: 1 | -1): void {
    const count = this.#countOf(key) + change
    if (count === 0) this.#ofKeys.delete(key)
    else this.#ofKeys.set(key, count)
    this.#open += change
  }
}

/** Refuses a follower for now. @throws OVERLOADED */
export function refuseForNow(reply: FastifyReply, waiting: number): never {
  reply.header('retry-after', String(randomInt(1, FEED_RETRY_SECONDS_MAX + 1)))
  throw new ZerohopError('OVERLOADED', { waiting })
}
