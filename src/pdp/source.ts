// What a PDP is made of: where its image comes from, and whom it tells of a decision.
import type { Image } from '../image/image.ts'
import type { ZerohopError } from '../model/errors.ts'
import type { FollowerState } from './answering.ts'

/** Where a PDP has its image from: a follower, or an image that never changes. */
export interface PdpSource {
  /** the image that may answer; undefined when none may, and `refusal()` says why */
  readonly current: Image | undefined
  readonly state: FollowerState
  /** how often conditions met a value that is not of its declared type */
  readonly illTyped: number
  refusal(): ZerohopError
  /** why nothing will come any more; undefined while it may */
  readonly ended: ZerohopError | undefined
  ready(): Promise<void>
  atLeast(revision: number, timeoutMs: number): Promise<void>
  close(): Promise<void>
}

/** A decision as `onDecision` gets it. */
export interface Decision {
  readonly user: string
  readonly action: string
  readonly resource: { readonly type: string; readonly key: string | undefined; readonly tenant: string }
  readonly allow: boolean
  readonly revision: number
}
