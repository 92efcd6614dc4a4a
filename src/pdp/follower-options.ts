// What a follower is told when it is made, and what it tells: options, times, events.
import type { Feed } from '../log/feed.ts'
import type { Trust } from '../log/signature.ts'
import type { ZerohopError } from '../model/errors.ts'
import type { OnEvent } from '../model/events.ts'
import { LAST_IMAGE_SAVE_MS, OFFLINE_START_MS, RETRY_FIRST_MS, RETRY_LONGEST_MS } from '../model/limits.ts'
import type { ImageSource } from './answering.ts'
import type { KeeperEvent } from './image-keeper.ts'
import type { LastImage } from './last-image.ts'

export interface FollowerOptions {
  readonly feed: Feed
  /** milliseconds after the last heartbeat from which nothing is answered any more; default never */
  readonly maxStalenessMs?: number
  /** where the last image is kept for a restart while the management side is unreachable */
  readonly lastImage?: LastImage
  /** What is followed may not be there (ENVIRONMENT_DELETED): that it was not is kept on disk too, and told while nobody can be asked. */
  readonly mayBeAbsent?: boolean
  /** believes images, also the last one on disk, only when they are signed; the feed looks at deltas */
  readonly trust?: Trust | undefined
  /** hears what an operator wants to know; never called per check */
  readonly onEvent?: OnEvent<FollowerEvent>
  /** milliseconds, when they shall not be those of src/model/limits.ts */
  readonly times?: Partial<FollowerTimes>
}

export interface FollowerTimes {
  /** an image from disk waits so long for the management side before it answers */
  readonly offlineStartMs: number
  /** between two writes of the last image */
  readonly saveMs: number
  readonly retryFirstMs: number
  readonly retryLongestMs: number
}

export const TIMES: FollowerTimes = {
  offlineStartMs: OFFLINE_START_MS,
  saveMs: LAST_IMAGE_SAVE_MS,
  retryFirstMs: RETRY_FIRST_MS,
  retryLongestMs: RETRY_LONGEST_MS,
}

export type FollowerEvent =
  | { readonly event: 'ready'; readonly revision: number; readonly source: ImageSource }
  /** the feed or the image had trouble; the follower goes on by itself */
  | { readonly event: 'trouble'; readonly error: ZerohopError; readonly retryMs: number }
  /** the key is dead or the environment is deleted: nothing more will come */
  | { readonly event: 'ended'; readonly error: ZerohopError }
  | KeeperEvent
