// The only place where an error is born: one table of codes, one class. Which HTTP status a class gets is
// src/http/errors.ts. Message rules: lower-case start, no final full stop, user input in backticks, domain words.
// docs/errors.md lists every code.

/** What kind of trouble an error is; src/http/errors.ts maps each class to a status. */
export type ErrorClass =
  | 'invalid' // the input breaks a rule of form
  | 'rejected' // the input is well formed but cannot be accepted as it is
  | 'missing'
  | 'conflict'
  | 'unauthenticated'
  | 'forbidden'
  | 'precondition' // the request is for a state that has changed since
  | 'gone'
  | 'throttled' // too many requests: the answer says when to come back
  | 'unavailable' // could not decide, not ready, disk full: try again later, never a deny
  | 'damaged' // bytes on disk or on the wire are not what they claim to be
  | 'environment' // the machine is not as needed: port busy, folder read-only
  | 'internal'

export const ERRORS = {
  // form of the input
  INPUT_INVALID: { class: 'invalid', message: '{reason}' },
  JSON_INVALID: { class: 'invalid', message: 'the body is not valid JSON: {reason}' },
  JSON_DUPLICATE: { class: 'invalid', message: 'member `{member}` appears twice' },
  JSON_TOO_DEEP: { class: 'invalid', message: 'the body is nested deeper than {limit} levels' },
  JSON_TOO_MANY_MEMBERS: { class: 'invalid', message: '{what} has more than {limit} members' },
  EMAIL_INVALID: { class: 'invalid', message: 'value is not a valid email address' },
  TEXT_INVALID: { class: 'invalid', message: 'the text contains an unpaired surrogate' },
  NUMBER_INVALID: { class: 'invalid', message: 'number {number} cannot be kept exactly' },
  NOT_SUPPORTED: { class: 'invalid', message: '{what} is not supported yet' },
  KEY_INVALID: { class: 'invalid', message: 'invalid {kind} key `{key}`: allowed characters are {allowed}' },
  KEY_TOO_LONG: { class: 'invalid', message: '{kind} key is {bytes} bytes long, the limit is {limit}' },
  KEY_RESERVED: { class: 'invalid', message: '{kind} key `{key}` is reserved' },
  KEY_MISMATCH: {
    class: 'invalid',
    message: 'the body names `{body}` but the path names `{path}`: a key cannot be changed',
  },
  UNKNOWN_NAME: { class: 'invalid', message: 'unknown {kind} `{name}`{where}{hint}' },
  LIMIT_EXCEEDED: { class: 'invalid', message: '{what} would exceed the limit of {limit}' },
  PARENT_CYCLE: { class: 'invalid', message: 'condition set `{key}` would be its own parent through `{via}`' },
  EXTENDS_CYCLE: { class: 'invalid', message: 'role `{key}` would extend itself through `{via}`' },
  PERMISSION_INVALID: { class: 'rejected', message: 'invalid permission `{permission}`: expected `resource:action`' },
  TENANT_MISMATCH: {
    class: 'rejected',
    message: 'resource instance `{instance}` is in tenant `{have}`, not in `{want}`',
  },
  RELATION_MISMATCH: {
    class: 'rejected',
    message: 'relation `{relation}` of `{object}` takes subjects of resource `{want}`, not of `{got}`',
  },
  NOT_FOR_EVERYBODY: {
    class: 'invalid',
    message: '{kind} `{role}` cannot be given to everyone: set its `everybody` to true first',
  },
  NOT_OFFERED: {
    class: 'missing',
    message: '{kind} `{name}` is not offered to roles of tenants: it does not exist, or is not `{flag}`',
  },
  BEYOND_OWN_ROLES: {
    class: 'forbidden',
    message: 'user `{user}` has no role in tenant `{tenant}` with `{permission}`, and cannot give it',
  },
  ROLE_OF_OTHER_TENANT: { class: 'invalid', message: 'role `{role}` is of another tenant than `{tenant}`' },
  REQUEST_REFUSED: { class: 'forbidden', message: '{reason}' },
  REQUEST_STATE: { class: 'conflict', message: 'access request `{id}` is {state}: it cannot be {done}' },
  REQUEST_PENDING: {
    class: 'conflict',
    message: 'user `{user}` has asked for this already: request `{id}` is pending',
  },
  ROLE_HELD: { class: 'conflict', message: 'user `{user}` has role `{role}` already, {times}' },
  INVITE_APPROVED: { class: 'rejected', message: 'user invite `{key}` is already approved' },
  INVITE_OF_OTHER: { class: 'rejected', message: 'user invite `{key}` is for user `{user}`, and not for `{other}`' },
  NOT_ASSIGNABLE_BY_TENANTS: {
    class: 'rejected',
    message:
      'user invite `{key}` was made by its tenant, and tenants may not assign {kind} `{role}`: set its `assignable_by_tenants` to true, or delete the invite',
  },
  PERMISSION_FOREIGN: {
    class: 'rejected',
    message: 'permission `{permission}` does not belong to resource `{resource}`',
  },
  ATTRIBUTE_ILL_TYPED: {
    class: 'invalid',
    message: 'attribute `{attribute}` is declared as {type}, but the value is of another type',
  },
  ATTRIBUTE_MISMATCH: { class: 'rejected', message: '`{attribute}` is declared as {type}: {reason}' },
  ATTRIBUTE_UNDECLARED: {
    class: 'rejected',
    message: 'resource `{resource}` does not declare the attribute `{attribute}`',
  },
  ENVIRONMENT_MISSING: {
    class: 'rejected',
    message: 'objects outside of environments are not supported: every object belongs to one, as in `{path}`',
  },
  ELEMENTS_SESSION_UNKNOWN: { class: 'missing', message: 'there is no such session, or it has ended' },
  ELEMENTS_MISSING: { class: 'rejected', message: 'no Elements host configured' },
  SCIM_INVALID: { class: 'rejected', message: '{reason}' },
  POLICY_INVALID: { class: 'invalid', message: 'the policy has errors: {reason}' },
  // objects
  ITEMS_DIFFER: {
    class: 'invalid',
    message: '{kind} `{key}` is in the body twice with different content: items {first} and {second}',
  },
  OBJECT_EXISTS: { class: 'conflict', message: '{kind} `{key}` already exists' },
  CLAIMED_BY_OTHERS: {
    class: 'conflict',
    message:
      '{kind} `{key}` was not made by hand: {others} claims it, and would make it again. Remove it there, or suspend the user',
  },
  CLAIM_TIMES_APART: {
    class: 'conflict',
    message: 'the times of this {kind} and those that {others} claims leave a gap: they must overlap or meet',
  },
  KEY_IS_ID: { class: 'conflict', message: 'key `{key}` reads as the id of another {kind}' },
  ENVIRONMENT_CHANGED: {
    class: 'precondition',
    message: 'environment `{key}` is at revision {revision}, not at the expected {expected}',
  },
  OBJECT_CHANGED: {
    class: 'precondition',
    message: '{kind} `{key}` was changed meanwhile: read it, and send `if-match` with the etag that it has now',
  },
  REVISION_MOVED: {
    class: 'conflict',
    message:
      'the environment is at revision {revision}, not at {expected} as `x-if-revision` says: nothing was written',
  },
  PRUNE_EMPTY: { class: 'invalid', message: 'the policy is empty: `prune` needs at least one object' },
  PRUNE_CASCADES: {
    class: 'conflict',
    message: 'this would also delete {what}, which the policy does not manage: confirm with `cascade`',
  },
  REASON_REQUIRED: {
    class: 'invalid',
    message: 'environment `{environment}` requires a reason for every write: send it in the header `x-reason`',
  },
  APPROVAL_REQUIRED: {
    class: 'forbidden',
    message:
      'the policy of environment `{environment}` is changed by proposals, which someone else applies: propose the change',
  },
  OWN_PROPOSAL: {
    class: 'forbidden',
    message: 'the one who proposed it can withdraw it, and someone else decides on it: {what}',
  },
  PROPOSAL_FOREIGN: { class: 'forbidden', message: 'only the one who proposed it can withdraw it: reject it instead' },
  PROPOSAL_CLOSED: { class: 'conflict', message: 'the proposal is {state} already' },
  PLAN_OUTDATED: { class: 'conflict', message: 'changed since the plan was made: {what}' },
  PLAN_GREW: { class: 'conflict', message: 'more access changes than the plan says: {what}' },
  PLAN_MOVING: {
    class: 'conflict',
    message: 'the policy changed {times} times while its access was compared, try again',
  },
  REVERT_CONFLICTS: { class: 'conflict', message: 'cannot be reverted: {what}' },
  GROUP_AMBIGUOUS: { class: 'conflict', message: 'several groups have the key `{key}`: use `{one}` or `{other}`' },
  SET_AMBIGUOUS: { class: 'conflict', message: '`{name}` is {words}: use {say}' },
  RELATION_FIXED: {
    class: 'conflict',
    message: 'relation `{relation}` has source type `{have}`, not `{want}`: it cannot be changed',
  },
  OBJECT_IN_USE: { class: 'conflict', message: '{kind} `{key}` is still used by {by}' },
  OBJECT_NOT_FOUND: { class: 'missing', message: '{kind} `{ref}` does not exist' },
  NOT_OF_TENANT: {
    class: 'missing',
    message: 'the API key of a tenant finds only the routes of its tenant',
  },
  REVISION_GONE: {
    class: 'gone',
    message: '{wanted} is no longer kept: history goes back to revision {from}{since}',
  },
  REVISION_UNKNOWN: { class: 'missing', message: 'revision {wanted} does not exist: the environment is at {head}' },
  EXPORT_BUSY: { class: 'unavailable', message: 'too many exports are running ({running}), try again' },
  PAST_BUSY: { class: 'unavailable', message: 'too many questions about the past are waiting ({waiting}), try again' },
  PAST_TOO_LARGE: {
    class: 'rejected',
    message: 'reading the past took longer than {ms} ms: ask about a later revision',
  },
  // keys of the API
  KEY_MISSING: { class: 'unauthenticated', message: 'an API key is required: send `Authorization: Bearer <API_KEY>`' },
  KEY_UNKNOWN: { class: 'unauthenticated', message: 'this API key is not known' },
  KEY_REVOKED: { class: 'unauthenticated', message: 'this API key was rotated or deleted' },
  KEY_EXPIRED: { class: 'unauthenticated', message: 'this API key has expired' },
  KEY_ENDED: { class: 'conflict', message: 'API key `{key}` has expired: make a new one' },
  KEY_ROTATING: {
    class: 'conflict',
    message:
      'the old secret of API key `{key}` is valid until {until}: end it first, or rotate without keeping the current one',
  },
  KEY_TOO_NARROW: { class: 'forbidden', message: 'this API key is not allowed to {what}' },
  PAGE_TOO_DEEP: {
    class: 'rejected',
    message: 'only the newest {most} records can be paged through: ask for a narrower time',
  },
  CURSOR_INVALID: {
    class: 'rejected',
    message:
      '`after` is not the `next` of a page of this list with these parameters, or it is from before a restore: begin again without it',
  },
  RATE_LIMITED: { class: 'throttled', message: 'too many requests with this API key, try again in {seconds} seconds' },
  // the console
  SESSION_MISSING: { class: 'unauthenticated', message: 'sign in: {reason}' },
  LINK_REFUSED: {
    class: 'unauthenticated',
    message: 'this link was already used, has expired, or is from another server: sign in with an API key',
  },
  LINK_REMOTE: {
    class: 'forbidden',
    message: "the link only works in a browser on the server's machine, without a proxy: sign in with an API key",
  },
  USER_REFUSED: { class: 'forbidden', message: 'no rule of ZEROHOP_CONSOLE_ACCESS gives this user access' },
  CLAIM_REFUSED: {
    class: 'forbidden',
    message: 'the identity provider did not send usable values of the claim `{claim}`: {reason}',
  },
  PROVIDER_FAILED: {
    class: 'unavailable',
    message: 'the identity provider did not sign the user in: see the server log',
  },
  SIGN_IN_LIMITED: {
    class: 'throttled',
    message: 'too many wrong API keys from this address, try again in {seconds} seconds',
  },
  HOST_REFUSED: {
    class: 'forbidden',
    message: 'the console is not served as `{host}`: add it to ZEROHOP_CONSOLE_HOSTS',
  },
  ORIGIN_REFUSED: { class: 'forbidden', message: 'pages of {origin} are not allowed to use the console of `{host}`' },
  CSRF_REFUSED: { class: 'forbidden', message: 'the header x-csrf-token does not belong to this session' },
  // deciding
  CLIENT_OUTDATED: {
    class: 'invalid',
    message: 'this is a check of the first API version: upgrade the SDK, or send `user` as an object with `key`',
  },
  TOO_MANY_CHECKS: { class: 'invalid', message: 'one request can have at most {limit} checks, this one has {got}' },
  TOO_MANY_RELATIONS: { class: 'invalid', message: 'a check can send at most {limit} {what}' },
  WAIT_INVALID: { class: 'rejected', message: 'header {header} must be {expected}' },
  HEADER_REPEATED: { class: 'rejected', message: 'the header `{name}` was sent twice' },
  PATH_INVALID: { class: 'rejected', message: '`{part}` is not allowed in the path' },
  NOT_APPLIED: {
    class: 'unavailable',
    message: 'revision {revision} is written, but this PDP did not apply it in {timeoutMs} ms',
  },
  NOT_SERVED: { class: 'rejected', message: 'this PDP does not offer {what}' },
  CONTROL_REFUSED: { class: 'forbidden', message: 'this needs the key of PDP_CONTAINER_CONTROL_KEY, {reason}' },
  NOT_READY: { class: 'unavailable', message: 'no policy is loaded yet{why}' },
  STALE: { class: 'unavailable', message: 'the policy is {age}, the limit is {limitMs} ms{why}' },
  POISONED: {
    class: 'unavailable',
    message: 'the image is broken or cannot take what changed, and is being replaced{why}',
  },
  UNDECIDED: { class: 'unavailable', message: 'could not decide about `{what}` within the limits of one check' },
  LISTING_TOO_LARGE: {
    class: 'rejected',
    message: '{what} would take more than {limit}: ask for less at once, with a filter or in pages',
  },
  FILTER_REFUSED: { class: 'rejected', message: '{what} cannot be part of a filter: {reason}' },
  FILTER_EXPIRED: {
    class: 'unavailable',
    message: 'the filter of `{type}` in tenant `{tenant}` was valid until {until}: make it again',
  },
  REVISION_TIMEOUT: {
    class: 'unavailable',
    message: 'revision {wanted} did not arrive in {timeoutMs} ms, this PDP is at {have}',
  },
  BODY_MEMORY_FULL: {
    class: 'unavailable',
    message: 'too many bytes of request bodies {whose}are being read, try again',
  },
  DECISION_UNRECORDED: { class: 'unavailable', message: 'the decision cannot be recorded: {reason}' },
  DECISION_LOG_FULL: { class: 'unavailable', message: 'the buffer of the decision log is full' },
  CLOSED: { class: 'unavailable', message: '{what} is closed' },
  ENVIRONMENT_DELETED: { class: 'gone', message: 'environment deleted' },
  // image and feed
  IMAGE_UNREADABLE: { class: 'environment', message: 'the image `{path}` cannot be read: {reason}' },
  IMAGE_DAMAGED: { class: 'damaged', message: 'the image is damaged: {reason}' },
  IMAGE_FOREIGN: { class: 'damaged', message: 'the image is not for this kernel: {reason}' },
  STATE_INVALID: { class: 'damaged', message: 'no image can be made of what is stored: {reason}' },
  IMAGE_FULL: { class: 'unavailable', message: 'the image cannot grow: {reason}' },
  DELTA_INVALID: { class: 'damaged', message: 'the delta to revision {to} cannot be applied: {reason}' },
  FEED_GAP: { class: 'damaged', message: 'the delta starts at revision {got}, this image is at {have}' },
  FEED_FORK: { class: 'damaged', message: 'the delta to revision {to} continues another history' },
  FEED_BEHIND: {
    class: 'damaged',
    message: 'the management API is at revision {got} of the same history, this image is at {have}',
  },
  ROLLED_BACK: {
    class: 'damaged',
    message: '{what} is at revision {got}{of}, and this PDP has seen revision {have}: it is rejected',
  },
  FOREIGN_ENVIRONMENT: {
    class: 'damaged',
    message: '{what} is of environment `{got}`, and this PDP follows `{want}`: it is rejected',
  },
  HEAD_NOT_SAID: {
    class: 'unavailable',
    message: 'the management API is older and does not report its last revision: {so}',
  },
  FRAME_INVALID: { class: 'damaged', message: 'the feed sent a damaged frame: {reason}' },
  SIGNATURE_INVALID: { class: 'damaged', message: '{what} {reason}: it is rejected' },
  FEED_UNREACHABLE: { class: 'unavailable', message: 'cannot reach the management API: {reason}' },
  API_REFUSED: {
    class: 'rejected',
    message: 'the management API refused the request with status {status}: {reason}',
  },
  // store
  DATA_IN_USE: { class: 'environment', message: 'data folder `{path}` is in use by another process{holder}' },
  DATA_READ_ONLY: { class: 'environment', message: 'data folder `{path}` cannot be written: {reason}' },
  DATA_DAMAGED: { class: 'unavailable', message: '{what} is damaged: {reason}' },
  CHECK_UNFINISHED: {
    class: 'environment',
    message: 'the check of {what} did not finish: {reason}. This says nothing about the data: run it again',
  },
  COPY_ROOM: {
    class: 'environment',
    message: 'a copy of the data in `{path}` needs {want} bytes of free disk space, there are {have}',
  },
  DATA_FOREIGN: { class: 'environment', message: 'data folder `{path}` has format {got}, this version reads {want}' },
  FOLDER_NOT_EMPTY: { class: 'environment', message: 'folder `{path}` is not empty' },
  BACKUP_DAMAGED: { class: 'environment', message: 'the backup in `{path}` cannot be used: {reason}' },
  DISK_FULL: { class: 'unavailable', message: 'the disk is full: nothing was written' },
  DISK_FAILED: { class: 'unavailable', message: 'the disk refused the write: {reason}' },
  OVERLOADED: { class: 'unavailable', message: 'too many requests of this kind are waiting ({waiting}), try again' },
  WRITER_DEAD: {
    class: 'unavailable',
    message: 'the writer of the store stopped ({reason}): writes fail until the process is restarted',
  },
  // database of replicas
  DATABASE_UNAVAILABLE: {
    class: 'unavailable',
    message: 'the database does not answer ({reason}): nothing was written',
  },
  OUTCOME_UNKNOWN: {
    class: 'unavailable',
    message: 'the database went away while it committed: the write may or may not have happened',
  },
  DATABASE_REFUSED: { class: 'environment', message: 'the database cannot be used: {reason}' },
  CACHE_FOREIGN: { class: 'environment', message: 'the data folder is the cache of another database' },
  HISTORY_LOST: {
    class: 'unavailable',
    message: 'log `{log}` is at revision {have} here, and revision {got} of the database does not continue it',
  },
  IDEMPOTENCY_MISMATCH: { class: 'invalid', message: 'idempotency key `{key}` was already used with another request' },
  IDEMPOTENCY_UNREADABLE: {
    class: 'conflict',
    message:
      'the request with idempotency key `{key}` was carried out, and its answer cannot be given again: read what is there',
  },
  // syncs
  SYNC_OTHER_SOURCE: {
    class: 'conflict',
    message: 'sync `{name}` is bound to another source: delete the sync to bind its name to this one',
  },
  SYNC_RUNNING: { class: 'conflict', message: 'another run holds sync `{name}` until {until}' },
  SYNC_LEASE_LOST: { class: 'conflict', message: 'this run does not hold sync `{name}` any more: nothing was written' },
  SYNC_PLAN_STALE: { class: 'conflict', message: 'another run has written since this was planned: run it again' },
  SYNC_SOURCE_FAILED: { class: 'environment', message: 'the rows cannot be read from {where}: {reason}' },
  // migration
  MIGRATION_REFUSED: { class: 'rejected', message: '{reason}' },
  // integration backend
  TOKEN_INVALID: { class: 'forbidden', message: 'the token of the identity provider is not valid' },
  PROVIDER_UNUSABLE: { class: 'unavailable', message: 'the identity provider cannot be used: {reason}' },
  SERVICE_FAILED: { class: 'unavailable', message: 'the management API answered {status} to {what}' },
  SERVICE_ANSWER_INVALID: { class: 'unavailable', message: 'the answer of Zerohop to {what} is not {expected}' },
  SERVICE_LATE: { class: 'unavailable', message: 'no answer within {timeoutMs} ms' },
  // processes
  CONFIG_INVALID: { class: 'environment', message: '{reason}' },
  PACKAGE_FILE_MISSING: {
    class: 'environment',
    message:
      '`{file}` of this package is missing next to its code: {reason}. If a bundler has moved the code, leave `zerohop` out of the bundle, as with `--external:zerohop` of esbuild or `serverExternalPackages` of Next',
  },
  CODE_GENERATION_OFF: {
    class: 'environment',
    message:
      'Node runs with --disallow-code-generation-from-strings. Servers and data folders of Zerohop need code generation, because Fastify and LMDB use it: start them without this flag. The library and the browser client do not need it',
  },
  LMDB_MISSING: {
    class: 'environment',
    message:
      'the package `lmdb`, which keeps data folders, cannot be loaded: {reason}. Install it where it runs, with its build for this platform: `npm install lmdb`, without `--omit=optional` and without `--ignore-scripts`. A bundler must leave it out, as with `--external:zerohop` of esbuild or `serverExternalPackages` of Next',
  },
  THREAD_LOST: { class: 'internal', message: 'a thread ended before it had answered: {reason}' },
  PACKAGE_MISSING: {
    class: 'environment',
    message: 'the package `{name}` is not installed, and this needs it: npm install {name}',
  },
  PORT_BUSY: { class: 'environment', message: 'port {port} on {host} is in use' },
  INTERNAL: { class: 'internal', message: 'unexpected error' },
} as const satisfies Record<string, { class: ErrorClass; message: string }>

export type ErrorCode = keyof typeof ERRORS
export type ErrorDetails = Readonly<Record<string, string | number | undefined>>

/**
 * Marks the errors of every copy of this package in the process: the ES modules, the CommonJS build, another version.
 */
const BRAND = Symbol.for('zerohop.error')

/**
 * Every error that Zerohop throws. `code` is stable; `details` are the values of the message; `path` says where in the
 * input the trouble is (for `invalid`), as JSON path members.
 */
export class ZerohopError extends Error {
  override readonly name = 'ZerohopError'
  readonly code: ErrorCode
  readonly details: ErrorDetails
  readonly path: readonly (string | number)[] | undefined

  static {
    Object.defineProperty(ZerohopError.prototype, BRAND, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value
  }

  constructor(
    code: ErrorCode,
    details: ErrorDetails = {},
    options: { path?: readonly (string | number)[]; cause?: unknown } = {},
  ) {
    super(fill(ERRORS[code].message, details), options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = details
    this.path = options.path
  }

  get class(): ErrorClass {
    return ERRORS[this.code].class
  }
}

/** True when `error` is a ZerohopError, of one of `codes` when any are given. */
export function isZerohopError(error: unknown, ...codes: ErrorCode[]): error is ZerohopError {
  return error instanceof ZerohopError && (codes.length === 0 || codes.includes(error.code))
}

/** The message of a template: on one line, and a kind of objects in words. */
function fill(template: string, details: ErrorDetails): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(details[name] ?? '').replace(/[\r\n]+/g, ' ')
    return name === 'kind' ? text.replaceAll('_', ' ') : text
  })
}
