// Snapshots for browsers. How much one holds, how long it answers, and when a page loads the next one.

/** Tenants in one snapshot: those that a user works in at a time; `tenants` names them. */
export const SNAPSHOT_TENANTS_MAX = 100
/** Answers in one snapshot, one for each tenant, type and action: some ten milliseconds to find. */
export const SNAPSHOT_ANSWERS_MAX = 2_000
/**
 * Characters of one answer as JSON, some two thousand keys: what would be longer is asked of the server. A page loads
 * it again and again.
 */
export const SNAPSHOT_ANSWER_LENGTH_MAX = 65_536
/** Characters of a snapshot as JSON: what a page can load in addition to itself. */
export const SNAPSHOT_LENGTH_MAX = 1_048_576
/** Milliseconds that a snapshot answers when the caller does not say: how long a withdrawn right stays visible. */
export const SNAPSHOT_LIFETIME_DEFAULT_MS = 5 * 60_000
/** Milliseconds that a snapshot may answer at most. */
export const SNAPSHOT_LIFETIME_MAX_MS = 60 * 60_000
/** Milliseconds before the end of a snapshot at which a page loads the next one: time for several attempts. */
export const SNAPSHOT_REFRESH_BEFORE_MS = 60_000
/** Milliseconds after an attempt in which a page that gets the focus loads nothing: people switch windows often. */
export const SNAPSHOT_FOCUS_MS = 10_000
/** Milliseconds after which a page gives up loading a snapshot, and tries again later. */
export const SNAPSHOT_LOAD_TIMEOUT_MS = 30_000
/** Milliseconds that a page waits after the first attempt that failed; each further one doubles them. */
export const SNAPSHOT_RETRY_FIRST_MS = 1_000
/** Milliseconds that a page waits at most between two attempts. */
export const SNAPSHOT_RETRY_MAX_MS = 60_000
