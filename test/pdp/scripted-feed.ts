// A feed whose every turn the test decides: it keeps a history of deltas, gives images of any revision, and breaks on
// demand.
import { Image } from '../../src/image/image.ts'
import type { Position } from '../../src/log/change.ts'
import { packDelta } from '../../src/log/codec.ts'
import type { Delta, PolicyChange } from '../../src/log/delta.ts'
import type { Feed, FeedEvent } from '../../src/log/feed.ts'
import { ZerohopError } from '../../src/model/errors.ts'
import { ENVIRONMENT, makeChain } from '../support/deltas.ts'

export class ScriptedFeed implements Feed {
  /** image fetches and streams so far */
  images = 0
  streams = 0
  /** thrown by the next calls instead of an answer */
  imageTrouble: ZerohopError | undefined
  streamTrouble: ZerohopError | undefined
  /** revision of the image that is given; the head when undefined */
  imageRevision: number | undefined
  /** false holds heartbeats back */
  heartbeats = true
  /** gives large deltas packed, as the wire does */
  packs = false
  #history = 1
  #log: Delta[] = []
  readonly #open = new Set<Stream>()

  constructor(changes: readonly PolicyChange[]) {
    this.commit(changes)
  }

  get head(): number {
    return this.#log.length
  }

  /** Adds a revision. Returns its number. */
  commit(changes: readonly PolicyChange[]): number {
    const to = this.#log.length + 1
    const [previous, chain] = [makeChain(to - 1, this.#history), makeChain(to, this.#history)]
    this.#log.push({ environment: ENVIRONMENT, from: to - 1, to, previous, chain, changes })
    this.#wakeAll()
    return to
  }

  /** Restores: the same revisions, another history. */
  fork(): void {
    this.#history++
    const before = this.#log
    this.#log = []
    for (const { changes } of before) this.commit(changes)
  }

  /** Gives the last revision other changes, as a management side does that is mended. */
  repair(changes: readonly PolicyChange[]): void {
    this.#log.length--
    this.commit(changes)
  }

  /** Goes back to an earlier revision of the same history, as a copy that lags behind. */
  rollBack(revision: number): void {
    this.#log.length = revision
    this.break(new ZerohopError('FEED_UNREACHABLE', { reason: 'another copy answers' }))
  }

  /** Ends every open stream with an error; later streams are as `streamTrouble` says. */
  break(error: ZerohopError): void {
    for (const stream of this.#open) stream.broken = error
    this.#wakeAll()
  }

  /** Wakes streams, such as after `heartbeats` was set. */
  beat(): void {
    this.#wakeAll()
  }

  imageAt(revision: number): Uint8Array {
    const changes = this.#log.slice(0, revision).flatMap((delta) => delta.changes)
    return Image.build(ENVIRONMENT, this.#makePosition(revision), changes).save()
  }

  async image(): Promise<Uint8Array> {
    this.images++
    if (this.imageTrouble !== undefined) throw this.imageTrouble
    return this.imageAt(this.imageRevision ?? this.head)
  }

  async *deltas(after: Position, signal?: AbortSignal): AsyncIterable<FeedEvent> {
    this.streams++
    if (this.streamTrouble !== undefined) throw this.streamTrouble
    const stream: Stream = { news: false, broken: undefined, wake: () => undefined }
    this.#open.add(stream)
    signal?.addEventListener('abort', () => stream.wake(), { once: true })
    try {
      yield* this.#pour(stream, after, signal)
    } finally {
      this.#open.delete(stream)
    }
  }

  async *#pour(stream: Stream, after: Position, signal?: AbortSignal): AsyncGenerator<FeedEvent> {
    let at = after
    while (!signal?.aborted) {
      stream.news = false
      if (at.revision > this.head || at.chain !== this.#makePosition(at.revision).chain) {
        throw new ZerohopError('FEED_FORK', { to: this.head })
      }
      for (const delta of this.#log.slice(at.revision)) {
        yield this.packs ? { type: 'packed', delta: packDelta(delta) } : { type: 'delta', delta }
        at = { revision: delta.to, chain: delta.chain }
      }
      if (this.heartbeats) yield { type: 'heartbeat', revision: this.head }
      if (!stream.news && stream.broken === undefined && !signal?.aborted) {
        await new Promise<void>((resolve) => {
          stream.wake = resolve
        })
      }
      if (stream.broken !== undefined) throw stream.broken
    }
  }

  #makePosition(revision: number): Position {
    return { revision, chain: makeChain(revision, this.#history) }
  }

  #wakeAll(): void {
    for (const stream of this.#open) {
      stream.news = true
      stream.wake()
    }
  }
}

interface Stream {
  /** something happened since the stream last looked */
  news: boolean
  broken: ZerohopError | undefined
  wake: () => void
}
