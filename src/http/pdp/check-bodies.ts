// What the PDP's routes accept, checked by hand: one pass, no allocation beyond the answer. Unknown fields are ignored
// and null maps count as empty, because public clients send both. Every refusal names the path of the field.
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { BULK_CHECKS_MAX, LISTING_PAGE_MAX, SNAPSHOT_LIFETIME_MAX_MS } from '../../model/limits.ts'
import type { AuthorizedUsersQuery, PermissionFilter } from '../../pdp/pdp-listings.ts'
import type { Attributes, Check, Resource, User } from '../../pdp/request.ts'
import { type Refuse, readRelations } from '../../pdp/sent-relations.ts'
import { isLifetime, type SnapshotOptions } from '../../pdp/snapshot.ts'
import { digest, makeToken, readToken } from '../page-token.ts'

type Path = readonly (string | number)[]
type Members = Readonly<Record<string, unknown>>

const BODY: Path = ['body']

/** The body of POST /allowed. @throws INPUT_INVALID, CLIENT_OUTDATED for a body of the first API version */
export function readCheck(body: unknown): Check {
  const { user, action, resource, context } = members(body, BODY)
  if (typeof user === 'string') throw new ZerohopError('CLIENT_OUTDATED')
  const found = members(user, BODY, 'user')
  if (typeof found.key !== 'string') throw wrong(found.key, 'string', BODY, 'user', 'key')
  if (!isMap(found.attributes)) throw wrong(found.attributes, 'object', BODY, 'user', 'attributes')
  if (typeof action !== 'string') throw wrong(action, 'string', BODY, 'action')
  const about = members(resource, BODY, 'resource')
  if (typeof about.type !== 'string') throw wrong(about.type, 'string', BODY, 'resource', 'type')
  if (!isText(about.key)) throw wrong(about.key, 'string', BODY, 'resource', 'key')
  if (!isText(about.tenant)) throw wrong(about.tenant, 'string', BODY, 'resource', 'tenant')
  if (!isMap(about.attributes)) throw wrong(about.attributes, 'object', BODY, 'resource', 'attributes')
  if (!isNone(about.relations)) requireRelations(about.relations, BODY)
  if (!isMap(context)) throw wrong(context, 'object', BODY, 'context')
  return body as Check
}

/** The body of POST /allowed/bulk: an array of checks. @throws INPUT_INVALID, TOO_MANY_CHECKS */
export function readChecks(body: unknown): readonly Check[] {
  if (!Array.isArray(body)) throw wrong(body, 'list', BODY)
  if (body.length > BULK_CHECKS_MAX) {
    throw new ZerohopError('TOO_MANY_CHECKS', { limit: BULK_CHECKS_MAX, got: body.length }, { path: BODY })
  }
  for (let at = 0; at < body.length; at++) readItem(body[at], at)
  return body as readonly Check[]
}

/** A request that an application wants to let through, and who makes it. */
export interface UrlQuery {
  readonly user: User
  readonly method: string
  readonly url: string
  readonly tenant: string | null | undefined
  readonly context: Attributes | null | undefined
}

/** The body of POST /allowed_url. @throws INPUT_INVALID */
export function readUrlQuery(body: unknown): UrlQuery {
  const { user, http_method: method, url, tenant, context } = members(body, BODY)
  const asks = readUser(user)
  if (typeof method !== 'string') throw wrong(method, 'string', BODY, 'http_method')
  if (typeof url !== 'string') throw wrong(url, 'string', BODY, 'url')
  if (!isText(tenant)) throw wrong(tenant, 'string', BODY, 'tenant')
  if (!isMap(context)) throw wrong(context, 'object', BODY, 'context')
  return { user: asks, method, url, tenant, context } as UrlQuery
}

/**
 * The body of POST /allowed/all-tenants: the question itself, or `{ headers, params }` around it. @throws INPUT_INVALID
 */
export function readAllTenants(body: unknown): Check {
  const { params } = members(body, BODY)
  return isNone(params) ? readQuestion(body, BODY) : readQuestion(params, [...BODY, 'params'])
}

/** The key in `{ headers, params }`, where one client puts it, or undefined. */
export function authorizationIn(body: unknown): string | undefined {
  const headers = isMap(body) ? (body as Members | null | undefined)?.headers : undefined
  const found = Object.entries(isMap(headers) ? (headers ?? {}) : {}).find(
    ([name]) => name.toLowerCase() === 'authorization',
  )
  return typeof found?.[1] === 'string' ? found[1] : undefined
}

/** A check in which user and resource may be plain keys. @throws INPUT_INVALID, TOO_MANY_RELATIONS */
export function readLooseCheck(body: unknown): Check {
  return readQuestion(body, BODY)
}

function readQuestion(body: unknown, path: Path): Check {
  const { user, action, resource, context } = members(body, path)
  const asks = readUser(user, path)
  if (typeof action !== 'string') throw wrong(action, 'string', path, 'action')
  const about = readResource(resource, path)
  if (!isMap(context)) throw wrong(context, 'object', path, 'context')
  return { user: asks, action, resource: about, context: (context as Attributes | null) ?? null }
}

/** A type, `type:key`, or the parts. */
function readResource(resource: unknown, path: Path): Resource {
  if (typeof resource === 'string') return resource
  const { type, key, tenant, attributes, relations } = members(resource, path, 'resource')
  if (typeof type !== 'string') throw wrong(type, 'string', path, 'resource', 'type')
  if (!isText(key)) throw wrong(key, 'string', path, 'resource', 'key')
  if (!isText(tenant)) throw wrong(tenant, 'string', path, 'resource', 'tenant')
  if (!isMap(attributes)) throw wrong(attributes, 'object', path, 'resource', 'attributes')
  if (!isNone(relations)) requireRelations(relations, path)
  return resource as Resource
}

/** The body of POST /authorized_users. @throws INPUT_INVALID */
export function readUsersQuery(body: unknown): AuthorizedUsersQuery {
  const { action, resource, context } = members(body, BODY)
  if (typeof action !== 'string') throw wrong(action, 'string', BODY, 'action')
  const about = readResource(resource, BODY)
  if (!isMap(context)) throw wrong(context, 'object', BODY, 'context')
  return { action, resource: about, context: (context as Attributes | null) ?? null }
}

/** The question of a filter: which rows of the type, in the tenant, the user may do the action on. */
export interface FilterQuery {
  readonly user: User
  readonly action: string
  readonly type: string
  readonly tenant: string
  readonly context: Attributes | null | undefined
  readonly isTenantColumnAuthoritative: boolean
}

/** The body of POST /filter. @throws INPUT_INVALID */
export function readFilterQuery(body: unknown): FilterQuery {
  const { user, action, resource, context, tenant_column_is_authoritative: authoritative } = members(body, BODY)
  const asks = readUser(user)
  if (typeof action !== 'string') throw wrong(action, 'string', BODY, 'action')
  const { type, tenant } = members(resource, BODY, 'resource')
  if (typeof type !== 'string') throw wrong(type, 'string', BODY, 'resource', 'type')
  if (typeof tenant !== 'string') throw wrong(tenant, 'string', BODY, 'resource', 'tenant')
  if (!isMap(context)) throw wrong(context, 'object', BODY, 'context')
  if (!isNone(authoritative) && typeof authoritative !== 'boolean')
    throw wrong(authoritative, 'boolean', BODY, 'tenant_column_is_authoritative')
  const isTenantColumnAuthoritative = authoritative === true
  return { user: asks, action, type, tenant, context: context as Attributes | null, isTenantColumnAuthoritative }
}

/** The body of POST /snapshot. @throws INPUT_INVALID */
export function readSnapshotQuery(body: unknown): SnapshotOptions & { readonly user: User } {
  const { user, tenants, types, actions, context, lifetime_ms: lifetimeMs, ...rest } = members(body, BODY)
  const { tenant_column_is_authoritative: authoritative } = rest
  const asks = readUser(user)
  if (!isMap(context)) throw wrong(context, 'object', BODY, 'context')
  if (!isNone(lifetimeMs) && !isLifetime(lifetimeMs))
    throw wrong(lifetimeMs, `number of milliseconds up to ${SNAPSHOT_LIFETIME_MAX_MS}`, BODY, 'lifetime_ms')
  if (!isNone(authoritative) && typeof authoritative !== 'boolean')
    throw wrong(authoritative, 'boolean', BODY, 'tenant_column_is_authoritative')
  return {
    user: asks,
    tenants: texts(tenants, 'tenants'),
    types: texts(types, 'types'),
    actions: texts(actions, 'actions'),
    context: context as Attributes | null,
    lifetimeMs: (lifetimeMs as number | null) ?? null,
    tenantColumnIsAuthoritative: authoritative === true,
  }
}

/** The body of POST /user-tenants. @throws INPUT_INVALID */
export function readTenantsQuery(body: unknown): { user: User; context: Attributes | null | undefined } {
  const { user, context } = members(body, BODY)
  const asks = readUser(user)
  if (!isMap(context)) throw wrong(context, 'object', BODY, 'context')
  return { user: asks, context: context as Attributes | null | undefined }
}

/** The `input` of the OPA-shaped API. @throws INPUT_INVALID */
export function readInput(body: unknown): unknown {
  const { input } = members(body, BODY)
  if (input === undefined || input === null) throw wrong(input ?? undefined, 'object', BODY, 'input')
  return input
}

/** A user key, or a user with attributes. */
function readUser(user: unknown, path: Path = BODY): User {
  if (typeof user === 'string') return user
  const { key, attributes } = members(user, path, 'user')
  if (typeof key !== 'string') throw wrong(key, 'string', path, 'user', 'key')
  if (!isMap(attributes)) throw wrong(attributes, 'object', path, 'user', 'attributes')
  return user as User
}

/** Whose permissions, and which of them. */
export interface PermissionsQuery {
  readonly user: User
  readonly filter: PermissionFilter
  readonly context: Attributes | null | undefined
}

/** The body of POST /user-permissions. @throws INPUT_INVALID */
export function readPermissionsQuery(body: unknown): PermissionsQuery {
  const { user, tenants, resources, resource_types: resourceTypes, context } = members(body, BODY)
  const asked = readUser(user)
  if (!isMap(context)) throw wrong(context, 'object', BODY, 'context')
  const filter = {
    tenants: texts(tenants, 'tenants'),
    resources: texts(resources, 'resources'),
    resourceTypes: texts(resourceTypes, 'resource_types'),
  }
  return { user: asked, filter, context: context as Attributes }
}

/** A page that a body asks for. */
export interface PageOfBody {
  /** null: as many as a page has at most */
  readonly limit: number | null
  /** where it begins; null for the first one */
  readonly after: string | null
  /** what the page before gave along with it */
  readonly kept: readonly unknown[]
  /** `next` of a page whose next one begins at `after` */
  readonly nextToken: (after: string, ...kept: readonly unknown[]) => string
}

/**
 * The page that a body asks for with `limit` or `after`; undefined when it asks for the whole. Tokens are bound to the
 * rest of the body and to the environment.
 * @throws INPUT_INVALID for a token that no page of the same question gave
 */
export function readPageOfBody(body: unknown, environment: string): PageOfBody | undefined {
  const { limit = null, after = null, ...rest } = members(body, BODY)
  if (limit === null && after === null) return undefined
  const question = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  if (limit !== null && !isPageLimit(limit)) throw wrong(limit, `number from 1 to ${LISTING_PAGE_MAX}`, BODY, 'limit')
  const nextToken = (...state: readonly unknown[]): string =>
    makeToken([digest([environment, question, ...state]), ...state])
  if (after === null) return { limit, after, kept: [], nextToken }
  const [, place, ...kept] = (typeof after === 'string' && readToken(after)) || []
  if (typeof place !== 'string' || nextToken(place, ...kept) !== after)
    throw wrong(after, '`next` of a page of the same question', BODY, 'after')
  return { limit, after: place, kept, nextToken }
}

const isPageLimit = (limit: unknown): limit is number =>
  Number.isSafeInteger(limit) && (limit as number) >= 1 && (limit as number) <= LISTING_PAGE_MAX

function members(value: unknown, path: Path, ...rest: string[]): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(value, 'object', path, ...rest)
  return value as Members
}

/** D14: what was sent must be lists of `type:key`. */
function requireRelations(relations: unknown, path: Path): void {
  const refuse: Refuse = (value, expected, ...rest) => wrong(value, expected, path, 'resource', 'relations', ...rest)
  readRelations(relations, refuse, [...path, 'resource', 'relations'])
}

/** A path is made only for the item that is wrong. */
function readItem(item: unknown, at: number): void {
  try {
    readCheck(item)
  } catch (error) {
    if (!isZerohopError(error, 'INPUT_INVALID', 'TOO_MANY_RELATIONS')) throw error
    throw new ZerohopError(error.code, error.details, { path: ['body', at, ...(error.path ?? []).slice(1)] })
  }
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null
}

function isMap(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string'
}

function texts(value: unknown, field: string): readonly string[] | null {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value)) throw wrong(value, 'list', BODY, field)
  value.forEach((item, at) => {
    if (typeof item !== 'string') throw wrong(item, 'string', BODY, field, at)
  })
  return value as readonly string[]
}

function wrong(value: unknown, expected: string, path: Path, ...rest: (string | number)[]): ZerohopError {
  const reason = value === undefined ? 'field required' : `value is not a valid ${expected}`
  return new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, ...rest] })
}
