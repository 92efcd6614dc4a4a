// What a PDP for clients of the first API version asks besides its own environment: the objects outside of environments. They may not be there
// yet, come with the first of them, and go when a team deletes them after its migration; none of that makes this PDP end.
//
//   unknown ──image──► followed ──deleted──► absent ──asked again: image──► followed
//      └────────none there────────────────────►
//
// That there was nothing is kept on disk as an image would be, so that a restart without the management side knows it.
import type { Feed } from '../../log/feed.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { tell } from '../../model/events.ts'
import { V1_OUTSIDE_POLL_MS } from '../../model/limits.ts'
import { Follower, type FollowerEvent, type FollowerOptions } from '../../pdp/follower.ts'
import { Pdp } from '../../pdp/pdp.ts'
import type { Action, Attributes, Resource, User } from '../../pdp/request.ts'

export interface OutsideOptions extends Omit<FollowerOptions, 'feed' | 'mayBeAbsent'> {
  /** ends with ENVIRONMENT_DELETED while there is nothing outside of environments */
  readonly feed: Feed
  /** as of the PDP beside it */
  readonly strictAttributes?: boolean
  /** milliseconds until it is asked again whether there is something; default V1_OUTSIDE_POLL_MS */
  readonly pollMs?: number
}

/** Follows what may not be there. */
export class Outside {
  readonly #options: OutsideOptions
  #follower: Follower
  /** what answers; undefined while it is not known whether there is anything, or known that there is nothing */
  #answers: Pdp | undefined
  #absent = false
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: OutsideOptions) {
    this.#options = options
    this.#follower = this.#begin()
  }

  /** The PDP over it; undefined when there is nothing. @throws why it is not known */
  get pdp(): Pdp | undefined {
    if (this.#absent) return undefined
    if (this.#answers === undefined) throw this.#follower.refusal()
    return this.#answers
  }

  /** Why it is not known what is outside; undefined when it is. */
  get refusal(): ZerohopError | undefined {
    return this.#absent || this.#answers !== undefined ? this.#answers?.refusal : this.#follower.refusal()
  }

  /** Revision of what answers; null while there is nothing. */
  get revision(): number | null {
    return this.#answers?.state.revision ?? null
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
      this.#timer = setTimeout(() => {
        this.#follower = this.#begin()
      }, this.#options.pollMs ?? V1_OUTSIDE_POLL_MS)
      this.#timer.unref()
    }
  }
}

/**
 * Allows what the environment or the objects outside of environments allow (D13: allow wins; else, when one of them could not decide,
 * neither can this; else deny).
 */
export function checkEither(
  own: Pdp,
  outside: Outside,
  [user, action, resource, context]: readonly [User, Action, Resource, (Attributes | null)?],
): boolean {
  if (own.ended !== undefined) throw own.ended
  let undecided: ZerohopError | undefined
  for (const of of [() => own, () => outside.pdp]) {
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
