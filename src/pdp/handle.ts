// What the handles of a PDP share: a part of a question that is resolved once per revision and asked about many times.
// Only keys are asked, so that a handle has nothing to read when it is asked; what it answers, `check` answers.
import type { Image } from '../image/image.ts'
import type { DecisionListener, PdpSource } from './pdp-source.ts'
import { requireNames } from './strict-names.ts'

export interface HandleOptions {
  readonly onDecision: DecisionListener | undefined
  /** refuses unknown names */
  readonly strict: boolean
}

/** What a question of a handle names. */
interface Named {
  readonly user: string
  readonly action: string
  readonly type: string
  readonly key: string | undefined
  readonly tenant: string | undefined
}

export abstract class Handle<T> {
  protected readonly source: PdpSource
  readonly #options: HandleOptions
  /** checks are neither recorded nor strict */
  protected readonly isPlain: boolean
  /** the image that `resolved` belongs to, and its revision then: a delta may end an id, or make a key known */
  #image: Image | undefined
  #revision = 0
  #resolved: T | undefined

  constructor(source: PdpSource, options: HandleOptions) {
    this.source = source
    this.#options = options
    this.isPlain = options.onDecision === undefined && !options.strict
  }

  protected abstract resolve(image: Image): T

  /** What the handle is about, at the revision of the image. */
  protected resolvedIn(image: Image): T {
    if (image === this.#image && image.revision === this.#revision) return this.#resolved as T
    this.#image = image
    this.#revision = image.revision
    this.#resolved = this.resolve(image)
    return this.#resolved
  }

  /** Answers a question that is recorded, or whose names are required. */
  protected answer(image: Image, { user, action, type, key, tenant }: Named, decide: () => boolean): boolean {
    if (this.#options.strict) requireNames(image.names, { type, action, tenant })
    const allow = decide()
    const resource = { type, key, tenant: image.resolveTenant(type, tenant, key) }
    this.source.enter(image)
    try {
      const { revision } = image
      const instant = this.source.nowRead
      this.#options.onDecision?.(image, { user, action, resource, allow, revision, now: instant, instant })
    } finally {
      this.source.leave()
    }
    return allow
  }
}
