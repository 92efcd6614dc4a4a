// An image that never changes, as the source of a PDP: what `loadImage` gives.
import type { Image } from '../image/image.ts'
import { ZerohopError } from '../model/errors.ts'
import type { FollowerState } from './answering.ts'
import type { PdpSource } from './pdp-source.ts'
import { Taking } from './taking.ts'

export class FixedImage extends Taking implements PdpSource {
  #image: Image | undefined

  constructor(image: Image) {
    super()
    this.#image = image
    image.useClock(this.clock)
  }

  get state(): FollowerState {
    return { revision: this.#image?.revision, ageMs: undefined, source: 'file', stale: false }
  }

  get illTyped(): number {
    return this.#image?.illTyped ?? 0
  }

  get ended(): ZerohopError | undefined {
    return this.reason()
  }

  peek(): Image | undefined {
    return this.#image
  }

  ready(): Promise<void> {
    return Promise.resolve()
  }

  atLeast(revision: number, timeoutMs: number): Promise<void> {
    if (this.#image === undefined) return Promise.reject(closed())
    const have = this.#image.revision
    if (have >= revision) return Promise.resolve()
    return Promise.reject(new ZerohopError('REVISION_TIMEOUT', { wanted: revision, timeoutMs, have }))
  }

  /** Nothing arrives. */
  hold(): () => void {
    return () => undefined
  }

  close(): Promise<void> {
    this.#image = undefined
    return Promise.resolve()
  }

  protected reason(): ZerohopError | undefined {
    return this.#image === undefined ? closed() : undefined
  }

  protected answering(): Image {
    if (this.#image === undefined) throw closed()
    return this.#image
  }
}

const closed = (): ZerohopError => new ZerohopError('CLOSED', { what: 'the PDP' })
