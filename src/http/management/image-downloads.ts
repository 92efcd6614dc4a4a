// How many images are sent at once: a fleet that reconnects must not take all sockets, files and bandwidth of the
// server. Beyond the limit a follower gets a random time after which to ask again, so that they do not all come back
// together. docs/feed.md.

import { randomInt } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { IMAGE_DOWNLOADS_MAX, IMAGE_RETRY_SECONDS_MAX } from '../../model/limits.ts'

export class ImageDownloads {
  readonly #max: number
  readonly #open = new Set<ServerResponse>()

  constructor(max = IMAGE_DOWNLOADS_MAX) {
    this.#max = max
  }

  get count(): number {
    return this.#open.size
  }

  /** Counts an answer until it is sent or its reader goes. False above the limit. */
  admit(answer: ServerResponse): boolean {
    if (this.#open.size >= this.#max) return false
    this.#open.add(answer)
    const leave = (): void => {
      this.#open.delete(answer)
    }
    answer.once('finish', leave)
    answer.once('close', leave)
    return true
  }
}

/** Seconds after which one that was refused is to ask again. */
export function chooseRetrySeconds(): string {
  return String(randomInt(1, IMAGE_RETRY_SECONDS_MAX + 1))
}
