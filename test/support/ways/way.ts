// What a way is: how an image is made from what was written.
import type { Image } from '../../../src/image/image.ts'
import type { PolicyChange } from '../../../src/log/delta.ts'
import type { Operation, World } from '../world.ts'
import type { Environment, Source } from './source.ts'

type Awaitable<T> = T | Promise<T>

/** What was written in one revision of a story. */
export interface Step {
  /** number of the revision in the story, from 0 */
  readonly number: number
  /** each operation with its changes, cascades included */
  readonly written: readonly { readonly operation: Operation; readonly changes: readonly PolicyChange[] }[]
  /** as it is after them */
  readonly world: World
}

/** Why a way does not lead to the state of a story. */
export class WayLack {
  readonly reason:
    | 'a copy takes no facts whose values are not of the declared types'
    | 'a policy file takes no facts whose values are not of the declared types'
    | 'a policy file always has the tenant `default`'
    | 'no file has roles of tenants'

  constructor(reason: WayLack['reason']) {
    this.reason = reason
  }
}

/** One environment that a way keeps up with. */
export interface Kept {
  /** Takes what was written; called for each revision in turn. */
  write(step: Step): Awaitable<void>
  /** The image after everything that was written; or why there cannot be one. */
  image(): Awaitable<Image | WayLack>
  close?(): Awaitable<void>
}

/** What a way needs of a story. */
export interface Opening {
  /** small random numbers of the story */
  next(below: number): number
  /** where management holds the story; only for ways that need a source */
  readonly source?: Source
  readonly environment?: Environment
}

export interface Way {
  readonly name: string
  /**
   * `live`: one image or follower is updated with everything that is written, so what it remembers from earlier
   * questions may be wrong later. `final`: made at the end of a story.
   */
  readonly kind: 'live' | 'final'
  /** the story is written by management, and it is read from there */
  readonly needsSource: boolean
  /** management writes it, into a source or elsewhere */
  readonly isWrittenByManagement: boolean
  /** a folder is opened for each image: a normal run takes it seldom */
  readonly isCostly?: boolean
  /** why it cannot be taken here; undefined where it can */
  readonly lacks?: () => string | undefined
  open(opening: Opening): Awaitable<Kept>
  /** Ends what all of its environments share. */
  close?(): Awaitable<void>
}
