// Deciding. How long a check, a listing or a write waits, how much it looks at, and what an explanation shows.

/**
 * Milliseconds that a write, already on disk, waits for the PDPs of the same process (`serve`) before it is
 * acknowledged anyway: hundreds of times what they need, and a client is not kept by one that cannot follow.
 */
export const ACKNOWLEDGE_WAIT_MS = 1_000
/**
 * Milliseconds that `atLeast` and `x-min-revision` wait when the caller does not say: many times what a write needs to
 * arrive.
 */
export const AT_LEAST_DEFAULT_MS = 2_000
/**
 * Milliseconds that a question to the PDP of `serve` waits for the image of its environment, which the first question
 * opens: a large one on a busy machine takes some seconds. After that 503 with `retry-after`.
 */
export const FIRST_IMAGE_WAIT_MS = 10_000
/** Milliseconds that `x-min-revision-timeout` may ask for at most: longer ones are cut to it. */
export const AT_LEAST_MAX_MS = 60_000
/** Milliseconds that a write of facts through a PDP waits at most until it is seen there. */
export const FACTS_WAIT_MAX_MS = 60_000
/** Milliseconds that it waits when neither the request nor the operator says. */
export const FACTS_WAIT_DEFAULT_MS = 10_000
/** Milliseconds without a byte of the management API after which a forwarded request is given up. */
export const FORWARD_TIMEOUT_MS = 60_000
/** Connections of a PDP to the management API for forwarded requests; more requests wait for a free one. */
export const FORWARD_CONNECTIONS_MAX = 128
/** Bytes of the answer to a write that waits: it is kept meanwhile. */
export const FORWARD_BODY_BYTES_MAX = 16 * 1024 * 1024
/** Bytes of an answer to one call of ours over HTTP: a page of a hundred large users. */
export const ANSWER_BYTES_MAX = 64 * 1024 * 1024
/**
 * Bytes of all images that `serve` keeps open for its PDP: beyond, the one that was idle longest is dropped.
 * `ZEROHOP_IMAGE_MEMORY` sets it.
 */
export const IMAGE_MEMORY_BYTES_DEFAULT = 1024 * 1024 * 1024
/** Entries of a lookaside (key to id) at first: 16 bytes each, 32 for pairs and for what users hold in tenants. */
export const LOOKASIDE_ENTRIES_FIRST = 512
/** Entries of a lookaside at most. It grows only while the keys that are asked for push each other out. */
export const LOOKASIDE_ENTRIES_MAX = 131_072
/** Milliseconds without a request after which `serve` drops the image of an environment. */
export const IMAGE_IDLE_MS = 15 * 60_000
/** Bytes of the signed deltas that a PDP keeps on disk behind its signed image, before it takes a fresh one. */
export const SIGNED_DELTAS_BYTES_MAX = 64 * 1024 * 1024
/** Places in the log that a follower remembers, to know an image that is only older: a hundred bytes each. */
export const POSITIONS_KEPT_MAX = 10_000
/**
 * Milliseconds between two lines of the log that say "not now" (503) for the same reason, or name a rejection that
 * no one handled; how many there were between, the next one says.
 */
export const PROBLEM_LOG_MS = 1_000
/** Callers that may wait for a revision in one PDP: each holds a timer and a request. */
export const WAITERS_MAX = 10_000
/** Keys of one page of a listing, also when the caller does not say: sorting them takes some milliseconds. */
export const LISTING_PAGE_MAX = 10_000
/**
 * Work of one page of a listing that asks about everything in turn: 16 for a question, 4 for a record, 1 for a step
 * over relations or conditions; some ten milliseconds. Then the page ends, and `next` goes on.
 */
export const LISTING_WORK_MAX = 800_000
/** Work of one turn of a listing that a server answers in turns, counted in the same way: other requests wait so long. */
export const LISTING_TURN_WORK_MAX = 400_000
/** Work of a listing without pages, but for the permissions of a user, counted in the same way. What would take more fails with LISTING_TOO_LARGE. */
export const LISTING_WHOLE_WORK_MAX = 1_600_000
/**
 * Tuples, rules and grants that a listing follows to find what may be meant, before it asks about everything in turn
 * instead: ten folders of a thousand documents and two rules take 30,000. Each instance that is found so is then asked
 * about, so that this is some 30 ms at most.
 */
export const LISTING_WALK_MAX = 40_000
/**
 * Tenants whose instances a listing of one user puts into one order, and that it asks about one by one: two
 * milliseconds, twenty for the longest page. With more it reads the instances of all tenants.
 */
export const LISTING_TENANTS_MAX = 1_000
/**
 * Tuples and roles that the permissions of a user follow to find all instances on which the user has a role, and twice the
 * number of these instances, which are sorted: some ten milliseconds each. Beyond, the listing searches each instance for
 * roles, one after the other.
 */
export const PERMISSIONS_WALK_MAX = 50_000
/** The same for a page of them: each page finds these instances anew. */
export const PERMISSIONS_PAGE_WALK_MAX = 20_000
/** Rows of the permissions of a user in an answer without pages: some tens of megabytes. */
export const PERMISSIONS_ROWS_MAX = 100_000
/** Readings of a list that takes longer than a turn: one more begins when a change came in between. */
export const LISTING_ATTEMPTS_MAX = 3
/** Lists of a process that take longer than a turn and wait for each other. */
export const LONG_LISTINGS_MAX = 100
/** Characters of a text that an explanation shows: enough to know the value. */
export const SHOWN_TEXT_MAX = 80
/** Items of a list, or members of an object, that an explanation shows. */
export const SHOWN_ITEMS_MAX = 10
/** Levels of nesting that an explanation shows of a value. */
export const SHOWN_DEPTH_MAX = 3
/** Set rules that an explanation names as allowing, and that it compares to find the nearest misses. */
export const EXPLAIN_RULES_MAX = 100
/** Set rules that an explanation gives as the nearest that do not allow, and as many grants that are not in force. */
export const EXPLAIN_MISSES_MAX = 5
/** Failed tests of one set, notes, and ill-typed attributes that an explanation lists. */
export const EXPLAIN_ITEMS_MAX = 20
/** Tests that one explanation looks at: some tens of milliseconds. */
export const EXPLAIN_TESTS_MAX = 10_000
/** Steps of the kernel that one explanation takes: eight times those of one check. */
export const EXPLAIN_STEPS_MAX = 2_000_000
/** Roles, users, tenants or instances that an explanation names in one list; it says how many more there are. */
export const EXPLAIN_NAMES_MAX = 5
/**
 * Roles, grants, relationships and rules that an explanation looks at to find the nearest ways: some ten milliseconds.
 */
export const EXPLAIN_WALK_MAX = 60_000
/** Keys in one list of a filter: a database takes them as one parameter, of at most 2.6 MB. */
export const FILTER_KEYS_MAX = 10_000
/** Comparisons, matches and key lists in a filter: the text of a query stays below a megabyte. */
export const FILTER_NODES_MAX = 2_000
/** Levels of nesting in a filter that was made elsewhere: readers of filters recurse. */
export const FILTER_DEPTH_MAX = 200
/**
 * Levels of nesting of a condition for SQLite, whose parser ends at about 24 of them; the rest is for the query around
 * it.
 */
export const FILTER_SQLITE_NESTING_MAX = 20
/** Values that PostgreSQL takes in one statement: their number has two bytes in its protocol. */
export const POSTGRESQL_VALUES_MAX = 65_535
/** Values that MySQL and MariaDB take in one prepared statement. */
export const MYSQL_VALUES_MAX = 65_535
/** Values that SQLite takes in one statement, unless it is built with another limit. */
export const SQLITE_VALUES_MAX = 32_766
/** Values that Prisma sends to PostgreSQL in one statement: it makes several statements of one that has more. */
export const PRISMA_POSTGRESQL_VALUES_MAX = 32_766
/** Values that Prisma sends to SQLite in one statement: it makes several statements of one that has more. */
export const PRISMA_SQLITE_VALUES_MAX = 999
/** Values of a statement of Prisma, apart from those of a filter, unless the option `otherValues` says how many. */
export const FILTER_PRISMA_OTHER_VALUES = 99
/**
 * Values of a `where` object of Prisma. Each is a comparison of its own, which a database may make for every row: with
 * more of them, one list as a parameter of `toPrismaSql` is many times faster.
 */
export const FILTER_PRISMA_VALUES_MAX = 1_000
/**
 * Stored instances that are looked at for one filter: those of a type that a condition follows, or that lie in other
 * tenants.
 */
export const FILTER_INSTANCES_MAX = 100_000
/** Names that an error about an unknown name compares with it, to suggest the nearest: some milliseconds at most. */
export const NEAREST_NAMES_MAX = 1_000
/** Characters of a name for which an error suggests the nearest: the work grows with their square. */
export const NEAREST_CHARS_MAX = 64
/** Decisions about one request that the middleware keeps for its log: a handler may check many rows. */
export const REQUEST_DECISIONS_MAX = 100
/**
 * Work of one access diff, counted as that of a listing: some seconds at most. What would take more is not complete,
 * and says so.
 */
export const ACCESS_DIFF_WORK_MAX = 100_000_000
/** Answers that change that one access diff finds: some hundred megabytes. With more it is not complete. */
export const ACCESS_FLIPS_MAX = 2_000_000
/** Groups of an access diff that are shown; the others are counted. */
export const ACCESS_GROUPS_MAX = 1_000
/** Answers that change in one page of an access diff, when the caller does not say. */
export const ACCESS_PAGE_DEFAULT = 100
/** Answers that change in one page of an access diff at most. */
export const ACCESS_PAGE_MAX = 10_000
