// An image that never changes, as the source of a PDP: what `loadImage` gives.
import type { Image } from '../image/image.ts'
import { ZerohopError } from '../model/errors.ts'
import type { FollowerState } from './answering.ts'
import type { PdpSource } from './pdp-source.ts'

export class FixedImage implements PdpSource {
  current: Image | undefined

  constructor(image: Image) {
    this.current = image
  }

  get state(): FollowerState {
    return { revision: this.current?.revision, ageMs: undefined, source: 'file', stale: false }
  }

  get illTyped(): number {
    return this.current?.illTyped ?? 0
  }

  get ended(): ZerohopError | undefined {
    return this.current === undefined ? this.refusal() : undefined
  }

  refusal(): ZerohopError {
    return new ZerohopError('CLOSED', { what: 'the PDP' })
  }

  ready(): Promise<void> {
    return Promise.resolve()
  }

  atLeast(revision: number, timeoutMs: number): Promise<void> {
    if (this.current === undefined) return Promise.reject(this.refusal())
    const have = this.current.revision
    if (have >= revision) return Promise.resolve()
    return Promise.reject(new ZerohopError('REVISION_TIMEOUT', { wanted: revision, timeoutMs, have }))
  }

  close(): Promise<void> {
    this.current = undefined
    return Promise.resolve()
  }
}
