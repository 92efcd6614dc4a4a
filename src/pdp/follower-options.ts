// Options, times and events of a follower.
import type { Feed } from '../log/feed.ts'
import type { Trust } from '../log/signature.ts'
import type { ZerohopError } from '../model/errors.ts'
import type { OnEvent } from '../model/events.ts'
import {
  LAST_IMAGE_SAVE_MS,
  OFFLINE_START_MS,
  RETRY_FIRST_MS,
  RETRY_LONGEST_MS,
  UNAPPLIED_MS,
} from '../model/limits.ts'
import type { ImageSource } from './answering.ts'
import type { KeeperEvent } from './image-keeper.ts'
import type { LastImage } from './last-image.ts'

export interface FollowerOptions {
  readonly feed: Feed
  /** milliseconds since the image was last known to be current after which checks throw STALE; default never */
  readonly maxStalenessMs?: number
  /** where the last image is kept for a restart while the management side is unreachable */
  readonly lastImage?: LastImage
  /**
   * The followed objects may not exist (ENVIRONMENT_DELETED): their absence is kept on disk too, and used while the
   * management side is unreachable.
   */
  readonly mayBeAbsent?: boolean
  /** the images of the feed are made by this process: they need no verification */
  readonly isOwnFeed?: boolean
  /**
   * accepts images, also the last one on disk, only when they are signed, of the same environment, and not behind what
   * answered; the feed verifies deltas and heads
   */
  readonly trust?: Trust | undefined
  /** receives events for the operator; never called per check */
  readonly onEvent?: OnEvent<FollowerEvent>
  /** overrides of the milliseconds in src/model/limits */
  readonly times?: Partial<FollowerTimes>
}

export interface FollowerTimes {
  /** how long an image from disk waits for the management side before it answers */
  readonly offlineStartMs: number
  /** between two writes of the last image */
  readonly saveMs: number
  readonly retryFirstMs: number
  readonly retryLongestMs: number
  /** how long an image answers that lacks what could not be applied */
  readonly unappliedMs: number
}

export const TIMES: FollowerTimes = {
  offlineStartMs: OFFLINE_START_MS,
  saveMs: LAST_IMAGE_SAVE_MS,
  retryFirstMs: RETRY_FIRST_MS,
  retryLongestMs: RETRY_LONGEST_MS,
  unappliedMs: UNAPPLIED_MS,
}

export type FollowerEvent =
  | { readonly event: 'ready'; readonly revision: number; readonly source: ImageSource }
  /** the feed or the image failed; the follower retries by itself */
  | { readonly event: 'trouble'; readonly error: ZerohopError; readonly retryMs: number }
  /** a bundler has left the worker thread out: large changes are applied in many turns of this thread */
  | { readonly event: 'no worker thread'; readonly error: ZerohopError }
  /** the management API is older: an age counts from the arrival of its heartbeats, or is unknown */
  | { readonly event: 'head not said'; readonly error: ZerohopError }
  /** the clock of this machine is ahead of that of the management API by so much, or behind when it is negative */
  | { readonly event: 'clock differs'; readonly aheadMs: number }
  /** the environment has another history, as after a restore; a signature says so */
  | { readonly event: 'new history'; readonly lineage: string; readonly revision: number }
  /** the key was revoked or the environment deleted: the follower has ended */
  | { readonly event: 'ended'; readonly error: ZerohopError }
  | KeeperEvent
