// Syncs. Rows of a database of the application, which are sorted, compared with facts, and written.

/** Bytes of rows that are sorted in memory; more are sorted in files of this size, which are merged. */
export const SYNC_RUN_BYTES = 64 * 1024 * 1024
/** Bytes of a file of sorted rows that are read or written at once: more would outlive the young generation of the heap. */
export const SYNC_READ_BYTES = 64 * 1024
/** Rows of one section: ten times as many as the largest environment that was measured. */
export const SYNC_ROWS_MAX = 50_000_000
/** Rows that a database sends at once. */
export const SYNC_FETCH_ROWS = 2_000
/** Bytes of one row as the source gives it. */
export const SYNC_ROW_BYTES_MAX = 1024 * 1024
/** Problems with rows that a command lists; then it stops reading. */
export const SYNC_ROW_PROBLEMS_MAX = 20
/** Milliseconds in which the database of the application must take a connection. */
export const SYNC_CONNECT_MS = 15_000
/** Milliseconds in which a database or a command must go on with its answer. */
export const SYNC_ANSWER_MS = 10 * 60_000
/** Words of the list that starts a command. */
export const SYNC_COMMAND_WORDS_MAX = 100
/** Characters of what a database or a command reports that an error repeats. */
export const SYNC_COMMAND_ERROR_BYTES = 1_000
/** Syncs of one environment: each is a source of its own. */
export const SYNCS_MAX = 100
/** Milliseconds for which a run holds its sync after each slice. After that another run can begin. */
export const SYNC_LEASE_MS = 60_000
/** Facts of one slice of a sync: one revision. */
export const SYNC_SLICE_ITEMS = 2_000
/** Characters of a slice: it fits into the body of a bulk call. */
export const SYNC_SLICE_CHARS = 4 * 1024 * 1024
/** Facts that a slice names where something is wrong with them; all are counted. */
export const SYNC_PROBLEMS_SHOWN = 100
/** Groups of gained and lost roles that are listed where there are too many changes for an access diff. */
export const SYNC_GROUPS_SHOWN = 100
/** Pairs of role and tenant that are counted by themselves. */
export const SYNC_GROUPS_MAX = 100_000
/** Percent of the facts of one kind that one run deletes unless the sync file or the command says otherwise. */
export const SYNC_DELETES_PERCENT = 5
/** Facts of one kind that one run deletes unless the sync file or the command says otherwise. */
export const SYNC_DELETES_COUNT = 1_000
/** Milliseconds until `sync watch` listens again to a database that it lost. */
export const SYNC_LISTEN_PAUSE_MS = 5_000
/** Milliseconds that a watch which ends waits for its database to take leave. */
export const SYNC_LEAVE_MS = 1_000
/** Milliseconds that `sync watch` waits between two runs at least. */
export const SYNC_EVERY_MS_MIN = 1_000
/** Facts of one kind of a sync that are counted when it is read: counting holds up everything else. */
export const SYNC_FACTS_COUNTED_MAX = 100_000
