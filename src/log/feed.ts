// The feed: where a PDP gets its image and then its deltas. Implemented in process by src/management/feed/local-feed.ts
// and over HTTP by src/client/http-feed.ts; followed by src/pdp/follower.ts. The wire form is docs/feed.md and
// src/log/codec.ts.
import type { Moment } from '../model/moment.ts'
import type { LogId, Position } from './change.ts'
import type { Delta, PackedDelta } from './delta.ts'

export type FeedEvent =
  /** `signed` is the delta in its signed form, where signatures are checked */
  | { readonly type: 'delta'; readonly delta: Delta; readonly signed?: PackedDelta }
  /** a delta of more than DELTA_IN_TURN_MAX changes */
  | { readonly type: 'packed'; readonly delta: PackedDelta }
  /**
   * Sent at least every HEARTBEAT_MS, and once as soon as the follower has everything: `revision` is the head of the
   * log, at least at the moment `at`; over HTTP it may have waited on its way, and only says that the line lives.
   */
  | { readonly type: 'heartbeat'; readonly revision: number; readonly at?: Moment }

/** The head of a log, as of after it was asked for. */
export interface FeedHead extends Position {
  readonly environment: LogId
  /** of the history that the log has: a restore begins another one */
  readonly lineage: string
  /** when it was said, by the clock of the other side: ms since 1970 */
  readonly time: number
}

/** How far an image has come. */
export interface ImageProgress {
  /** bytes that have arrived */
  readonly bytes: number
  /** bytes of the whole image */
  readonly ofBytes: number
  /** of the image; undefined when the other side did not say */
  readonly revision: number | undefined
}

export interface Feed {
  /**
   * The image file of the environment at some recent revision; where the other side's images are of another ABI, the
   * state as changes (src/log/state-file.ts) to build one from.
   * @param onProgress called when bytes arrive; not where the image does not come over a network
   * @throws FEED_UNREACHABLE (try again), KEY_UNKNOWN (the key is dead), ENVIRONMENT_DELETED
   */
  image(signal?: AbortSignal, onProgress?: (progress: ImageProgress) => void): Promise<Uint8Array>
  /**
   * Every delta after `after`, in order, without end, with heartbeats between. Ends only by throwing.
   * @throws FEED_GAP or FEED_FORK (take a fresh image), FEED_UNREACHABLE (try again), KEY_UNKNOWN, ENVIRONMENT_DELETED,
   *   FRAME_INVALID; an aborted signal ends it without an error
   */
  deltas(after: Position, signal?: AbortSignal): AsyncIterable<FeedEvent>
  /**
   * The head of the log, not from before the call. Without it heartbeats say how current the follower is; undefined
   * when the other side is older and cannot say.
   * @throws FEED_UNREACHABLE; SIGNATURE_INVALID when it must be signed
   */
  askHead?(timeoutMs: number): Promise<FeedHead | undefined>
  /** the environment that is followed, as the other side named it; undefined until it did */
  readonly environment?: LogId | undefined
  /** The follower closes: the other side need not miss it. Takes a bounded time; never rejects. */
  leave?(): Promise<void>
}
