// Every bound of the project, with its unit and its reason. Nothing is unbounded: a queue, page, body, key, depth or retry that
// is not here is a defect. Numbers that the kernel needs live in assembly/abi.ts and are re-exported here.

export { EXTENDS_DEPTH_MAX, IMAGE_BYTES_MAX, KEY_BYTES_MAX, PATHS_MAX, PERMISSIONS_MAX } from '../../assembly/abi.ts'

/** Characters of a name: what a table in a browser can show. */
export const NAME_LENGTH_MAX = 256
/** Characters of a description. */
export const DESCRIPTION_LENGTH_MAX = 1024
/** Characters of an email address: what RFC 5321 lets a mailbox have. */
export const EMAIL_LENGTH_MAX = 254
/** Bytes of one object's attributes as JSON: an attribute bag, not a document store. */
export const ATTRIBUTES_BYTES_MAX = 64 * 1024
/** Levels of nesting in any JSON body: deeper input is an attack on recursive readers. */
export const JSON_DEPTH_MAX = 32

/**
 * Members of objects and items of lists in an ordinary body, and in any one object or list of a bulk body. The largest object, a resource
 * type with a thousand each of actions, attributes, roles and relations and 10,000 permissions, has 22,000; reading so many takes 10 ms.
 */
export const JSON_MEMBERS_MAX = 30_000
/** The same of the whole body of a bulk call: in 16 MiB sixteen bytes for each, with its name and its punctuation. */
export const JSON_MEMBERS_BULK_MAX = 1_000_000

/** Bytes of an ordinary request body. */
export const BODY_BYTES_MAX = 1024 * 1024
/** Checks in one POST /allowed/bulk. */
export const BULK_CHECKS_MAX = 10_000
/** Bytes of one POST /allowed/bulk. */
export const BULK_CHECKS_BYTES_MAX = 4 * 1024 * 1024

/** Results of one page of an AuthZEN search; more come with its token. */
export const SEARCH_PAGE_MAX = 1_000

/** Rows of a page when the caller does not say. */
export const PAGE_ROWS_DEFAULT = 30
/** Rows of a page at most. */
export const PAGE_ROWS_MAX = 100

/** Resources in one PUT /v1/resources: what an application declares when it starts. */
export const V1_RESOURCES_MAX = 1_000
/** Rows of a list of /v1 that is asked for without pages, as clients of that version do. */
export const V1_LIST_MAX = 10_000

/** Milliseconds after which a v1 PDP asks again whether there are objects outside of environments. */
export const V1_OUTSIDE_POLL_MS = 2_000

/** Roles of one environment: each costs a bitset row in every image. */
export const ROLES_MAX = 50_000
/** Resource types of one environment. */
export const RESOURCES_MAX = 10_000
/** Users of one environment: with the longest keys 0.6 GiB, so that the image stays below IMAGE_BYTES_MAX. */
export const USERS_MAX = 2_000_000
/** Tenants of one environment: with the longest keys 0.15 GiB of the image. */
export const TENANTS_MAX = 500_000
/** Role assignments of one environment: 0.5 GiB of the image when no two share a user and tenant. */
export const ASSIGNMENTS_MAX = 8_000_000
/** Resource instances of one environment: with the longest keys 0.3 GiB of the image. */
export const INSTANCES_MAX = 1_000_000
/** Relationship tuples of one environment: 0.1 GiB of the image. */
export const TUPLES_MAX = 4_000_000
/** Set rules of one environment: bounds how many move when a set changes that all of them use. */
export const SET_RULES_MAX = 10_000
/** User invites of one environment that were not deleted. */
export const INVITES_MAX = 100_000
/** Proxy configs of one environment. */
export const PROXY_CONFIGS_MAX = 1_000
/** Mapping rules of one proxy config: they are written and rendered as a whole. */
export const MAPPING_RULES_MAX = 1_000
/** Bytes of the mapping rules of one proxy config, as an image stores them: JSON. */
export const MAPPING_RULES_BYTES_MAX = 128 * 1024
/** Mapping rules of one environment, and the patterns among them: one question about a URL may look at all of them. */
export const URL_RULES_MAX = 5_000
export const URL_PATTERNS_MAX = 100
/** Steps of one pattern's program: with the characters of a URL they bound the time that one match takes. */
export const PATTERN_STEPS_MAX = 300
/** Characters of a URL that is asked about, and of the one in a mapping rule. */
export const URL_CHARACTERS_MAX = 4_096
/** Bytes of the secret of a proxy config as JSON: a token, a password or some headers. */
export const PROXY_SECRET_BYTES_MAX = 16 * 1024
/** Actions of one resource type. */
export const ACTIONS_PER_RESOURCE_MAX = 1_000
/** Declared attributes of one resource type. */
export const ATTRIBUTES_PER_RESOURCE_MAX = 1_000
/** Roles, relations or action groups of one resource type: they are rendered with it. */
export const PARTS_PER_RESOURCE_MAX = 1_000
/** Relations of one environment. */
export const RELATIONS_MAX = 50_000
/** Action groups of one environment. */
export const ACTION_GROUPS_MAX = 50_000
/** Derivation rules of one role: each is followed for every instance that is reached. */
export const DERIVATIONS_PER_ROLE_MAX = 64
/** Condition sets of one environment. */
export const CONDITION_SETS_MAX = 20_000
/** Condition sets in a chain of parents: all of them are evaluated. */
export const SET_DEPTH_MAX = 32
/** Users and roles that are printed with one group: more are found by listing role assignments and tuples. */
export const GROUP_ROWS_MAX = 1_000
/** Roles of one bulk: one revision, one rendering of their keys. */
export const ROLES_PER_REQUEST_MAX = 2_000
/** Roles that one role may extend directly. */
export const EXTENDS_MAX = 64
/** Permissions named in one request. */
export const PERMISSIONS_PER_REQUEST_MAX = 10_000
/** Roles of one user in one tenant: a check walks them. */
export const ROLES_PER_GRANT_MAX = 1_000

/** Roles given by one request on a user. */
export const ASSIGNMENTS_PER_REQUEST_MAX = 1_000
/** Items of one bulk call, as the public API bounds them: each call is one revision. */
export const BULK_USERS_MAX = 3_000
export const BULK_TENANTS_MAX = 2_000
export const BULK_INSTANCES_MAX = 3_000
export const BULK_ASSIGNMENTS_MAX = 2_000
export const BULK_TUPLES_MAX = 1_000
/** Bytes of the body of a bulk or import call: some 5 KiB for each of its items. */
export const BULK_BODY_BYTES_MAX = 16 * 1024 * 1024
/** Relationships that a detailed resource instance lists. */
export const RELATIONSHIPS_SHOWN_MAX = 1_000
/** Values of one filter of a list, such as `user=a&user=b`. */
export const FILTER_VALUES_MAX = 100
/** Rows that a search looks at in one turn of the event loop: about 5 ms. */
export const SCAN_ROWS_PER_TURN = 2_000
/** Characters of a search text. */
export const SEARCH_LENGTH_MAX = 256
/** Milliseconds of the window in which the requests of a key are counted. */
export const RATE_WINDOW_MS = 60_000
/** API keys, and paths of environments, that the management API remembers while its control log stands still. */
export const AUTH_CACHE_MAX = 10_000
/** Environments of which a PDP counts checks apart, each some hundred bytes; beyond it all of them begin again at 0. */
export const METRIC_ENVIRONMENTS_MAX = 10_000

/** Projects of one organization. */
export const PROJECTS_MAX = 1_000
/** Environments of one organization: each is a log of its own. */
export const ENVIRONMENTS_MAX = 10_000
/** API keys of one organization. */
export const API_KEYS_MAX = 100_000

/** Entries of history that one request looks at, the newest first: what is older is found by a narrower time. */
export const HISTORY_SCAN_MAX = 10_000
/** Entries of history read in one turn of the event loop. */
export const HISTORY_ROWS_PER_TURN = 500

/** Characters of a first API key that is given instead of minted: below it a guess could succeed. */
export const FIXED_KEY_LENGTH_MIN = 16

/** Use cases that may wait for the writer; beyond it the caller is told to come back. */
export const WRITER_QUEUE_MAX = 10_000
/** Use cases committed together: bounds the time one fsync batch holds the writer. */
export const WRITER_BATCH_MAX = 1_000
/** Items of bulk calls committed together, beyond the first call: bounds the pages that one transaction holds in memory. */
export const WRITER_BATCH_ITEMS_MAX = 4_000
/** Batches sent to the writer thread and not yet answered: the second is there when the first is done, so the thread never idles. */
export const WRITER_IN_FLIGHT_MAX = 2
/** Bytes of the key of a stored object: LMDB takes 1978 with the table's own prefix. */
export const OBJECT_KEY_BYTES_MAX = 1_900
/** Bytes of address space reserved for the data file, so that it never has to be mapped anew under a reader; not disk, not memory. */
export const DATA_BYTES_MAX = 2 ** 40
/** Rows that one step of forgetting touches: some milliseconds of the writer. */
export const RETENTION_ROWS_PER_STEP = 2_000
/** Milliseconds between two looks at what is not kept any more. */
export const RETENTION_EVERY_MS = 60_000
/** What a log keeps unless the operator says otherwise: deltas for followers, and entries for history. */
export const DELTA_REVISIONS_DEFAULT = 100_000
export const DELTA_DAYS_DEFAULT = 30
export const HISTORY_REVISIONS_DEFAULT = 1_000_000
export const HISTORY_DAYS_DEFAULT = 365
/** Copies of environments whose outcome is remembered. */
export const COPY_TASKS_MAX = 1_000
/** Milliseconds that one request waits for a copy at most. */
export const COPY_WAIT_MS = 60_000
/** Lines of what an import changes that are told one by one. */
export const BUNDLE_LINES_MAX = 1_000
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
/** Milliseconds from the start of a server to its first scrub: after the rush of followers. */
export const SCRUB_FIRST_MS = 5 * 60_000
/** Hours between two scrubs unless the operator says otherwise. */
export const SCRUB_HOURS_DEFAULT = 24
/** Hours that may be between two scrubs: three weeks, what a timer of Node.js can wait. */
export const SCRUB_HOURS_MAX = 504
/** Damages that a verification lists; all are counted. */
export const DAMAGES_LISTED_MAX = 100
/** Entries of a log that a repair applies in one transaction. */
export const REPAIR_ENTRIES_PER_STEP = 500
/** Rows that an upgrade of the data file copies in one transaction: some tens of milliseconds between signs of life of its lock. */
export const UPGRADE_ROWS_PER_STEP = 10_000
/** Milliseconds between signs of life of the process that holds a data folder. */
export const LOCK_HEARTBEAT_MS = 1_000
/** Milliseconds without one after which a holder that we cannot look up (another container or machine) counts as dead. */
export const LOCK_SILENCE_MS = 5_000
/** Milliseconds that the check of a suspicious data file may take: it reads every page once. */
export const PROBE_MS = 120_000
/** Log entries handed out by one read. */
export const LOG_READ_MAX = 1_000
/** Bytes of log entries handed out by one read (at least one entry): what a reader keeps in memory at once. */
export const LOG_READ_BYTES_MAX = 16 * 1024 * 1024
/** Bytes of one frame of the feed: a delta of 16 MiB of input grows to less than this. */
export const FRAME_BYTES_MAX = 64 * 1024 * 1024
/** Bytes of the changes in one frame of a state, before they are compressed; one change may be larger. */
export const STATE_FRAME_BYTES = 1024 * 1024
/** Milliseconds between heartbeats of the feed. */
export const HEARTBEAT_MS = 5_000
/** Milliseconds without any byte after which a follower calls the feed dead: three missed heartbeats. */
export const FEED_SILENCE_MS = 15_000
/** Milliseconds of the first and the longest pause before a follower asks again. */
export const RETRY_FIRST_MS = 50
export const RETRY_LONGEST_MS = 5_000
/** Milliseconds that a follower gathers deltas before it applies them, unless somebody waits for a revision. */
export const APPLY_WINDOW_MS = 20
/** Milliseconds of delta work in one turn of the event loop. */
export const APPLY_TURN_MS = 2
/** Changes above which a delta is applied by a worker thread. */
export const DELTA_IN_TURN_MAX = 20_000
/** Milliseconds that a write, already on disk, waits for the PDPs of the same process before it is acknowledged all the same. */
export const ACKNOWLEDGE_WAIT_MS = 1_000
/** Milliseconds that `atLeast` and x-min-revision wait when the caller does not say. */
export const AT_LEAST_DEFAULT_MS = 2_000
/** Milliseconds that x-min-revision-timeout may ask for at most. */
export const AT_LEAST_MAX_MS = 60_000
/** Milliseconds that a write of facts through a PDP waits at most until it is seen there. */
export const FACTS_WAIT_MAX_MS = 60_000
/** Milliseconds that it waits when nobody says. */
export const FACTS_WAIT_DEFAULT_MS = 10_000
/** Milliseconds without a byte of the management API after which a forwarded request is given up. */
export const FORWARD_TIMEOUT_MS = 60_000
/** Connections of a PDP to the management API for forwarded requests; more requests wait for a free one. */
export const FORWARD_CONNECTIONS_MAX = 128
/** Bytes of the answer to a write that waits: it is kept meanwhile. */
export const FORWARD_BODY_BYTES_MAX = 16 * 1024 * 1024
/** Bytes of an answer to one call of ours over HTTP. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/** Milliseconds in which a process must drain and exit after SIGTERM. */
export const SHUTDOWN_MS = 10_000
/** Processes that answer for one PDP: more than any machine has cores for. */
export const WORKERS_MAX = 64
/** Milliseconds that the first worker of a PDP may take to get an image before the others are started beside it. */
export const WORKER_START_MS = 3_000
/** Milliseconds in which a worker of a PDP must say how it is. */
export const SIBLING_ANSWER_MS = 1_000
/** Milliseconds that a server which is told to end goes on, so that whoever is connected hears of it with an answer. */
export const DRAIN_MS = 500
/** Bytes of all images that `serve` keeps open for its PDP. */
export const IMAGE_MEMORY_BYTES_DEFAULT = 1024 * 1024 * 1024
/** Entries of a lookaside (key to id) at first, and at most: 16 bytes each (32 for pairs); it grows only under traffic. */
export const LOOKASIDE_ENTRIES_FIRST = 512
export const LOOKASIDE_ENTRIES_MAX = 131_072

/** Objects of an environment above which its image is built by a worker thread: fewer take under 20 ms. */
export const SNAPSHOT_IN_TURN_MAX = 5_000
/** Bytes of an image, as they are accounted, above which a worker thread builds it: attributes weigh more than objects, 25 ms a megabyte. */
export const SNAPSHOT_IN_TURN_BYTES_MAX = 2 * 1024 * 1024
/** Changes that a kept image may be behind before it is built again: so many deltas a follower applies in under a second. */
export const SNAPSHOT_BEHIND_MAX = 100_000
/** Milliseconds after which a kept image is built again when something was written since: a follower of it has that much to catch up. */
export const SNAPSHOT_AGE_MS = 3_600_000
/** Bytes of all images that the management side keeps in memory for followers; the newest one is kept even when it is larger. */
export const SNAPSHOT_BYTES_MAX = 512 * 1024 * 1024
/** Bytes of an image file from which it is also kept compressed: below it a download is short on any network. */
export const SNAPSHOT_GZIP_BYTES_MIN = 1024 * 1024
/** Deltas of all logs that are kept as they were last sent, so that many followers cost one reading, and the changes of the largest of them. */
export const RECENT_DELTAS_MAX = 1_024
export const RECENT_CHANGES_MAX = 100
/** Milliseconds in which a follower must take what was sent before it is cut off. */
export const FEED_DRAIN_MS = 30_000
/** Milliseconds without any byte after which a follower gives up waiting for an image: a large one takes seconds to build. */
export const IMAGE_SILENCE_MS = 60_000
/** Changes that wait in a follower before it stops reading the feed. */
export const PENDING_CHANGES_MAX = 200_000
/** Milliseconds between two writes of the last image to disk: what an offline restart may lack. */
export const LAST_IMAGE_SAVE_MS = 30_000
/** Milliseconds without a request after which `serve` drops the image of an environment. */
export const IMAGE_IDLE_MS = 15 * 60_000
/** Bytes of the signed deltas that a PDP keeps on disk behind its signed image, before it takes a fresh one. */
export const SIGNED_DELTAS_BYTES_MAX = 64 * 1024 * 1024
/** Places in the log that a follower remembers, to know an image that is only older: a hundred bytes each. */
export const POSITIONS_KEPT_MAX = 10_000
/** Milliseconds between two lines of the log that say "not now" for the same reason; how many there were between, the next one says. */
export const PROBLEM_LOG_MS = 1_000
/** Callers that may wait for a revision in one PDP. */
export const WAITERS_MAX = 10_000
/** Keys of one page of a listing, also when the caller does not say: sorting them takes some milliseconds. */
export const LISTING_PAGE_MAX = 10_000
/** Work of one page of a listing that asks about everything in turn: 16 for a question, 4 for a record, 1 for a step over relations or conditions. */
export const LISTING_WORK_MAX = 800_000
/** Work of a listing without pages, counted in the same way. */
export const LISTING_WHOLE_WORK_MAX = 1_600_000
/**
 * Tuples, rules and grants that a listing follows to find what may be meant, before it asks about everything in turn instead: ten folders of a thousand documents
 * and two rules take 30,000. Each instance that is found so is then asked about, so that this is some 30 ms at most.
 */
export const LISTING_WALK_MAX = 40_000
/** Characters of one path parameter: a key of 256 bytes, each percent-encoded, fits. */
export const PARAM_LENGTH_MAX = 1_024
/** Milliseconds in which a request must have arrived: a slow sender holds a socket, not the server. */
export const REQUEST_TIMEOUT_MS = 30_000
/** Milliseconds between two looks for requests that did not: so late is a connection closed at most. */
export const REQUEST_LOOK_MS = 500
/** Connections of one server at once: all followers that may stream from it, and half as many clients. */
export const CONNECTIONS_MAX_DEFAULT = 16_384
/** Bytes of request bodies that a process holds, from the first byte of each to its answer: four of the longest. */
export const BODY_MEMORY_BYTES_DEFAULT = 64 * 1024 * 1024
/** One API key may hold one part in so many of them, so that the bodies of the other keys are read. */
export const BODY_KEY_SHARE = 4
/** Bytes of a body above which it is parsed in a turn of the event loop of its own: what is shorter takes under a millisecond. */
export const BODY_AT_ONCE_BYTES = 16 * 1024
/** Changes between two looks at the garbage of an image, and the least garbage that is worth a worker thread. */
export const COMPACT_EVERY_CHANGES = 1_000
export const COMPACT_BYTES_MIN = 256 * 1024
/** Milliseconds that a PDP with a last image on disk waits for the management side before it answers from that image. */
export const OFFLINE_START_MS = 2_000
/** Milliseconds that `connect` waits for the first image before it gives up. */
export const CONNECT_TIMEOUT_MS = 10_000
/** Streams of deltas open at once: each holds a socket and a timer. */
export const FOLLOWERS_MAX = 10_000
/** Milliseconds that a write of zerohop/embedded, already on disk, waits for the PDP of the same process: long only for a huge cascade. */
export const EMBEDDED_WAIT_MS = 60_000
/** Permissions of which an image remembers what their set rules read: a kilobyte each. */
export const NEEDS_MAX = 4_096

/** Characters of a text, items of a list and levels of nesting that an explanation shows of a value. */
export const SHOWN_TEXT_MAX = 80
export const SHOWN_ITEMS_MAX = 10
export const SHOWN_DEPTH_MAX = 3
/** Set rules that an explanation names as allowing, and as the nearest that do not. */
export const EXPLAIN_RULES_MAX = 100
export const EXPLAIN_MISSES_MAX = 5
/** Failed tests, notes and ill-typed attributes that an explanation lists, each. */
export const EXPLAIN_ITEMS_MAX = 20
/** Tests that one explanation looks at, and the steps of the kernel that it takes: some tens of milliseconds. */
export const EXPLAIN_TESTS_MAX = 10_000
export const EXPLAIN_STEPS_MAX = 2_000_000

/** Bytes of one object's attributes, or of the conditions of a set, as an image stores them: sixteen for each value, and the text. */
export const STORED_VALUE_BYTES_MAX = 250_000
/** Bytes of the conditions of one set as JSON. */
export const CONDITIONS_BYTES_MAX = 64 * 1024
/** Levels of nesting of conditions: readers of them may recurse. */
export const CONDITION_DEPTH_MAX = 32
/** Nodes of the conditions of one set: bounds the steps of one evaluation. */
export const CONDITION_NODES_MAX = 1_000

/** Characters of the Authorization header of the integration backend: a token of an identity provider is 1 to 4 KiB. */
export const TOKEN_LENGTH_MAX = 16 * 1024
/** Bytes of the headers of a request to the integration backend: above the token, so that a longer one still gets the answer of a bad one. */
export const INTEGRATION_HEADER_BYTES_MAX = 256 * 1024
/** Bytes of a body that the integration backend takes, and drops. */
export const INTEGRATION_BODY_BYTES_MAX = 16 * 1024
/** Milliseconds in which an identity provider whose keys could not be read is not asked for them again. */
export const JWKS_RETRY_MS = 1_000
/** Milliseconds after which the keys of the identity provider are read again: a key that it withdrew is trusted this long at most. */
export const JWKS_REFRESH_MS = 600_000
/** Milliseconds since the last reading in which keys stay trusted while their provider cannot be read: a short outage locks nobody out. */
export const JWKS_KEEP_MS = 3_600_000
/** Milliseconds after which the integration backend gives up on a call to Zerohop. */
export const SERVICE_TIMEOUT_MS = 10_000
/** Milliseconds that a sync waits until checks in the same process see the user. */
export const SYNC_VISIBLE_MS = 1_000

/** Codes that the stand-in identity provider remembers; the oldest goes first. */
export const STAND_IN_CODES_MAX = 1_000
/** Milliseconds in which a code of the stand-in must be exchanged. */
export const STAND_IN_CODE_MS = 60_000
/** Seconds that a token of the stand-in holds. */
export const STAND_IN_TOKEN_SECONDS = 3_600
/** Characters of a key in a record of a decision: a longer one is unknown to every policy. */
export const DECISION_TEXT_MAX = 512
/** Bytes of the attributes in a record of a decision. */
export const DECISION_ATTRIBUTES_BYTES_MAX = 16 * 1024
/** Characters of records that are written together before attributes are left out: the defaults of a batch may stand in each of its records. */
export const DECISION_TURN_TEXT_MAX = 8 * 1024 * 1024
/** Processes that may keep decisions under one folder. */
export const DECISION_JOURNALS_MAX = 64
/** Bytes of one file of decisions, and how many files the sink `file` keeps, unless the operator says otherwise. */
export const DECISION_FILE_BYTES_DEFAULT = 64 * 1024 * 1024
export const DECISION_FILES_DEFAULT = 10
/** Bytes of decisions that may wait to be sent: about a million. */
export const DECISION_BUFFER_BYTES_DEFAULT = 256 * 1024 * 1024
/** Bytes of decisions that are sent at once: some thousands, which compress to a tenth. */
export const DECISION_SEND_BYTES_MAX = 1024 * 1024
/** Milliseconds that decisions gather before they are sent to the management API. */
export const DECISION_SEND_MS = 200
/** Milliseconds in which one batch of decisions must be answered. */
export const DECISION_SEND_TIMEOUT_MS = 30_000
/** Milliseconds that a process which ends goes on sending decisions; the rest is sent after the next start. */
export const DECISION_DRAIN_MS = 2_000

/** Milliseconds in which a PDP must get the key of its environment by a wider key, when it starts with one. */
export const ENVIRONMENT_KEY_MS = 10_000
/** Bytes of one batch of decisions as it arrives, and unpacked: four times what a PDP sends. */
export const AUDIT_BODY_BYTES_MAX = 4 * 1024 * 1024
export const AUDIT_BATCH_BYTES_MAX = 16 * 1024 * 1024
/** Batches of decisions that may wait to be stored; beyond it a PDP is told to come back. */
export const AUDIT_BATCHES_MAX = 64
/** Records of decisions that one request looks at, the newest first: what is older is found by a narrower time. */
export const AUDIT_SCAN_MAX = 10_000
/** Records of decisions that one step of forgetting removes. */
export const AUDIT_ROWS_PER_STEP = 5_000
/** What is kept of the decisions of each environment unless the operator says otherwise: about half a gigabyte. */
export const AUDIT_DAYS_DEFAULT = 30
export const AUDIT_RECORDS_DEFAULT = 1_000_000

/** Files that one `zerohop migrate scan` reads. */
export const SCAN_FILES_MAX = 200_000
/** Bytes of a file above which it is not searched but named. */
export const SCAN_FILE_BYTES_MAX = 2 * 1024 * 1024

/** Rows that a migration asks for at once. */
export const MIGRATE_PAGE_ROWS = 100
/** Rows of one list that a migration reads into memory. */
export const MIGRATE_LIST_ROWS_MAX = 1_000_000
/** Calls of a migration that are under way at once. */
export const MIGRATE_CALLS_AT_ONCE = 8
/** Times that a call of a migration is tried again when the service says "not now". */
export const MIGRATE_RETRIES_MAX = 5
/** Milliseconds before the first of these; doubled each time. */
export const MIGRATE_RETRY_MS = 250
/** The same when it says "too many requests" and not until when: such limits count by the minute. */
export const MIGRATE_BUSY_MS = 2_000
/** Milliseconds that it waits when it is told until when; more than that is an answer. */
export const MIGRATE_RETRY_AFTER_MS_MAX = 60_000
/** Milliseconds that a call of a migration may take. */
export const MIGRATE_TIMEOUT_MS = 30_000
/** Checks that one `zerohop migrate verify` compares for an environment. */
export const MIGRATE_QUESTIONS_MAX = 1_000_000
/** Milliseconds between two lines that say how far a step of a migration is, where there is no terminal. */
export const MIGRATE_PROGRESS_MS = 5_000
/** Milliseconds for which the report of `verify` lets `finish` delete. */
export const VERIFY_FRESH_MS = 3_600_000
/** Milliseconds that a process which ends waits for its last traces to be sent. */
export const TRACES_FLUSH_MS = 2_000
