// Processes. How processes start, answer together and end.

/** Characters of a first API key that is given instead of minted: below it a guess could succeed. */
export const FIXED_KEY_LENGTH_MIN = 16
/** Processes that answer for one PDP: more than any machine has cores for. */
export const WORKERS_MAX = 64
/** Milliseconds that the first worker of a PDP may take to get an image before the others are started anyway. */
export const WORKER_START_MS = 3_000
/** Milliseconds in which a worker of a PDP must say how it is. */
export const SIBLING_ANSWER_MS = 1_000
/**
 * Milliseconds that a server goes on after a signal to end, while `/ready` is 503, unless the operator says otherwise
 * (ZEROHOP_DRAIN_SECONDS): load balancers look every second or two, and believe a second look.
 */
export const ENDING_MS_DEFAULT = 5_000
/**
 * Milliseconds after that in which every answer ends its connection, so that whoever is connected hears of it with an
 * answer.
 */
export const DRAIN_MS = 500
/**
 * Milliseconds in which a process must drain and exit after SIGTERM: what an orchestrator allows by default before it
 * kills. One that is to go on for longer first gets half of it for the rest.
 */
export const SHUTDOWN_MS = 10_000
/** Characters of the log that wait for room on its disk; what comes later is dropped. */
export const LOG_WAITING_CHARACTERS_MAX = 1_000_000
/** Milliseconds that a process which ends waits for its last traces to be sent. */
export const TRACES_FLUSH_MS = 2_000
/** Streams of deltas open at once: each holds a socket and a timer. */
export const FOLLOWERS_MAX = 10_000
/**
 * Milliseconds that a write of zerohop/embedded, already on disk, waits for the PDP of the same process: long only for
 * a huge cascade.
 */
export const EMBEDDED_WAIT_MS = 60_000
/** Milliseconds after which a command says on a terminal that it is still waiting. */
export const PROGRESS_AFTER_MS = 400
/** Milliseconds between two questions of `zerohop log --follow`. */
export const LOG_FOLLOW_MS = 1_000
/**
 * Milliseconds by which it reaches back from the newest decision that it has seen: PDPs send in batches, so that an
 * earlier one may come later.
 */
export const LOG_FOLLOW_LATE_MS = 60_000
/** Decisions that it reads at once: over that it says that some are left out. */
export const LOG_FOLLOW_RECORDS_MAX = 1_000
/** Milliseconds that a command waits for a plan: over millions of facts the first one builds an image. */
export const PLAN_TIMEOUT_MS = 5 * 60_000
