// The source of a PDP at an instant: the images of another source, as they answer then (D15). A view of an image keeps
// ids of its own, so there is one for each revision.
import type { Image } from '../image/image.ts'
import type { FollowerState } from './answering.ts'
import type { PdpSource } from './pdp-source.ts'

export class SourceAt implements PdpSource {
  readonly now: number
  readonly #source: PdpSource
  /** the image of the source that answers, and its revision when `#view` was made */
  #image: Image | undefined
  #revision = 0
  #view: Image | undefined

  /** @param now ms since 1970 */
  constructor(source: PdpSource, now: number) {
    this.#source = source
    this.now = now
  }

  get nowRead(): number {
    return this.now
  }

  take(): Image {
    const image = this.#source.take()
    if (this.#view === undefined || image !== this.#image || image.revision !== this.#revision) {
      this.#image = image
      this.#revision = image.revision
      this.#view = image.at(this.now)
    }
    return this.#view
  }

  asOne<R>(work: () => R): R {
    return this.#source.asOne(work)
  }

  enter(_image: Image): void {
    this.#source.enter(this.#image!) // a caller enters what it took
  }

  leave(): void {
    this.#source.leave()
  }

  peek(): Image | undefined {
    return this.#source.peek()
  }

  refusal() {
    return this.#source.refusal()
  }

  get state(): FollowerState {
    return this.#source.state
  }

  get illTyped(): number {
    return this.#source.illTyped
  }

  get ended() {
    return this.#source.ended
  }

  ready(): Promise<void> {
    return this.#source.ready()
  }

  atLeast(revision: number, timeoutMs: number): Promise<void> {
    return this.#source.atLeast(revision, timeoutMs)
  }

  hold(): () => void {
    return this.#source.hold()
  }

  /** Nothing: the other source goes on. */
  close(): Promise<void> {
    return Promise.resolve()
  }
}
