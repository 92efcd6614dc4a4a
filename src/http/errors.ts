// The only place that maps errors to status and body; docs/errors.md lists every code. Internal details never leave the
// server: an unexpected error is answered with "unexpected error" and logged by src/http/app.ts.
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { FastifyError } from 'fastify'
import { type ErrorClass, type ErrorCode, ZerohopError } from '../model/errors.ts'

/** The closed list of the public clients: any other value breaks the Python client. */
export type ContractCode =
  | 'INVALID_INPUT'
  | 'UNEXPECTED_ERROR'
  | 'NOT_FOUND'
  | 'DUPLICATE_ENTITY'
  | 'FORBIDDEN_ACCESS'
  | 'INVALID_PERMISSION_FORMAT'
  | 'MISSING_RESOURCE_ATTRIBUTE'
  | 'MISMATCH_ATTRIBUTES_TYPES'
  | 'MISMATCH_RESOURCE_INSTANCES_TENANTS'
  | 'MISMATCH_RELATION_TYPE'
  | 'PAGINATION_SIZE_OVERREACHED'
  | 'CONCURRENT_OPERATION_DISALLOWED'
  | 'UNAUTHORIZED'

interface Rule {
  readonly status: number
  readonly errorCode: ContractCode
}

export const STATUS_OF_CLASS: Readonly<Record<ErrorClass, Rule>> = {
  invalid: { status: 422, errorCode: 'INVALID_INPUT' },
  rejected: { status: 400, errorCode: 'INVALID_INPUT' },
  missing: { status: 404, errorCode: 'NOT_FOUND' },
  conflict: { status: 409, errorCode: 'DUPLICATE_ENTITY' },
  unauthenticated: { status: 401, errorCode: 'UNAUTHORIZED' },
  forbidden: { status: 403, errorCode: 'FORBIDDEN_ACCESS' },
  throttled: { status: 429, errorCode: 'CONCURRENT_OPERATION_DISALLOWED' },
  precondition: { status: 412, errorCode: 'INVALID_INPUT' },
  gone: { status: 410, errorCode: 'NOT_FOUND' },
  unavailable: { status: 503, errorCode: 'UNEXPECTED_ERROR' },
  damaged: { status: 500, errorCode: 'UNEXPECTED_ERROR' },
  environment: { status: 500, errorCode: 'UNEXPECTED_ERROR' },
  internal: { status: 500, errorCode: 'UNEXPECTED_ERROR' },
}

/** Codes with a more specific `error_code` than that of their class. */
export const ERROR_CODE_OF: Readonly<Partial<Record<ErrorCode, ContractCode>>> = {
  PAGE_TOO_DEEP: 'PAGINATION_SIZE_OVERREACHED',
  PERMISSION_INVALID: 'INVALID_PERMISSION_FORMAT',
  PERMISSION_FOREIGN: 'INVALID_PERMISSION_FORMAT',
  ATTRIBUTE_UNDECLARED: 'MISSING_RESOURCE_ATTRIBUTE',
  ATTRIBUTE_MISMATCH: 'MISMATCH_ATTRIBUTES_TYPES',
  GROUP_AMBIGUOUS: 'INVALID_INPUT',
  SET_AMBIGUOUS: 'INVALID_INPUT',
  OBJECT_IN_USE: 'INVALID_INPUT',
  CLAIMED_BY_OTHERS: 'INVALID_INPUT',
  CLAIM_TIMES_APART: 'INVALID_INPUT',
  RELATION_FIXED: 'MISMATCH_RELATION_TYPE',
  PRUNE_CASCADES: 'INVALID_INPUT',
  PLAN_OUTDATED: 'CONCURRENT_OPERATION_DISALLOWED',
  PLAN_GREW: 'CONCURRENT_OPERATION_DISALLOWED',
  PLAN_MOVING: 'CONCURRENT_OPERATION_DISALLOWED',
  REVERT_CONFLICTS: 'INVALID_INPUT',
  PROPOSAL_CLOSED: 'INVALID_INPUT',
  REVISION_MOVED: 'CONCURRENT_OPERATION_DISALLOWED',
  IDEMPOTENCY_UNREADABLE: 'CONCURRENT_OPERATION_DISALLOWED',
  TENANT_MISMATCH: 'MISMATCH_RESOURCE_INSTANCES_TENANTS',
  RELATION_MISMATCH: 'MISMATCH_RELATION_TYPE',
}

/** `type` of a 422 item; other codes of class `invalid` have `value_error`. */
const TYPE_OF: Readonly<Partial<Record<ErrorCode, string>>> = {
  JSON_INVALID: 'value_error.jsondecode',
  JSON_DUPLICATE: 'value_error.duplicate',
  JSON_TOO_DEEP: 'value_error.depth',
  JSON_TOO_MANY_MEMBERS: 'value_error.members',
  EMAIL_INVALID: 'value_error.email',
  KEY_INVALID: 'value_error.str.regex',
  KEY_TOO_LONG: 'value_error.any_str.max_length',
  KEY_RESERVED: 'value_error.reserved',
  KEY_MISMATCH: 'value_error.mismatch',
  LIMIT_EXCEEDED: 'value_error.limit',
  NOT_SUPPORTED: 'value_error.not_supported',
}

/** One item of the body of a 422. */
export interface ValidationIssue {
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly type: string
}

/** The item of a list in the body that an error is about, or the part of a policy. */
export interface ListItem {
  /** the location of the error, as in the `loc` of a 422 */
  readonly loc: readonly (string | number)[]
  /** index of the item in its list, from 0; null for a part of a policy that is in no list */
  readonly index: number | null
  /** the key of the item as the caller sent it; null when it has none */
  readonly key: string | null
}

/** An error in terms of HTTP, before it is rendered in the form of a server. */
export interface Problem {
  readonly status: number
  readonly errorCode: ContractCode
  readonly message: string
  /** set for a 422 */
  readonly detail?: readonly ValidationIssue[]
  /** set when it is about one item of a list in the body, or about what others claim: then the names of the claims */
  readonly item?: ListItem | { readonly claims: readonly string[] }
  /** set when a ZerohopError caused it */
  readonly code?: ErrorCode
}

export interface ErrorAnswer {
  readonly status: number
  readonly body: unknown
}

/** Renders a problem in the form of a server. */
export type ErrorForm = (problem: Problem) => ErrorAnswer

/** Maps any thrown error to a problem: of a use case, the body parser, a schema, Fastify, or a defect. */
export function toProblem(error: unknown): Problem {
  if (error instanceof ZerohopError) return ofZerohop(error)
  const fastify = error as Partial<FastifyError> | null
  if (Array.isArray(fastify?.validation)) return ofSchema(fastify.validation, fastify.validationContext)
  const status = fastify?.statusCode
  if (status !== undefined && status >= 400 && status < 500) {
    return { status, errorCode: status === 404 ? 'NOT_FOUND' : 'INVALID_INPUT', message: fastify?.message ?? '' }
  }
  return { status: 500, errorCode: 'UNEXPECTED_ERROR', message: 'unexpected error' }
}

/** What the message of a 404 of the management API begins with. */
export const NOT_FOUND_PREFIX = 'The requested data could not be found: '

/** The management API: ErrorDetails, or `{detail:[…]}` for a 422. */
export const managementError: ErrorForm = (problem) => {
  const { status, errorCode, message, detail, item = null } = problem
  if (detail) return { status, body: { detail } }
  return {
    status,
    body: {
      id: randomUUID(),
      title: STATUS_CODES[status] ?? 'Error',
      error_code: errorCode,
      message: errorCode === 'NOT_FOUND' ? NOT_FOUND_PREFIX + message : message,
      support_link: null,
      additional_info: item,
    },
  }
}

/** The PDP: always `{detail}`; no key is 401, a wrong one 403. */
export const pdpError: ErrorForm = ({ status, code, message, detail }) => ({
  status: code === 'KEY_UNKNOWN' ? 403 : status,
  body: { detail: detail ?? message },
})

function ofZerohop(error: ZerohopError): Problem {
  const { status, errorCode } = STATUS_OF_CLASS[error.class]
  const message = status === 500 ? 'unexpected error' : error.message
  const problem = { status, errorCode: ERROR_CODE_OF[error.code] ?? errorCode, message, code: error.code }
  const { claims } = error.details
  if (typeof claims === 'string') return { ...problem, item: { claims: claims.split(' ') } }
  if (error.class !== 'invalid') return problem
  const type = TYPE_OF[error.code] ?? 'value_error'
  return { ...problem, detail: [{ loc: error.path ?? ['body'], msg: error.message, type }] }
}

type SchemaTrouble = NonNullable<FastifyError['validation']>[number]

function ofSchema(troubles: readonly SchemaTrouble[], context: FastifyError['validationContext']): Problem {
  const root =
    context === 'querystring' ? 'query' : context === 'params' ? 'path' : context === 'headers' ? 'header' : 'body'
  const detail = troubles.map((trouble) => ofTrouble(trouble, root))
  return { status: 422, errorCode: 'INVALID_INPUT', message: detail[0]?.msg ?? 'invalid input', detail }
}

function ofTrouble({ keyword, params, instancePath, message }: SchemaTrouble, root: string): ValidationIssue {
  const loc = [root, ...pointer(instancePath)]
  switch (keyword) {
    case 'required':
      return { loc: [...loc, String(params.missingProperty)], msg: 'field required', type: 'value_error.missing' }
    case 'additionalProperties':
      return {
        loc: [...loc, String(params.additionalProperty)],
        msg: 'extra fields not permitted',
        type: 'value_error.extra',
      }
    case 'later':
      return {
        loc,
        msg: new ZerohopError('NOT_SUPPORTED', { what: String(loc.at(-1)) }).message,
        type: 'value_error.not_supported',
      }
    case 'type': {
      const types = [params.type].flat().filter((type) => type !== 'null')
      return { loc, msg: `value is not a valid ${types.join(' or ')}`, type: `type_error.${types.join('_or_')}` }
    }
    case 'enum': {
      const words = new Set((params.allowedValues as unknown[]).filter((word) => word !== null).map(String))
      return { loc, msg: `permitted: ${[...words].join(', ')}`, type: 'type_error.enum' }
    }
    default:
      return { loc, msg: message ?? 'invalid value', type: `value_error.${keyword}` }
  }
}

/** Members of a JSON pointer; an index becomes a number. */
function pointer(path: string): (string | number)[] {
  const members = path.split('/').slice(1)
  return members.map((member) =>
    /^\d+$/.test(member) ? Number(member) : member.replaceAll('~1', '/').replaceAll('~0', '~'),
  )
}
