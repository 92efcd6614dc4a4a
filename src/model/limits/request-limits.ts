// Requests. Enforced before a use case runs: 413 for a body that is too large, 422 for what is in it, 431 or a closed
// connection for what HTTP itself bounds.

export { SENT_RELATIONS_MAX, SENT_SUBJECTS_MAX } from '../../../assembly/limits.ts'

/** Levels of nesting in any JSON body: deeper input is an attack on recursive readers. */
export const JSON_DEPTH_MAX = 32
/**
 * Members of objects and items of lists in an ordinary body, and in any one object or list of a bulk body: the largest
 * object, a resource type with a thousand each of actions, attributes, roles and relations and 10,000 permissions, has
 * 22,000. Counted before the body is parsed.
 */
export const JSON_MEMBERS_MAX = 30_000
/** The same in the whole body of a bulk call: in 16 MiB sixteen bytes for each, with its name and its punctuation. */
export const JSON_MEMBERS_BULK_MAX = 1_000_000
/** Bytes of an ordinary request body: the largest single object fits many times over. Beyond: 413. */
export const BODY_BYTES_MAX = 1024 * 1024
/** Bytes of a body of the routes that the middleware mounts: a role, its times and why. Beyond: 413. */
export const MEMBER_BODY_BYTES_MAX = 16 * 1024
/** Resources in one `PUT /v1/resources`: what an application declares when it starts. */
export const V1_RESOURCES_MAX = 1_000
/** Rows of a list of `/v1` that is asked for without pages, as clients of that version do. */
export const V1_LIST_MAX = 10_000
/** Results in one page of an AuthZEN search; the answer carries a token for the rest. */
export const SEARCH_PAGE_MAX = 1_000
/** Checks in one `POST /allowed/bulk`: all are answered from one revision in one turn of the event loop. */
export const BULK_CHECKS_MAX = 10_000
/** Bytes of one `POST /allowed/bulk`: some 400 bytes for each of its checks. Beyond: 413. */
export const BULK_CHECKS_BYTES_MAX = 4 * 1024 * 1024
/** Rows of a page when the caller does not say, as the public API has it. */
export const PAGE_ROWS_DEFAULT = 30
/** Rows of a page at most: what one answer renders without holding others up. */
export const PAGE_ROWS_MAX = 100
/** Permissions named in one request: one change of a role is one change of the log. */
export const PERMISSIONS_PER_REQUEST_MAX = 10_000
/**
 * Users and roles that are printed with one group: more are found by listing role assignments and relationship tuples.
 */
export const GROUP_ROWS_MAX = 1_000
/** Assignments and tuples that are read for them: those that have ended are passed over. */
export const GROUP_ROWS_READ_MAX = 10_000
/** Roles of one bulk: one revision, whatever it changes. */
export const ROLES_PER_REQUEST_MAX = 2_000
/** Roles given by one request on a user: each becomes a change of the same revision. */
export const ASSIGNMENTS_PER_REQUEST_MAX = 1_000
/** Users of one bulk call, as the public API bounds it: each call is one revision. */
export const BULK_USERS_MAX = 3_000
/** Tenants of one bulk call. */
export const BULK_TENANTS_MAX = 2_000
/** Resource instances of one bulk call. */
export const BULK_INSTANCES_MAX = 3_000
/** Role assignments of one bulk call. */
export const BULK_ASSIGNMENTS_MAX = 2_000
/** Relationship tuples of one bulk call. */
export const BULK_TUPLES_MAX = 1_000
/** Claims on one fact: who says that it is so. */
export const CLAIMS_PER_FACT_MAX = 8
/** Facts that one write of claims puts or drops: one revision. */
export const CLAIM_ITEMS_MAX = 10_000
/** Facts that are named where they keep a user, tenant or instance from being deleted; the others are counted. */
export const CLAIM_BLOCKING_MAX = 20
/** Set rules of one bulk call. */
export const BULK_SET_RULES_MAX = 1_000
/** Bytes of the body of a bulk or import call: some 5 KiB for each of its items. Beyond: 413. */
export const BULK_BODY_BYTES_MAX = 16 * 1024 * 1024
/** Relationships that a detailed resource instance lists: the tuples themselves are a list of their own. */
export const RELATIONSHIPS_SHOWN_MAX = 1_000
/** Rows that a list of the command line shows in a table; with `--all` or `--json` there are more. */
export const LIST_ROWS_SHOWN_MAX = 10_000
/** Rows of a table on the command line that say how wide its columns are; they are in memory together. */
export const LIST_ROWS_MEASURED = 1_000
/** Values of one filter of a list, such as `user=a&user=b`: each is looked up on its own. */
export const FILTER_VALUES_MAX = 100
/** Rows that a search looks at in one turn of the event loop: about 5 ms. */
export const SCAN_ROWS_PER_TURN = 2_000
/** Entries of an index of ends or beginnings that a list reads in one turn of the event loop: about 8 ms. */
export const SPAN_ROWS_PER_TURN = 20_000
/** Changes of one write in which warnings look for what is taken away: the one thread that writes does it. */
export const LOSSES_LOOKED_AT_MAX = 10_000
/** Warnings in the answer to one write: headers are bounded, and a client reads a few. */
export const WARNINGS_MAX = 8
/**
 * Characters of one query parameter, which the head of a request bounds too: names of objects, references to them, values
 * of attributes and cursors fit.
 */
export const QUERY_TEXT_LENGTH_MAX = 8_192
/** Entries of history that one request looks at, the newest first: what is older is found by a narrower time. */
export const HISTORY_SCAN_MAX = 10_000
/**
 * Logs for which a cursor of the history says where the page ended in each: some 30 characters for one. Over more
 * environments the others go on by time.
 */
export const HISTORY_POSITION_LOGS_MAX = 64
/**
 * Characters of a cursor: the longest one names each of a thousand actions that were shown. It fits into the line and the
 * headers of a request, 16 KiB together.
 */
export const CURSOR_LENGTH_MAX = 10_000
/** Logs whose end a cursor of the history names; it is refused when one of them went back in time. */
export const CURSOR_LOGS_MAX = 16
/** Bytes of an entry whose changed objects a list of history names: a page has up to a hundred. */
export const HISTORY_CHANGED_BYTES_MAX = 64 * 1024
/** Changed objects that a list of history names with each revision; the others are counted. */
export const HISTORY_CHANGED_SHOWN = 5
/** Entries of history read in one turn of the event loop. */
export const HISTORY_ROWS_PER_TURN = 500
/** Milliseconds of the window in which the requests of a key are counted, when there is a limit. */
export const RATE_WINDOW_MS = 60_000
/**
 * API keys, and paths of environments, that the management API remembers while its control log stands still: a few
 * megabytes.
 */
export const AUTH_CACHE_MAX = 10_000
/**
 * Entries of a control log that are read to find out whether what is kept of API keys still holds; when there are more, keys
 * are looked up again.
 */
export const KEY_CHANGES_MAX = 100
/** Environments whose checks a PDP counts apart, each some hundred bytes; beyond it all of them begin again at 0. */
export const METRIC_ENVIRONMENTS_MAX = 10_000
/** Seconds for which the old secret of a rotated API key may stay valid: 30 days. */
export const OLD_SECRET_SECONDS_MAX = 30 * 86_400
/** Milliseconds before its end from which a warning says that an API key ends: a week. */
export const KEY_ENDS_SOON_MS = 7 * 86_400_000
/** Milliseconds from the first use of an API key on a day until it is noted, with all others that were used since. */
export const KEY_USE_DELAY_MS = 60_000
/** API keys whose use one write notes. */
export const KEY_USE_KEYS_MAX = 1_000
/** Characters of one path parameter: `type:key` of two keys of 256 bytes fits. */
export const PARAM_LENGTH_MAX = 1_024
/** Milliseconds in which a request must have arrived: a slow sender holds a socket, not the server. */
export const REQUEST_TIMEOUT_MS = 30_000
/**
 * Milliseconds between two looks for requests that did not arrive in time: a connection is closed that much later at
 * most.
 */
export const REQUEST_LOOK_MS = 500
/**
 * Connections of one server at once unless `ZEROHOP_CONNECTIONS` says otherwise: all followers that may stream from it,
 * and half as many clients. Further ones are closed at once.
 */
export const CONNECTIONS_MAX_DEFAULT = 16_384
/**
 * Bytes of request bodies that a process holds unless `ZEROHOP_BODY_MEMORY` says otherwise, from the first byte of each
 * to its answer: four of the longest. Beyond: 503.
 */
export const BODY_MEMORY_BYTES_DEFAULT = 64 * 1024 * 1024
/**
 * One API key may hold one part in so many of them, so that the bodies of other keys are read. A body longer than that
 * is 413.
 */
export const BODY_KEY_SHARE = 4
/**
 * Bytes of a body above which it is parsed in a turn of the event loop of its own: checks wait for one such body, not
 * for all that came together.
 */
export const BODY_AT_ONCE_BYTES = 16 * 1024
/** Characters of an idempotency key. */
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255
