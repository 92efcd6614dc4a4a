// What a PDP is constructed from: the source of its image, and the listener for decisions.
import type { Image } from '../image/image.ts'
import type { ZerohopError } from '../model/errors.ts'
import type { FollowerState } from './answering.ts'

/** The source of a PDP's image: a follower, or a fixed image. */
export interface PdpSource {
  /** the image that may answer; undefined when there is none, for the reason of `refusal()` */
  readonly current: Image | undefined
  readonly state: FollowerState
  /** how often conditions met a value that is not of its declared type */
  readonly illTyped: number
  refusal(): ZerohopError
  /** why it has ended; undefined while it has not */
  readonly ended: ZerohopError | undefined
  ready(): Promise<void>
  atLeast(revision: number, timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/** A decision as passed to `onDecision`. */
export interface Decision {
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly key: string | undefined; readonly tenant: string }
  readonly allow: boolean
  readonly revision: number
}
