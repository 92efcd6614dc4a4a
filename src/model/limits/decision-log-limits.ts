// Decision log. Records of decisions: in the process that decides, on their way, and where the management side keeps
// them.

/** Characters of a key in a record: a longer one is unknown to every policy, and not worth its room. */
export const DECISION_TEXT_MAX = 512
/** Bytes of the attributes in one record, when they are kept. */
export const DECISION_ATTRIBUTES_BYTES_MAX = 16 * 1024
/**
 * Characters of records that are written together before attributes are left out: the defaults of a batch may stand in
 * each of its records.
 */
export const DECISION_TURN_TEXT_MAX = 8 * 1024 * 1024
/** Processes that keep decisions under one folder. */
export const DECISION_JOURNALS_MAX = 64
/** Bytes of one file of decisions, unless `PDP_DECISION_LOG_FILE_SIZE` says otherwise. */
export const DECISION_FILE_BYTES_DEFAULT = 64 * 1024 * 1024
/** Files that the sink `file` keeps, unless `PDP_DECISION_LOG_FILES` says otherwise. */
export const DECISION_FILES_DEFAULT = 10
/**
 * Bytes of decisions that may wait to be sent, unless `PDP_DECISION_LOG_BUFFER` says otherwise: about a million
 * decisions.
 */
export const DECISION_BUFFER_BYTES_DEFAULT = 256 * 1024 * 1024
/**
 * Bytes of decisions that wait in the memory of an application whose PDP sends them; what comes then is dropped and
 * counted.
 */
export const DECISION_MEMORY_BYTES_MAX = 16 * 1024 * 1024
/** Bytes of decisions sent at once: some thousands, which compress to a tenth. */
export const DECISION_SEND_BYTES_MAX = 1024 * 1024
/** Milliseconds that decisions gather before they are sent. */
export const DECISION_SEND_MS = 200
/** Milliseconds that one batch may take to be answered before it is sent again. */
export const DECISION_SEND_TIMEOUT_MS = 30_000
/** Bytes of one batch of decisions as it arrives at the management API: four times what a PDP sends. */
export const AUDIT_BODY_BYTES_MAX = 4 * 1024 * 1024
/** Bytes of the same batch, unpacked: a small body must not become a large one. */
export const AUDIT_BATCH_BYTES_MAX = 16 * 1024 * 1024
/** Batches that wait to be stored; beyond it a PDP is asked to try again later. */
export const AUDIT_BATCHES_MAX = 64
/**
 * Records that one request lists, the newest first: what is older is found by a narrower time. As many are looked
 * through where the index does not help.
 */
export const AUDIT_SCAN_MAX = 10_000
/** Places of the index of records that are looked at in one turn of the event loop: some milliseconds. */
export const AUDIT_INDEX_KEYS_PER_TURN = 5_000
/** Turns in which one request looks at the index: with several filters, what fits all of them may be rare. */
export const AUDIT_INDEX_TURNS_MAX = 200
/** Places of the index that are read at once. */
export const AUDIT_INDEX_KEYS_PER_READ = 128
/** As many are read first, and again where what is looked for lies far ahead; a jump costs as much as they do. */
export const AUDIT_INDEX_KEYS_PER_JUMP = 8
/** Hashes of users, actions, resources and tenants that each thread keeps while it stores or looks up records. */
export const AUDIT_HASHES_KEPT = 20_000
/** Records of an older version that one step adds to the index. */
export const AUDIT_INDEXED_PER_STEP = 1_000
/** Times of one answer with counts of decisions: a day by minutes, two months by hours. */
export const AUDIT_COUNTS_MAX = 1_500
/** Streams of recorded decisions that one process keeps open. */
export const DECISION_STREAMS_MAX = 100
/** Milliseconds between two looks for new records, of all streams of an environment together, while there are any. */
export const DECISION_STREAM_MS = 500
/** Records of one look: over that it says that some are left out. */
export const DECISION_STREAM_RECORDS_MAX = 1_000
/** Bytes that wait for the reader of a stream; beyond it records are left out, and the stream says so. */
export const DECISION_STREAM_BYTES_MAX = 1024 * 1024
/** Milliseconds between two heartbeats of a stream, at which its key or session is looked at again. */
export const DECISION_STREAM_BEAT_MS = 5_000
/** Records that one step of forgetting removes. */
export const AUDIT_ROWS_PER_STEP = 5_000
/** Records that one statement of a replica inserts. */
export const AUDIT_INSERT_MAX = 1_000
/** Lists and counts of records that wait for the database of replicas; beyond it a caller is asked to try again later. */
export const AUDIT_READS_MAX = 256
/** Environments in which one step of a replica forgets records. */
export const AUDIT_TRIMMED_ENVIRONMENTS_MAX = 100
/** Days that records are kept, unless `ZEROHOP_AUDIT_DAYS` says otherwise. */
export const AUDIT_DAYS_DEFAULT = 30
/**
 * Records of each environment that are kept, unless `ZEROHOP_AUDIT_RECORDS` says otherwise: 1.3 GB with their index.
 */
export const AUDIT_RECORDS_DEFAULT = 1_000_000
/** Milliseconds that a process which ends goes on sending; the rest is sent after the next start. */
export const DECISION_DRAIN_MS = 2_000
/** Names of attributes that one record lists because their values are not recorded: more than rules read. */
export const DECISION_OMITTED_MAX = 64
/** Characters of such a name; a longer one is not told. */
export const DECISION_OMITTED_NAME_MAX = 128
/**
 * Days for which it is known when something was last used: longer than records are kept, so that a review of a year can
 * ask for it.
 */
export const LAST_USED_DAYS = 400
/**
 * Rows of each environment that say when something was last used: about 100 MB. Beyond them new rows are left out, and
 * answers say since when they know.
 */
export const LAST_USED_ROWS_MAX = 1_000_000
/** Rows that say when something was last used which one step of retention looks at. */
export const LAST_USED_ROWS_PER_STEP = 5_000
/** Rows of a page about last uses, unless `limit` says otherwise. */
export const LAST_USED_ROWS_DEFAULT = 100
/** Rows of a page about last uses at most. */
export const LAST_USED_ROWS_PER_PAGE_MAX = 500
/** Rows that one page about last uses looks at: with `unused_for` it may show fewer. */
export const LAST_USED_LOOKED_AT_MAX = 1_000
/** Seconds that `unused_for` may ask for. */
export const UNUSED_SECONDS_MAX = LAST_USED_DAYS * 86_400
/** Last uses that one page looks up, about: a page ends when the roles on it have given so many permissions. */
export const LAST_USED_LOOK_UPS_MAX = 20_000
