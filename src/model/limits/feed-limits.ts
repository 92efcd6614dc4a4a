// Feed and follower. How the management side sends changes and how a PDP follows them.

/** Bytes of one frame of the feed: a delta of 16 MiB of input grows to less than this. */
export const FRAME_BYTES_MAX = 64 * 1024 * 1024
/** Bytes of the changes in one frame of a state, before they are compressed; one change may be larger. */
export const STATE_FRAME_BYTES = 1024 * 1024
/** Milliseconds between heartbeats of the feed: how exactly a PDP knows its age. */
export const HEARTBEAT_MS = 5_000
/** Milliseconds after which a v1 PDP asks again whether there are objects outside of environments. */
export const V1_OUTSIDE_POLL_MS = 2_000
/** Milliseconds by which the clock of a PDP may differ from that of the management side before it says so. */
export const CLOCK_DIFFERENCE_MS = 2_000
/** Milliseconds without any byte after which a follower calls the feed dead: three missed heartbeats. */
export const FEED_SILENCE_MS = 15_000
/**
 * Checks in one millisecond after which a PDP with a limit of staleness looks at its second clock as well, which costs
 * as much as the first one.
 */
export const TAKES_BY_ONE_CLOCK_MAX = 256
/** Milliseconds of the first pause before a follower asks again: a restart of management goes unnoticed. */
export const RETRY_FIRST_MS = 50
/** Milliseconds of the longest pause: a thousand followers do not overrun a management side that comes back. */
export const RETRY_LONGEST_MS = 5_000
/** Milliseconds that a follower gathers deltas before it applies them, unless a request waits for a revision. */
export const APPLY_WINDOW_MS = 20
/**
 * Milliseconds for which a PDP holds a change back until a write with `X-Wait-Timeout: 0` is answered: others that wait
 * for later changes are not held up longer by an answer that no client reads. Well below ACKNOWLEDGE_WAIT_MS: what is
 * acknowledged in `serve` is decided by.
 */
export const ANSWER_HOLD_MS = 500
/** Milliseconds of delta work in one turn of the event loop: a check waits no longer than that. */
export const APPLY_TURN_MS = 2
/** Changes above which a delta is applied by a worker thread: it would hold the event loop too long. */
export const DELTA_IN_TURN_MAX = 20_000
/**
 * Changes of one turn of the event loop where no worker thread can be used for such a delta, a compaction or a state: a
 * few milliseconds.
 */
export const CHANGES_IN_TURN = 500
/** Bytes of an image above which a worker thread verifies it: about 50 ms a megabyte. */
export const VERIFY_IN_TURN_BYTES_MAX = 256 * 1024
/** Milliseconds after which a worker thread that was given an image counts as lost: a million objects take seconds. */
export const IMAGE_TASK_MS = 120_000
/**
 * Milliseconds that an image goes on answering while a follower that cannot apply what came after it tries to replace
 * it: a fresh image takes seconds. From then on checks are refused.
 */
export const UNAPPLIED_MS = 10_000
/** Objects of an environment above which its image is built by a worker thread: fewer take under 20 ms. */
export const SNAPSHOT_IN_TURN_MAX = 5_000
/**
 * Bytes of an image, as they are accounted, above which a worker thread builds it: attributes weigh more than objects,
 * 25 ms a megabyte.
 */
export const SNAPSHOT_IN_TURN_BYTES_MAX = 2 * 1024 * 1024
/**
 * Changes that a kept image may be behind before it is built again: so many deltas a follower applies in under a
 * second.
 */
export const SNAPSHOT_BEHIND_MAX = 100_000
/**
 * Milliseconds after which a kept image is built again when something was written since: a follower of it has that much
 * to catch up.
 */
export const SNAPSHOT_AGE_MS = 3_600_000
/**
 * Bytes of all images that the management side keeps in memory for followers (those of large environments are files);
 * the newest one is kept even when it is larger.
 */
export const SNAPSHOT_BYTES_MAX = 512 * 1024 * 1024
/**
 * Images that are sent at once, or are waited for while they are built. Beyond, and for an API key that has as many as
 * are free: 503 with `retry-after`.
 */
export const IMAGE_DOWNLOADS_MAX = 64
/** Seconds of the longest `retry-after` of such an answer, also of a stream over FOLLOWERS_MAX; at random for each. */
export const FEED_RETRY_SECONDS_MAX = 5
/**
 * Bytes of image files that are kept in memory for the PDPs that ask within a moment; what would be more is read in
 * pieces, for each PDP.
 */
export const IMAGE_SHARED_BYTES_MAX = 16 * 1024 * 1024
/** Milliseconds of that moment: as long as a refused follower waits. */
export const IMAGE_SHARED_MS = 5_000
/** Milliseconds of the longest `retry-after` that a follower heeds: a gateway may say an hour. */
export const RETRY_AFTER_MS_MAX = 30_000
/** Times that a download looks for the image file anew because another took its place before it was opened. */
export const IMAGE_OPENINGS_MAX = 3
/** Bytes of an image file from which it is also kept compressed: below it a download is short on any network. */
export const SNAPSHOT_GZIP_BYTES_MIN = 1024 * 1024
/** Deltas of all logs that are kept as they were last sent, so that many followers cost one reading. */
export const RECENT_DELTAS_MAX = 1_024
/** Bytes of all deltas that are kept so, as frames: a larger delta is shared only by those who are woken together. */
export const RECENT_BYTES_MAX = 32 * 1024 * 1024
/**
 * Bytes of log entries that are read for one follower at a time (at least one entry): what one that stops reading makes
 * the process keep, with the frame that it was sent last.
 */
export const FOLLOWER_BYTES_MAX = 1024 * 1024
/**
 * Milliseconds in which a follower must take what was sent. Then its stream ends with FEED_GAP, after which it takes an
 * image. It is cut off when it has not taken that frame in the same time.
 */
export const FEED_DRAIN_MS = 30_000
/**
 * Milliseconds without any byte after which a follower gives up waiting for an image: a large one takes seconds to
 * build.
 */
export const IMAGE_SILENCE_MS = 60_000
/** Changes that wait in a follower before it stops reading the feed. */
export const PENDING_CHANGES_MAX = 200_000
/** Milliseconds between two writes of the last image to disk: what an offline restart may lack. */
export const LAST_IMAGE_SAVE_MS = 30_000
/** Changes between two looks at the garbage of an image: looking costs a few reads. */
export const COMPACT_EVERY_CHANGES = 1_000
/** Bytes of garbage below which a compaction is not worth a worker thread. */
export const COMPACT_BYTES_MIN = 256 * 1024
/**
 * Milliseconds that a PDP with a last image on disk waits for the management side before it answers from that image.
 */
export const OFFLINE_START_MS = 2_000
/** Milliseconds in which a PDP must get the key of its environment by a wider key, when it starts with one. */
export const ENVIRONMENT_KEY_MS = 10_000
/** How often `zerohop/client` sends a write at most, where the server carries it out once, unless its caller says otherwise. */
export const CLIENT_TRIES = 4
/** Milliseconds before it sends a write for the second time; each further time twice as many. */
export const CLIENT_RETRY_FIRST_MS = 250
/** Milliseconds that it waits at most where the answer says when to come back: with a longer `Retry-After` it does not. */
export const CLIENT_RETRY_WAIT_MS_MAX = 10_000
/** Rounds in which `syncUser` reads and changes a user whom others change meanwhile. */
export const SYNC_ROUNDS_MAX = 5
/** Milliseconds in which `zerohop/client` must get the whole answer to a request, unless its caller says otherwise. */
export const CLIENT_REQUEST_MS = 30_000
/**
 * Milliseconds that `connect` waits for the first image before it gives up with FEED_UNREACHABLE or what else was
 * wrong.
 */
export const CONNECT_TIMEOUT_MS = 10_000
/** Milliseconds after which a feed ends when the database of the replicas does not confirm that it is complete. */
export const FEED_UNCONFIRMED_MS = 10_000
/** Milliseconds between two times that a PDP asks for the head of the log: how exactly it knows its age. */
export const HEAD_ASK_MS = 5_000
/** Times that a PDP asks for it within its limit of staleness: one lost answer does no harm. */
export const HEAD_ASKS_PER_LIMIT = 4
/** Milliseconds of the shortest time between two of them, however low the limit is. */
export const HEAD_ASK_MIN_MS = 25
/** Heads that a PDP remembers until its image has reached them. */
export const HEADS_AWAITED_MAX = 8
/** Histories of its environment that a PDP remembers, to accept none of them again. */
export const LINEAGES_KEPT_MAX = 16
/** Characters of the name of a PDP. */
export const PDP_NAME_LENGTH_MAX = 128
/** Milliseconds between two looks of a PDP whether there is something to report. */
export const PDP_REPORT_CHECK_MS = 1_000
/**
 * Milliseconds between two reports of the revision that a PDP applied, while it changes: a thousand PDPs are a hundred
 * requests a second.
 */
export const PDP_REPORT_MS = 10_000
/** The same while nothing changes. */
export const PDP_ALIVE_MS = 30_000
/** Milliseconds in which a report must be answered. */
export const PDP_REPORT_TIMEOUT_MS = 5_000
/** Milliseconds that a PDP which closes waits for the answer to its last report. */
export const PDP_LEAVE_MS = 1_000
/**
 * Milliseconds that a PDP may lack a revision before it counts as stale: three reports, so that one that is current is
 * never called stale.
 */
export const PDP_STALE_MS = 30_000
/** Milliseconds that a PDP whose connection broke stays in the list. */
export const PDP_KEPT_MS = 3_600_000
/** PDPs of one environment that are kept in the list although they are not connected; the last seen ones. */
export const PDPS_AWAY_MAX = 100
/** Milliseconds between two times that a replica writes which PDPs it has. */
export const PDPS_WRITE_MS = 5_000
/** PDPs that it writes with one statement. */
export const PDPS_WRITE_MAX = 1_000
/** PDPs of one environment that a replica reads of all other ones. */
export const PDPS_LISTED_MAX = 20_000
