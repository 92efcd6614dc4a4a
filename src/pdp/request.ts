// The public forms of a check, and the one internal form in which it is decided. The tenant is determined by D2 (which
// tenant).
import type { SentRelation } from '../image/image.ts'
import { isStackExhausted } from '../kernel/module.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { EVERYBODY } from '../model/keys.ts'
import { isMarkedRow } from '../model/marked-row.ts'
import type { JsonObject } from '../model/objects.ts'
import { type Refuse, type Relations, readRelations } from './sent-relations.ts'

export type { Relations } from './sent-relations.ts'

/** Request attributes, by name. */
export type Attributes = JsonObject

/**
 * The user of a check: a key, or a key with request attributes. `null`: no one is signed in, and what everybody has is all
 * that counts (D16). `undefined` is not that, and is refused.
 */
export type User = string | { readonly key: string; readonly attributes?: Attributes | null } | null

/** The resource of a check: a type, an instance as `type:key`, or its parts. Without a tenant, D2 determines it. */
export type Resource =
  | string
  | {
      readonly type: string
      readonly key?: string | null
      readonly tenant?: string | null
      readonly attributes?: Attributes | null
      readonly relations?: Relations | null
    }

/** The action of a check: a key, or a key with request attributes (our extension). */
export type Action = string | { readonly key: string; readonly attributes?: Attributes | null }

/** One check of a bulk check. */
export interface Check {
  readonly user: User
  readonly action: Action
  readonly resource: Resource
  readonly context?: Attributes | null
}

/** The rest of the question of a filter. */
export interface FilterOptions {
  /** the tenant of the rows */
  readonly tenant: string
  readonly context?: Attributes | null
  /**
   * Default true: the rows' own tenant decides, as for what `toResource` makes, and a row whose key is stored in another
   * tenant is not that instance (D2). False, for a table without a tenant column: keys that are stored in other tenants
   * are excluded by name from what set rules and relations allow.
   */
  readonly tenantColumnIsAuthoritative?: boolean | null
}

/** @throws INPUT_INVALID without a tenant: a filter is made for the rows of one */
export function requireFilterOptions(options: FilterOptions | null | undefined): FilterOptions {
  if (typeof options?.tenant !== 'string')
    throw new ZerohopError('INPUT_INVALID', { reason: 'a filter needs the `tenant` of the rows' })
  return options
}

/** A check in keys. */
export interface Question {
  /** the sign of everybody where no one is signed in: no user has it as key, and records and texts have it, too */
  readonly user: string
  readonly action: string
  readonly type: string
  readonly key: string | undefined
  /** as in the request */
  readonly tenant: string | undefined
  /** request attributes; undefined without any */
  readonly sent: Sent | undefined
  /** relations of the resource in the request; undefined without any */
  readonly relations: readonly SentRelation[] | undefined
  /** the resource is a marked row (D2): stored in another tenant under its key is another thing */
  readonly isRow: boolean
}

/** Request attributes by their subject: user, action, resource, context. */
export interface Sent {
  readonly user?: Attributes | null | undefined
  readonly action?: Attributes | null | undefined
  readonly resource?: Attributes | null | undefined
  readonly context?: Attributes | null | undefined
}

/**
 * The time of a question, for records of its decision: what was sent, else what was read of the clock. Undefined where
 * another form was sent, or reading it runs code of the caller that throws.
 */
export function resolveTime(sent: Sent | undefined, read: number | undefined): number | undefined {
  try {
    const now = sent?.context?.now
    if (now === undefined || now === null) return read
    return typeof now === 'number' && Number.isFinite(now) ? now : undefined
  } catch {
    return undefined
  }
}

/**
 * Converts a check to its internal form.
 * @throws INPUT_INVALID when a part has the wrong type; an unknown key is not an error (D1: default deny)
 */
export function toQuestion(user: User, action: Action, resource: Resource, context?: Attributes | null): Question {
  try {
    return readQuestion(user, action, resource, context)
  } catch (error) {
    throw unreadable(error)
  }
}

/**
 * The key by which a user is asked about; the sign of everybody where no one is signed in: no user has it, so what everybody
 * has is all that counts. What is not a user has none; nor has `undefined`, which must not pass for `null`.
 */
export function findUserKey(user: User): string | undefined {
  return /* canary: no-one-signed-in */ typeof user === 'string' ? user : user === null ? EVERYBODY : user?.key
}

/** The error for exceptions of the caller's own objects: a getter that throws, a revoked proxy. */
export function unreadable(error: unknown): unknown {
  if (isZerohopError(error) || isStackExhausted(error)) return error
  return new ZerohopError('INPUT_INVALID', { reason: 'the question cannot be read' }, { cause: error })
}

function readQuestion(user: User, action: Action, resource: Resource, context?: Attributes | null): Question {
  const userKey = findUserKey(user)
  if (typeof userKey !== 'string') throw invalid('user', 'a key, { key }, or null where no one is signed in')
  const actionKey = typeof action === 'string' ? action : action?.key
  if (typeof actionKey !== 'string') throw invalid('action', 'a key or { key }')
  return {
    user: userKey,
    action: actionKey,
    ...toResource(resource),
    sent: sentWith(
      toAttributes(user, 'user.attributes'),
      toAttributes(action, 'action.attributes'),
      toAttributes(resource, 'resource.attributes'),
      requireAttributes(context, 'context'),
    ),
  }
}

function toResource(resource: Resource): Pick<Question, 'type' | 'key' | 'tenant' | 'relations' | 'isRow'> {
  if (typeof resource === 'string') {
    const colon = resource.indexOf(':')
    const [type, key] = colon < 0 ? [resource] : [resource.slice(0, colon), resource.slice(colon + 1)]
    return { type, key, tenant: undefined, relations: undefined, isRow: false }
  }
  if (typeof resource?.type !== 'string') throw invalid('resource', 'a type, `type:key` or { type }')
  const { type, key, tenant } = resource
  if (key !== undefined && key !== null && typeof key !== 'string') throw invalid('resource.key', 'a key')
  if (tenant !== undefined && tenant !== null && typeof tenant !== 'string') throw invalid('resource.tenant', 'a key')
  return {
    type,
    key: key ?? undefined,
    tenant: tenant ?? undefined,
    relations: toRelations(resource.relations),
    isRow: isMarkedRow(resource),
  }
}

/** The relations of a resource. @throws INPUT_INVALID, TOO_MANY_RELATIONS */
export function toRelations(relations: unknown): readonly SentRelation[] | undefined {
  return readRelations(relations, refuseRelations)
}

const EXPECTED = { object: 'an object', list: 'a list of subjects', subject: 'a subject, `type:key`' }

const refuseRelations: Refuse = (_, expected, ...path) => {
  const what = ['resource.relations', ...path].join('.')
  const reason = `${what} must be ${EXPECTED[expected]}`
  return new ZerohopError('INPUT_INVALID', { reason }, { path: ['resource', 'relations', ...path] })
}

function toAttributes(
  part: string | { readonly attributes?: Attributes | null } | null,
  what: string,
): Attributes | undefined {
  return typeof part === 'string' || part === null ? undefined : requireAttributes(part.attributes, what)
}

function requireAttributes(value: Attributes | null | undefined, what: string): Attributes | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw invalid(what, 'an object')
  return value
}

function sentWith(
  user: Attributes | undefined,
  action: Attributes | undefined,
  resource: Attributes | undefined,
  context: Attributes | undefined,
): Sent | undefined {
  if (user === undefined && action === undefined && resource === undefined && context === undefined) return undefined
  return { user, action, resource, context }
}

function invalid(what: string, expected: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason: `${what} must be ${expected}` }, { path: what.split('.') })
}

/** The parts of one check of a bulk check. @throws INPUT_INVALID when they cannot be read */
export function copyParts(check: Check): Check {
  try {
    const { user, action, resource, context = null } = check
    return { user, action, resource, context }
  } catch (error) {
    throw unreadable(error)
  }
}

/** A copy of the caller's list. @throws INPUT_INVALID when it is not a list, or cannot be read */
export function copyList<T>(list: readonly T[], what: string, expected: string): readonly T[] {
  try {
    if (Array.isArray(list)) return [...list]
  } catch (error) {
    throw unreadable(error)
  }
  throw invalid(what, expected)
}

/** A copy of the caller's keys, if there are any. @throws INPUT_INVALID when they are not a list of texts */
export function copyKeys(keys: readonly string[] | null | undefined, what: string): readonly string[] | undefined {
  if (keys === undefined || keys === null) return undefined
  const copy = copyList(keys, what, 'a list of keys')
  if (copy.every((key) => typeof key === 'string')) return copy
  throw invalid(what, 'a list of keys')
}

/**
 * The answers of a bulk check, in order. An undecided check ends it with an error that has its index (D13: undecided is
 * not a deny).
 */
export function answerEach<C, T>(checks: readonly C[], answer: (check: C) => T): T[] {
  return checks.map((check, at) => {
    try {
      return answer(check)
    } catch (error) {
      if (!isZerohopError(error, 'UNDECIDED')) throw error
      throw new ZerohopError('UNDECIDED', { what: `check ${at}: ${error.details.what}` }, { path: [at] })
    }
  })
}

export function isNone(value: unknown): boolean {
  return value === undefined || value === null
}

export function mayBeSent(attributes: Attributes | null | undefined): boolean {
  return isNone(attributes) || (typeof attributes === 'object' && !Array.isArray(attributes))
}
