// Migration. Steps of `zerohop migrate`.

/** Rows that a migration asks for at once: what the public API gives at most. */
export const MIGRATE_PAGE_ROWS = 100
/** Rows of one list that a migration reads into memory. */
export const MIGRATE_LIST_ROWS_MAX = 1_000_000
/** Calls of a migration that are under way at once: it runs while the services do. */
export const MIGRATE_CALLS_AT_ONCE = 8
/** Times that a call of a migration is tried again when the service says “not now”. */
export const MIGRATE_RETRIES_MAX = 5
/** Milliseconds before the first of these; doubled each time. */
export const MIGRATE_RETRY_MS = 250
/** The same for “too many requests” without a `Retry-After`: such limits count by the minute. */
export const MIGRATE_BUSY_MS = 2_000
/** Milliseconds that it waits when `Retry-After` says until when; more than that is an answer. */
export const MIGRATE_RETRY_AFTER_MS_MAX = 60_000
/** Milliseconds that a call of a migration may take. */
export const MIGRATE_TIMEOUT_MS = 30_000
/** Checks that one `zerohop migrate verify` compares for an environment. */
export const MIGRATE_QUESTIONS_MAX = 1_000_000
/**
 * Milliseconds between two lines that say how far a step of a migration is, when the output is not a terminal: a log
 * shows that it goes on, and is not filled.
 */
export const MIGRATE_PROGRESS_MS = 5_000
/** Milliseconds for which the report of `verify` lets `finish` delete. */
export const VERIFY_FRESH_MS = 3_600_000
/** Files that one `zerohop migrate scan` reads. */
export const SCAN_FILES_MAX = 200_000
/**
 * Bytes of a file above which it is not searched but named: code that someone wrote is smaller, and a file is read as
 * a whole.
 */
export const SCAN_FILE_BYTES_MAX = 2 * 1024 * 1024
