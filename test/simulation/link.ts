// The way between one follower and its feed, over which everything may go wrong: frames are lost, doubled, late, cut
// and garbled, images come old or damaged, and sometimes nobody is there at all. What goes wrong is drawn from a seed;
// `calm` ends it.
import type { Position } from '../../src/log/change.ts'
import { encodeFrame, FrameDecoder } from '../../src/log/codec.ts'
import type { Feed, FeedEvent } from '../../src/log/feed.ts'
import { ZerohopError } from '../../src/model/errors.ts'

type Next = (below: number) => number

/** What happened to frames and images, so that a test can say that it did happen. */
export type Mishap = 'lost' | 'doubled' | 'late' | 'cut' | 'garbled' | 'down' | 'old image' | 'damaged image'

const unreachable = (reason: string) => new ZerohopError('FEED_UNREACHABLE', { reason })

export class Link implements Feed {
  readonly mishaps: Partial<Record<Mishap, number>> = {}
  /** nobody is there */
  down = false
  /** nothing goes wrong any more */
  calm = false
  readonly #next: Next
  readonly #feed: () => Feed
  readonly #oldImages: Uint8Array[] = []
  #breaks = new Set<() => void>()

  /** `feed` gives the feed of the management side that is running now. */
  constructor(next: Next, feed: () => Feed) {
    this.#next = next
    this.#feed = feed
  }

  /** Cuts what is open. */
  cut(): void {
    for (const end of [...this.#breaks]) end()
  }

  async image(signal?: AbortSignal): Promise<Uint8Array> {
    this.#requireUp()
    const image = await this.#feed().image(signal)
    this.#requireUp()
    this.#oldImages.push(image)
    if (this.#draws(4, 'old image')) return this.#oldImages[this.#next(this.#oldImages.length)]!
    if (!this.#draws(6, 'damaged image')) return image
    const damaged = Uint8Array.from(image)
    damaged[this.#next(damaged.length)]! ^= 1 << this.#next(8)
    return damaged
  }

  async *deltas(after: Position, signal?: AbortSignal): AsyncIterable<FeedEvent> {
    this.#requireUp()
    const cut = new AbortController()
    const end = (): void => cut.abort()
    this.#breaks.add(end)
    signal?.addEventListener('abort', end, { once: true })
    try {
      const decoder = new FrameDecoder()
      for await (const bytes of this.#wire(this.#feed().deltas(after, cut.signal))) {
        for (const frame of decoder.push(bytes)) {
          if (frame.type === 'end' || frame.type === 'state') throw unreachable('it is shutting down')
          yield frame
        }
      }
      if (!signal?.aborted) throw unreachable('the connection ended')
    } finally {
      cut.abort()
      this.#breaks.delete(end)
    }
  }

  /** The bytes as they arrive. */
  async *#wire(events: AsyncIterable<FeedEvent>): AsyncGenerator<Uint8Array> {
    const late: Uint8Array[] = []
    for await (const event of events) {
      this.#requireUp()
      const bytes = encodeFrame(event)
      if (this.#draws(14, 'lost')) continue
      if (this.#draws(14, 'late')) {
        late.push(bytes)
        continue
      }
      if (this.#draws(20, 'cut')) {
        yield bytes.subarray(0, this.#next(bytes.length))
        throw unreachable('the connection ended')
      }
      if (this.#draws(20, 'garbled')) {
        const garbled = Uint8Array.from(bytes)
        garbled[this.#next(garbled.length)]! ^= 1 << this.#next(8)
        yield garbled
        continue
      }
      yield bytes
      if (this.#draws(8, 'doubled')) yield bytes
      if (late.length > 0 && this.#next(2) === 0) yield late.pop()!
    }
  }

  #draws(oneIn: number, mishap: Mishap): boolean {
    if (this.calm || this.#next(oneIn) > 0) return false
    this.mishaps[mishap] = (this.mishaps[mishap] ?? 0) + 1
    return true
  }

  #requireUp(): void {
    if (!this.down) return
    this.mishaps.down = (this.mishaps.down ?? 0) + 1
    throw unreachable('the cable is cut')
  }
}
