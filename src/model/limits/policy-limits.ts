// Policy. What one environment may hold. Enforced when it is written, with 422, so that whatever management accepts
// every PDP can load.

export {
  EXTENDS_DEPTH_MAX,
  IMAGE_BYTES_MAX,
  KEY_BYTES_MAX,
  ORDER_HEIGHT_MAX,
  PATHS_MAX,
  PERMISSIONS_MAX,
  ROLE_SIDES_MAX,
} from '../../../assembly/limits.ts'

/** Characters of a name: what a table in a browser can show. */
export const NAME_LENGTH_MAX = 256
/** Characters of a description: a paragraph, not a page. */
export const DESCRIPTION_LENGTH_MAX = 1024
/** Characters of the ticket of a role assignment: an address of one fits. */
export const TICKET_LENGTH_MAX = 256
/** Characters of the reason of a suspension: a sentence or two. */
export const REASON_LENGTH_MAX = 512
/** Characters of an email address: what RFC 5321 lets a mailbox have. */
export const EMAIL_LENGTH_MAX = 254
/** Bytes of one object's attributes as JSON: an attribute bag, not a document store. */
export const ATTRIBUTES_BYTES_MAX = 64 * 1024
/** Roles of one environment: each costs a bitset row in every image. */
export const ROLES_MAX = 50_000
/** Roles that one tenant may make: a person reads the list. */
export const TENANT_ROLES_PER_TENANT_MAX = 50
/** Roles of all tenants of one environment, apart from its own roles, so that customers do not use up those: each is a row as well. */
export const TENANT_ROLES_MAX = 100_000
/** Roles of a tenant that extend each other in a chain: a role that tenants may extend has room for it below it. */
export const TENANT_EXTENDS_DEPTH_MAX = 4
/** Resource types of one environment: they are schema, not data. */
export const RESOURCES_MAX = 10_000
/** Users of one environment: with the longest keys 0.6 GiB, so that the image stays below its own limit. */
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
/** Access requests of one environment that upkeep has not deleted. */
export const ACCESS_REQUESTS_MAX = 1_000_000
/** Access requests of one user that upkeep has not deleted: each new one looks at those that are pending. */
export const REQUESTS_PER_USER_MAX = 1_000
/** Access requests of one user that wait for a decision: approvers read them. */
export const REQUESTS_PENDING_PER_USER_MAX = 20
/** Roles that can be asked for which an explanation of a deny names. */
export const REQUESTABLE_SHOWN_MAX = 10
/** Seconds after which an access request that was not decided has expired: a week. */
export const REQUEST_PENDING_SECONDS = 604_800
/** Roles that may approve requests for one role: each is looked up when one is decided. */
export const APPROVERS_MAX = 16
/** Groups of an approver that are looked at when a request is decided: the one thread that writes does it. */
export const APPROVER_GROUPS_MAX = 1_000
/**
 * User invites of one tenant, approved ones too, from which on its own keys make no more: bounds what one customer takes
 * of INVITES_MAX, and what is read to find an invite like the new one.
 */
export const INVITES_PER_TENANT_MAX = 1_000
/** Proxy configs of one environment. */
export const PROXY_CONFIGS_MAX = 1_000
/** Mapping rules of one proxy config: they are written and rendered as a whole. */
export const MAPPING_RULES_MAX = 1_000
/** Bytes of the mapping rules of one proxy config as JSON: every image that carries them takes them in one piece. */
export const MAPPING_RULES_BYTES_MAX = 128 * 1024
/**
 * Mapping rules of one environment: a PDP makes them ready in one turn, and one question about a URL may look at all of
 * them.
 */
export const URL_RULES_MAX = 5_000
/** Regular expressions among them: each is tried until one matches. */
export const URL_PATTERNS_MAX = 100
/** Steps of one pattern's program: with the characters of a URL they bound the time of a match. */
export const PATTERN_STEPS_MAX = 300
/** Characters of a URL that is asked about, and of the one in a mapping rule. */
export const URL_CHARACTERS_MAX = 4_096
/** Bytes of the secret of a proxy config as JSON: a token, a password or some headers. */
export const PROXY_SECRET_BYTES_MAX = 16 * 1024
/** Actions of one resource type: they are written and rendered as a whole. */
export const ACTIONS_PER_RESOURCE_MAX = 1_000
/** Declared attributes of one resource type. */
export const ATTRIBUTES_PER_RESOURCE_MAX = 1_000
/** Roles, relations or action groups of one resource type: they are rendered with it. */
export const PARTS_PER_RESOURCE_MAX = 1_000
/** Relations of one environment: as many as roles. */
export const RELATIONS_MAX = 50_000
/** Action groups of one environment: as many as roles. */
export const ACTION_GROUPS_MAX = 50_000
/** Derivation rules of one role: each is followed for every instance that is reached. */
export const DERIVATIONS_PER_ROLE_MAX = 64
/** Condition sets of one environment: they are rules, not data. */
export const CONDITION_SETS_MAX = 20_000
/** Condition sets in a chain of parents: all of them are evaluated. */
export const SET_DEPTH_MAX = 32
/** Roles that one role may extend directly: each is read when its row is computed. */
export const EXTENDS_MAX = 64
/** Roles of one user in one tenant: a check walks them. */
export const ROLES_PER_GRANT_MAX = 1_000
/** Projects of one organization. */
export const PROJECTS_MAX = 1_000
/** Environments of one organization: each is a log of its own. */
export const ENVIRONMENTS_MAX = 10_000
/** API keys of one organization. */
export const API_KEYS_MAX = 100_000
/** Milliseconds that a session of the routes of members lasts: time for what an administrator came for. */
export const ELEMENTS_SESSION_MS = 15 * 60_000
/** Such sessions of one environment that have not ended. */
export const ELEMENTS_SESSIONS_MAX = 10_000
/** One of so many new ones looks at all of them, and removes those that have ended; where there may be too many each does. */
export const ELEMENTS_SESSIONS_LOOK = 64
/** Permissions for which an image remembers what their set rules read: a kilobyte each. */
export const NEEDS_MAX = 4_096
/**
 * Bytes of one object's attributes, or of the conditions of a set, as an image stores them: sixteen for each value, and
 * the text. A quarter of a megabyte is what an image takes in at once.
 */
export const STORED_VALUE_BYTES_MAX = 250_000
/** Bytes of the conditions of one set as JSON. */
export const CONDITIONS_BYTES_MAX = 64 * 1024
/** Levels of nesting of conditions: readers of them may recurse. */
export const CONDITION_DEPTH_MAX = 32
/** Nodes of the conditions of one set: bounds the steps of one evaluation. */
export const CONDITION_NODES_MAX = 1_000
/** Bytes of one policy file: what an editor shows; a larger policy is several files. */
export const POLICY_FILE_BYTES_MAX = 4 * 1024 * 1024
/** Bytes of all policy files that are read as one policy. */
export const POLICY_FILES_BYTES_MAX = 32 * 1024 * 1024
/** Policy files that are read as one policy. */
export const POLICY_FILES_MAX = 1_000
/** Folders inside of folders that are searched for policy files. */
export const POLICY_FOLDERS_DEPTH_MAX = 16
/** Folders that are searched for policy files: more are not a policy, but a disk that was named by mistake. */
export const POLICY_FOLDERS_MAX = 10_000
/** Levels of lists and maps in a policy file: those of conditions, and those around them. */
export const POLICY_FILE_DEPTH_MAX = 64
/** Characters of a line that holds a list or map of a formatted policy file: what an editor shows. */
export const FORMAT_LINE_MAX = 100
/** Errors and warnings that are reported about policy files at once. */
export const POLICY_PROBLEMS_MAX = 1_000
/** Parts of one object in a policy file that are left out to find what else is wrong with it. */
export const POLICY_RETRIES_MAX = 100
/** Expectations of one test file of a policy: tables count one for each user and action. */
export const EXPECTATIONS_MAX = 100_000
/** Rules of a policy that `zerohop test --mutants` changes in turn: each makes an image for every test file. */
export const MUTANTS_MAX = 10_000
/** Seconds of a duration of a role: a hundred years, beyond which it means nothing. */
export const DURATION_SECONDS_MAX = 3_155_760_000
