// Past revisions. How far back their images go, what they may cost, and what waits for them.

/** Revisions of an environment that can be asked about, unless `ZEROHOP_PAST_REVISIONS` says otherwise. */
export const PAST_REVISIONS_DEFAULT = 100_000
/** Days that past revisions go back, unless `ZEROHOP_PAST_DAYS` says otherwise. */
export const PAST_DAYS_DEFAULT = 30
/** Bytes of all checkpoints together, unless `ZEROHOP_PAST_BYTES` says otherwise; the newest of each stays. */
export const PAST_BYTES_DEFAULT = 1024 * 1024 * 1024
/** Entries of a log after its newest checkpoint from which another is written, unless the last had more objects. */
export const CHECKPOINT_ENTRIES_MIN = 10_000
/** Checkpoints over the reach of the past, when few entries are written: what is kept is at most that much older. */
export const PAST_PARTS = 10
/** Checkpoints of one environment: the oldest goes first. */
export const CHECKPOINTS_MAX = 1_000
/** Checkpoints that one round of retention writes: the others wait for the next round. */
export const CHECKPOINTS_PER_ROUND = 20
/** Bytes of the first line of a checkpoint. */
export const CHECKPOINT_LINE_BYTES_MAX = 4_096
/** Images of past revisions that are kept, the last used ones. */
export const PAST_IMAGES_MAX = 16
/** Bytes of the images of past revisions that are kept; the last used one stays whatever its size. */
export const PAST_IMAGES_BYTES_MAX = 256 * 1024 * 1024
/** Milliseconds for which such an image answers: so long what retention has removed can still be asked about. */
export const PAST_IMAGE_MS = 600_000
/** Threads that read the past at once: each may hold a whole environment. */
export const PAST_THREADS_MAX = 2
/** Requests that wait for such a thread; beyond it the caller is asked to try again later. */
export const PAST_WAITING_MAX = 64
/** Milliseconds that one thread may work; then it is ended. */
export const PAST_TASK_MS = 60_000
/** Revisions over which a changed answer is looked for one by one: then every change is found. */
export const PAST_SCAN_REVISIONS_MAX = 20_000
/** Instants between two revisions at which an answer is asked, because something starts or ends, in all. */
export const PAST_SCAN_INSTANTS_MAX = 10_000
/** Tuples and roles that are followed to find the next of these instants: beyond, the two ends are compared. */
export const PAST_WALK_MAX = 5_000
/** Changes of an answer that are listed; all are counted. */
export const PAST_FLIPS_LISTED_MAX = 100
