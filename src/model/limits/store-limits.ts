// Store. A full queue answers 503 with `retry-after`; nothing waits without a bound.

/** Use cases that may wait for the writer; beyond it the caller is asked to try again later. */
export const WRITER_QUEUE_MAX = 10_000
/** Use cases committed together: bounds the time one fsync batch holds the writer. */
export const WRITER_BATCH_MAX = 1_000
/**
 * Items of bulk calls committed together, beyond the first call: bounds the pages that one transaction holds in memory.
 */
export const WRITER_BATCH_ITEMS_MAX = 4_000
/**
 * Batches sent to the writer thread and not yet answered: the second is there when the first is done, so the thread
 * never idles.
 */
export const WRITER_IN_FLIGHT_MAX = 2
/** Objects that one use case remembers as it has read them: types, roles, tenants and users that items of a bulk name. */
export const DRAFT_READS_MAX = 2_048
/** Names that one use case knows to be free, and as many numbers of an index: a bulk looks several times for each. */
export const DRAFT_ABSENCES_MAX = 8_192
/**
 * Characters of all objects that the writer remembers as one use case has read them, so that it reads them once: some
 * 100,000 role assignments.
 */
export const READ_ROWS_BYTES_MAX = 33_554_432
/** Bytes of the key of a stored object: LMDB takes 1978 with the table's own prefix. */
export const OBJECT_KEY_BYTES_MAX = 1_900
/**
 * Bytes of address space reserved for the data file, so that it never has to be mapped anew under a reader; not disk,
 * not memory.
 */
export const DATA_BYTES_MAX = 2 ** 40
/** Rows that one step of forgetting touches: some milliseconds of the writer. */
export const RETENTION_ROWS_PER_STEP = 2_000
/** Milliseconds between two searches for expired data. */
export const RETENTION_EVERY_MS = 60_000
/** Seconds for which what was granted for a time is kept after its end, unless `ZEROHOP_ENDED_KEPT` says otherwise. */
export const ENDED_KEPT_SECONDS_DEFAULT = 2_592_000
/** Objects that upkeep deletes in one revision because they have ended: the one thread that writes does it. */
export const ENDED_PER_REVISION = 1_000
/** Keys of deleted tenants that one revision deletes. */
export const DEAD_KEYS_PER_REVISION = 1_000
/**
 * Milliseconds that a key of a tenant must be old before it can count as one whose tenant was deleted: a replica may see
 * the key before the tenant.
 */
export const DEAD_KEY_AGE_MS = 3_600_000
/**
 * Seconds before its end at which what was granted for a time is announced, unless `ZEROHOP_ENDING_NOTICE` says otherwise.
 */
export const ENDING_NOTICE_SECONDS_DEFAULT = 86_400
/** Ends that upkeep announces in one revision: the one thread that writes does it. */
export const ENDING_PER_REVISION = 1_000
/** Ends that upkeep announces of one environment in one round; the others follow in the next one. */
export const ENDING_PER_ROUND_MAX = 20_000
/** Grants that an announcement names in its summary; its changes have all. */
export const ENDING_NAMED_MAX = 3
/** Revisions whose deltas a follower can still get, unless `ZEROHOP_DELTA_REVISIONS` says otherwise. */
export const DELTA_REVISIONS_DEFAULT = 100_000
/** Days for which a follower can still get deltas, unless `ZEROHOP_DELTA_DAYS` says otherwise. */
export const DELTA_DAYS_DEFAULT = 30
/** Entries that the history of a log keeps, unless `ZEROHOP_HISTORY_REVISIONS` says otherwise. */
export const HISTORY_REVISIONS_DEFAULT = 1_000_000
/** Days that history goes back, unless `ZEROHOP_HISTORY_DAYS` says otherwise. */
export const HISTORY_DAYS_DEFAULT = 365
/** Copies of environments whose outcome is remembered. */
export const COPY_TASKS_MAX = 1_000
/** Milliseconds that one request waits for a copy at most. */
export const COPY_WAIT_MS = 60_000
/** Lines of what an import changes that are listed one by one; the others are counted. */
export const BUNDLE_LINES_MAX = 1_000
/** Characters of facts that an export collects before it writes them to its file. */
export const FACTS_WRITTEN_BYTES = 1024 * 1024
/** Streams of the facts of a claim that run at the same time: each keeps the pages of its revision on disk. */
export const FACT_STREAMS_MAX = 8
/** Milliseconds that such a stream takes at most: a million facts are read in a minute by a reader that takes them. */
export const FACT_STREAM_MS = 10 * 60_000
/** Characters of such a stream that are read in one turn of the event loop: some hundred facts. */
export const FACT_STREAM_BYTES_PER_TURN = 32 * 1024
/** Exports of facts that run at the same time: each is a thread and a file. */
export const FACTS_EXPORTS_MAX = 4
/** Bytes of one line of a file of facts: a fact with all its attributes is a small part of it. */
export const FACTS_LINE_BYTES_MAX = 1024 * 1024
/** Facts that `zerohop import` sends in one call: the writer is held for some 50 ms. */
export const FACTS_SENT_PER_CALL = 1_000
/** Bytes of these calls at most. */
export const FACTS_SENT_BYTES_MAX = 4 * 1024 * 1024
/** Calls of `zerohop import` at the same time: while the writer applies one, the next ones are parsed. */
export const FACTS_CALLS_AT_ONCE = 3
/** Attempts in a row of `zerohop import` and `export` after which a server that cannot be reached is given up. */
export const FACTS_ATTEMPTS_MAX = 6
/** Milliseconds before the second of these attempts; each later pause is twice as long. */
export const FACTS_PAUSE_MS = 500
/**
 * Milliseconds without a byte after which `zerohop export` takes a connection for lost: a server writes the file before
 * it answers.
 */
export const FACTS_IDLE_MS = 5 * 60_000
/** Milliseconds without taking a byte after which the reader of exported facts is cut off: it holds one of those places. */
export const FACTS_TAKEN_MS = 30_000
/** Facts of one import call: all are one revision, and other writes wait for it. */
export const FACTS_PER_CALL_MAX = 5_000
/** Lines of an import call that are parsed in one turn of the event loop: some milliseconds. */
export const FACTS_PARSED_PER_TURN = 250
/** Bytes of one command over the admin socket, and of all that run at once: a whole environment as a file. */
export const ADMIN_BODY_BYTES_MAX = 256 * 1024 * 1024
/** Connections to the admin socket at once: commands of an operator, one after the other. */
export const ADMIN_CONNECTIONS_MAX = 32
/** Bytes of the path of a socket: the least that Linux and macOS take. */
export const SOCKET_PATH_BYTES_MAX = 103
/** Rows that one step of a verification compares with what leads to them: some milliseconds in one read transaction. */
export const VERIFY_ROWS_PER_STEP = 1_000
/** Milliseconds between two signs of how far a verification is. */
export const VERIFY_PROGRESS_MS = 1_000
/** Hundredths of the time in which a scrub works, on one core at the lowest priority. */
export const SCRUB_PERCENT = 10
/** Milliseconds for which writes wait at most while a scrub opens the data file; then its process is killed. */
export const SCRUB_OPEN_MS = 5_000
/** Milliseconds from the start of a server to its first scrub: after the rush of followers. */
export const SCRUB_FIRST_MS = 5 * 60_000
/** Hours between two scrubs, unless `ZEROHOP_SCRUB_HOURS` says otherwise. */
export const SCRUB_HOURS_DEFAULT = 24
/** Hours that may be between two scrubs: three weeks, what a timer of Node.js can wait. */
export const SCRUB_HOURS_MAX = 504
/** Damages that a verification lists; all are counted. */
export const DAMAGES_LISTED_MAX = 100
/** Entries of a log that a repair applies in one transaction. */
export const REPAIR_ENTRIES_PER_STEP = 500
/**
 * Rows that an upgrade of the data file copies in one transaction: some tens of milliseconds between signs of life of
 * its lock.
 */
export const UPGRADE_ROWS_PER_STEP = 10_000
/**
 * Places in the creation order whose search texts are one record on disk: some kilobytes, which one write reads and
 * writes. Another number is another disk format.
 */
export const SEARCH_PLACES_PER_RECORD = 64
/** Bytes of search texts that a search compares in one turn of the event loop: 2 to 4 ms. */
export const SEARCH_BYTES_PER_TURN = 2 * 1024 * 1024
/** Milliseconds between signs of life of the process that holds a data folder. */
export const LOCK_HEARTBEAT_MS = 1_000
/**
 * Milliseconds without one after which a holder that we cannot look up (another container or machine) counts as dead.
 */
export const LOCK_SILENCE_MS = 5_000
/** Milliseconds that the check of a suspicious data file may take: it reads every page once. */
export const PROBE_MS = 120_000
/** Log entries handed out by one read: a reader asks again for more. */
export const LOG_READ_MAX = 1_000
/** Bytes of log entries handed out by one read (at least one entry): what a reader keeps in memory at once. */
export const LOG_READ_BYTES_MAX = 16 * 1024 * 1024

// Database of replicas. What it does not answer in time is given up: a request gets 503, never a wrong answer.

/** Milliseconds in which a connection must be open and say who is at the other end. */
export const DATABASE_CONNECT_MS = 5_000
/** Milliseconds in which one statement must be answered, else the connection is given up. */
export const DATABASE_STATEMENT_MS = 10_000
/** Milliseconds for which the lock of a log is waited for, in one round. */
export const DATABASE_LOCK_MS = 5_000
/** Rounds of a batch of writes: more logs to lock, a lock that is not free, a lost connection before the commit. */
export const DATABASE_ROUNDS_MAX = 4
/** Entries that are read from the database at once. */
export const DATABASE_PAGE_MAX = 2_000
/** Bytes of packed changes that are read at once, unless one entry is larger. */
export const DATABASE_PAGE_BYTES_MAX = 8 * 1024 * 1024
/** Bytes of one part of a snapshot before it is compressed, unless one object is larger. */
export const SNAPSHOT_PART_BYTES_MAX = 8 * 1024 * 1024
/** Entries of a log after its newest snapshot from which a new one is written, unless that one has more objects. */
export const SNAPSHOT_ENTRIES_MIN = 10_000
/** Bytes of entries after the newest snapshot of a log from which a new one is written, unless that one has more. */
export const SNAPSHOT_UNCOVERED_BYTES_MIN = 64 * 1024 * 1024
/** Minutes for which no other snapshot of a log is written while one waits for its confirmation, or was refused. */
export const SNAPSHOT_RETRY_MINUTES = 60
/** Seconds without a sign of life of any other replica after which one confirms its own snapshots. */
export const SNAPSHOT_ALONE_SECONDS = 60
/** Snapshots of a log that are tried, when the newest ones are damaged, trimmed or replaced while they are loaded. */
export const SNAPSHOT_LOADS_MAX = 4
/** Seconds without a sign of life after which another replica takes over the upkeep of a log: to read it takes some. */
export const UPKEEP_SILENCE_SECONDS = 300
/** Logs that one look for due snapshots and expired entries takes in at once. */
export const UPKEEP_LOGS_MAX = 1_000
/** Entries that are shortened or removed from the database with one statement. */
export const TRIM_ENTRIES_PER_STEP = 1_000
/** Parts of snapshots, of SNAPSHOT_PART_BYTES_MAX at most, that are removed with one statement. */
export const FORGET_PARTS_PER_STEP = 10
/**
 * Minutes for which every entry stays in the database, and for which a replica that does not fold on holds back the
 * entries that it lacks: after that it loads a snapshot.
 */
export const TRIM_AGE_MINUTES = 10
/** Milliseconds in which one statement of `zerohop database` must be answered: no request waits for it. */
export const DATABASE_COMMAND_MS = 120_000
/** Logs and replicas that `zerohop database status` lists. */
export const DATABASE_LISTED_MAX = 100
/** Milliseconds after its last sign of life for which a replica counts as running. */
export const DATABASE_ALIVE_MS = 15_000
/** Milliseconds between two tries of a replica that starts while its database does not answer. */
export const DATABASE_START_RETRY_MS = 1_000
/** Milliseconds between two signs of a replica's thread that it has all that is on record. */
export const CAUGHT_UP_SAID_MS = 250
/** Milliseconds between two looks for entries of other replicas, where notifications tell of them. */
export const DATABASE_POLL_MS = 1_000
/** Milliseconds for which `GET /metrics` of a replica waits for the newest keys. */
export const METRICS_CONFIRM_MS = 1_000
/** Milliseconds between two looks for entries of other replicas that notifications ask for. */
export const DATABASE_FOLLOW_MS = 20
/** Milliseconds between two looks for entries of other replicas without notifications. */
export const DATABASE_POLL_QUICK_MS = 50
/** Milliseconds between two signs of life of a replica. */
export const DATABASE_HEARTBEAT_MS = 1_000
/** Milliseconds since the last acknowledged commit for which the answers of the database are trusted. */
export const DATABASE_TRUST_MS = 5_000
/** Milliseconds in which the outcome of a commit is looked for after its connection was lost. */
export const OUTCOME_WAIT_MS = 10_000
/** Milliseconds between two attempts to find out. */
export const OUTCOME_RETRY_MS = 200
/** Hours for which the answer to a request with an idempotency key is repeated. */
export const IDEMPOTENCY_HOURS = 24
/** Answers to requests with an idempotency key that one process keeps: the newest. */
export const IDEMPOTENCY_KEYS_MAX = 1_000_000
/** Bytes of them in the data folder. */
export const IDEMPOTENCY_BYTES_MAX = 512 * 1024 * 1024
/** Bytes of one of them, as it is kept: a longer one is not repeated, and its request is not carried out again either. */
export const ANSWER_KEPT_BYTES_MAX = 1024 * 1024
/** Bytes from which such an answer is kept deflated: that of a bulk call repeats the same words. */
export const ANSWER_DEFLATED_BYTES_MIN = 4_096
/** Hours for which the outcome of a task is kept. */
export const TASK_HOURS = 24
/** Seconds without a sign of life after which a replica, and what it was doing, is given up. */
export const TASK_SILENCE_SECONDS = 30
/** Milliseconds between two looks at a task that another replica runs. */
export const TASK_POLL_MS = 200
/** Milliseconds between two removals of old answers, tasks and replicas from the database. */
export const DATABASE_TIDY_MS = 600_000
/** New entries above which the heads of all logs are asked for instead. */
export const DATABASE_SCAN_MAX = 5_000
/** Milliseconds between two tries whether a full disk has room again: health checks and scrapes ask for it. */
export const DISK_TRY_MS = 1_000
