// The global objects of the first API version, which lie outside of environments: a PDP for its clients follows them in
// addition to its own environment. They may not exist yet, appear with the first such object, and disappear when a team
// deletes them after its migration; none of that stops this PDP.
//
//   unknown ──image──► followed ──deleted──► absent ──asked again: image──► followed
//      └────────none there────────────────────►
//
// Their absence is kept on disk like an image, so that a restart without the management side knows it.
import type { Feed } from '../../log/feed.ts'
import { contained } from '../../model/contained.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { tell } from '../../model/events.ts'
import { V1_OUTSIDE_POLL_MS } from '../../model/limits.ts'
import { Follower, type FollowerEvent, type FollowerOptions } from '../../pdp/follower.ts'
import { Pdp } from '../../pdp/pdp.ts'
import type { Action, Attributes, Resource, User } from '../../pdp/request.ts'

export interface GlobalObjectsOptions extends Omit<FollowerOptions, 'feed' | 'mayBeAbsent'> {
  /** fails with ENVIRONMENT_DELETED while there are no global objects */
  readonly feed: Feed
  /** the same as of the PDP of the environment */
  readonly strictAttributes?: boolean
  /** milliseconds between two looks for global objects while there are none; default V1_OUTSIDE_POLL_MS */
  readonly pollMs?: number
}

/** Follows the global objects, which may not exist. */
export class GlobalObjects {
  readonly #options: GlobalObjectsOptions
  #follower: Follower
  /** the PDP that answers; undefined while it is unknown whether there are global objects, or when there are none */
  #answers: Pdp | undefined
  #absent = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: GlobalObjectsOptions) {
    this.#options = options
    this.#follower = this.#begin()
  }

  /** The PDP over the global objects; undefined when there are none. @throws the reason why that is unknown */
  get pdp(): Pdp | undefined {
    if (this.#absent) return undefined
    if (this.#answers === undefined) throw this.#follower.refusal() ?? new ZerohopError('NOT_READY')
    return this.#answers
  }

  /** Why it is unknown whether there are global objects; undefined when it is known. */
  get refusal(): ZerohopError | undefined {
    return this.#absent || this.#answers !== undefined ? this.#answers?.refusal : this.#follower.refusal()
  }

  /** Revision of the global objects; null while there are none. */
  get revision(): number | null {
    return this.#answers?.imageRevision ?? null
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#absent = false
    await this.#follower.close()
  }

  #begin(): Follower {
    const { pollMs: _, strictAttributes: __, onEvent, ...options } = this.#options
    const follower: Follower = new Follower({
      ...options,
      mayBeAbsent: true,
      onEvent: (event) => {
        this.#hear(follower, event)
        if (event.event !== 'ended' || !this.#absent) tell(onEvent, event)
      },
    })
    return follower
  }

  #hear(follower: Follower, event: FollowerEvent): void {
    if (event.event === 'ready') {
      this.#answers = new Pdp(follower, { strictAttributes: this.#options.strictAttributes ?? false })
      this.#absent = false
    } else if (event.event === 'ended') {
      this.#answers = undefined
      this.#absent = isZerohopError(event.error, 'ENVIRONMENT_DELETED')
      if (!this.#absent || this.#closed) return
      const look = contained('a look for global objects', () => {
        this.#follower = this.#begin()
      })
      this.#timer = setTimeout(look, this.#options.pollMs ?? V1_OUTSIDE_POLL_MS)
      this.#timer.unref()
    }
  }
}

/**
 * Allows what the environment or the global objects allow. An allow wins over an undecided check of the other;
 * otherwise undecided wins over a deny (D13: undecided is not a deny).
 */
export function checkEither(
  own: Pdp,
  globalObjects: GlobalObjects,
  [user, action, resource, context]: readonly [User, Action, Resource, (Attributes | null)?],
): boolean {
  if (own.ended !== undefined) throw own.ended
  let undecided: ZerohopError | undefined
  for (const of of [() => own, () => globalObjects.pdp]) {
    try {
      if (of()?.check(user, action, resource, context)) return true
    } catch (error) {
      if (!(error instanceof ZerohopError) || error.class !== 'unavailable') throw error
      undecided ??= error
    }
  }
  if (undecided !== undefined) throw undecided
  return false
}
