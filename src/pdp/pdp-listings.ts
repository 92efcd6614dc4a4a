// The listings of a PDP in the forms of the public API, on top of src/image/list/listings.ts. Each is exactly what
// checks allow (D12: listings agree with checks); a listing with an undecided check fails as a whole (D13: undecided is
// not a deny). User keys become member names of the answers: `Object.fromEntries` takes `__proto__`, too, and makes plain objects.
import type {
  AssignmentRow,
  Listings,
  NamedRow,
  PageQuery,
  PermissionList,
  PermissionOptions,
  PermissionQuery,
  UserEntry,
} from '../image/list/listings.ts'
import { ZerohopError } from '../model/errors.ts'
import { LISTING_PAGE_MAX, LISTING_WORK_MAX, PERMISSIONS_PAGE_WALK_MAX, PERMISSIONS_ROWS_MAX } from '../model/limits.ts'
import {
  type Action,
  type Attributes,
  copyKeys,
  type Question,
  type Resource,
  toQuestion,
  type User,
} from './request.ts'

/** A tenant with its stored attributes. */
export interface Tenant {
  readonly key: string
  readonly attributes: Attributes
}

/** The permissions of a user in one tenant. */
export interface TenantPermissions {
  readonly tenant: Tenant
  /** `resource:action`, sorted: what checks without an instance allow there */
  readonly permissions: readonly string[]
  /** the roles assigned in this tenant, sorted */
  readonly roles: readonly string[]
}

/** The permissions of a user on one instance. */
export interface InstancePermissions {
  readonly resource: { readonly type: string; readonly key: string; readonly attributes: Attributes }
  readonly tenant: Tenant
  /** `resource:action`, sorted: all that a check on the instance allows */
  readonly permissions: readonly string[]
  /** the user's roles on the instance, assigned or derived, sorted */
  readonly roles: readonly string[]
}

/** By `__tenant:<key>` and `<type>:<key>`, tenants first, each in key order. */
export type UserPermissions = Record<string, TenantPermissions | InstancePermissions>

export interface PermissionFilter {
  /** only these tenants, and instances in them */
  readonly tenants?: readonly string[] | null
  /** only these instances: `type:key` or a key; tenants are listed under `__tenant:<key>` */
  readonly resources?: readonly string[] | null
  /** only these types; `__tenant` keeps the tenants */
  readonly resourceTypes?: readonly string[] | null
}

/** Which keys of a listing are wanted. */
export interface Page {
  /** `next` of the previous page */
  readonly after?: string | null
  /** maximal number of keys; at most and by default 10,000 */
  readonly limit?: number | null
}

/**
 * Keys in order. `next` begins the next page, also after a page with fewer keys than asked for, or none; undefined at
 * the end.
 */
export interface Keys {
  readonly keys: string[]
  readonly next: string | undefined
}

/** Which permissions to list, and which page of them. */
export interface PermissionPageQuery extends PermissionFilter, Page {}

/** Entries in order. `next` begins the next page, also after a page with fewer entries than asked for, or none. */
export interface PermissionPage {
  readonly permissions: UserPermissions
  readonly next: string | undefined
}

/** Which instances to list, with request attributes. */
export interface ResourcesQuery extends Page {
  /** only instances of this tenant */
  readonly tenant?: string | null
  readonly context?: Attributes | null
  /** request attributes of each instance */
  readonly attributes?: Attributes | null
}

export interface UsersQuery extends Page {
  readonly context?: Attributes | null
}

export interface AuthorizedUsersQuery {
  readonly action: Action
  readonly resource: Resource
  readonly context?: Attributes | null
}

/** The users who may do the action, with their roles. */
export interface AuthorizedUsers {
  /** `type:key`, or `type:*` when no instance was named */
  readonly resource: string
  readonly tenant: string
  /** by user key */
  readonly users: Record<string, UserEntry[]>
}

/** Which role assignments are wanted, and which page of them, from 1. */
export interface RoleAssignmentsQuery {
  readonly user?: string | null
  readonly role?: string | null
  readonly tenant?: string | null
  /** a resource type: roles on its instances */
  readonly resource?: string | null
  /** `type:key`, or a key */
  readonly resourceInstance?: string | null
  /** from 1; absent with `after` */
  readonly page?: number
  /** the last row of the page before: what was there all the time comes once, whatever changes meanwhile */
  readonly after?: AssignmentRow
  readonly perPage: number
}

export type { AssignmentRow, UserEntry } from '../image/list/listings.ts'

/** @throws LISTING_TOO_LARGE when there are more rows than PERMISSIONS_ROWS_MAX */
export function userPermissions(
  listings: Listings,
  user: User,
  filter?: PermissionFilter | null,
  context?: Attributes | null,
): UserPermissions {
  const list = openPermissions(listings, user, filter, context)
  const rows: NamedRow[] = []
  for (let more = list !== undefined; more; ) {
    const part = listings.permissionPart(list!, PERMISSIONS_ROWS_MAX)
    for (const row of part.rows) rows.push(row)
    if (rows.length > PERMISSIONS_ROWS_MAX) throw permissionsTooLarge(keyOfUser(user), `${PERMISSIONS_ROWS_MAX} rows`)
    more = part.next !== undefined
  }
  return Object.fromEntries(rows)
}

/** One page: fewer rows than asked for, or none, when enough was looked at. */
export function userPermissionsPage(
  listings: Listings,
  user: User,
  query?: PermissionPageQuery | null,
  context?: Attributes | null,
): PermissionPage {
  const { after = '', limit } = toPageQuery(query ?? {})
  if (after !== '' && !after.includes(':')) throw invalid('after', '`next` of the page before')
  const list = openPermissions(listings, user, query, context, { after, walkMax: PERMISSIONS_PAGE_WALK_MAX })
  if (list === undefined) return { permissions: {}, next: undefined }
  for (;;) {
    const { rows, next } = listings.permissionPart(list, limit, LISTING_WORK_MAX)
    // each page gets on, even where finding the instances takes all of its work
    if (rows.length > 0 || next !== after) return { permissions: Object.fromEntries(rows), next }
  }
}

/** The list of what the user may do; undefined for an unknown user. */
export function openPermissions(
  listings: Listings,
  user: User,
  filter?: PermissionFilter | null,
  context?: Attributes | null,
  options?: PermissionOptions,
): PermissionList | undefined {
  const { user: key, sent } = toQuestion(user, '', '', context)
  return listings.permissions(key, toPermissionQuery(filter ?? {}), sent, options)
}

export const permissionsTooLarge = (user: string, limit: string): ZerohopError =>
  new ZerohopError('LISTING_TOO_LARGE', { what: `the permissions of \`${user}\``, limit })

export const keyOfUser = (user: User): string => toQuestion(user, '', '').user

export function resources(
  listings: Listings,
  user: User,
  action: Action,
  type: string,
  query?: ResourcesQuery | null,
): Keys {
  if (typeof type !== 'string') throw invalid('type', 'a resource type')
  const { tenant, attributes, context } = query ?? {}
  const question = toQuestion(user, action, { type, tenant: tenant ?? null, attributes: attributes ?? null }, context)
  return listings.resources(question.user, question.action, question, toPageQuery(query ?? {}))
}

export function users(listings: Listings, action: Action, resource: Resource, query?: UsersQuery | null): Keys {
  const question = toQuestion('', action, resource, query?.context)
  return listings.users(question.action, question, toPageQuery(query ?? {}))
}

export function authorizedUsers(
  listings: Listings,
  { action, resource, context }: AuthorizedUsersQuery,
): AuthorizedUsers {
  const question = toQuestion('', action, resource, context)
  const { tenant, users: found } = listings.authorizedUsers(question.action, question)
  return { resource: `${question.type}:${question.key ?? '*'}`, tenant, users: Object.fromEntries(found) }
}

export function actions(listings: Listings, user: User, resource: Resource, context?: Attributes | null): string[] {
  const question = toQuestion(user, '', resource, context)
  return listings.actions(question.user, question)
}

export function tenants(
  listings: Listings,
  user: User,
  action: Action,
  resource: Resource,
  context?: Attributes | null,
): Tenant[] {
  const question: Question = toQuestion(user, action, resource, context)
  return listings.tenants(question.user, question.action, question)
}

export function userTenants(listings: Listings, user: User): Tenant[] {
  return listings.userTenants(toQuestion(user, '', '').user)
}

export function roleAssignments(listings: Listings, query: RoleAssignmentsQuery): AssignmentRow[] {
  const perPage = Math.min(wholeNumber(query.perPage, 'perPage'), LISTING_PAGE_MAX)
  const text = (name: 'user' | 'role' | 'tenant' | 'resource' | 'resourceInstance') => {
    const value = query[name] ?? undefined
    if (value !== undefined && typeof value !== 'string') throw invalid(name, 'a key')
    return value
  }
  const filter = {
    user: text('user'),
    role: text('role'),
    tenant: text('tenant'),
    resource: text('resource'),
    resourceInstance: text('resourceInstance'),
  }
  if (query.after === undefined)
    return listings.assignments(filter, (wholeNumber(query.page, 'page') - 1) * perPage, perPage)
  if (query.page !== undefined) throw invalid('page', 'absent with `after`')
  return listings.assignmentsBehind(filter, readRow(query.after), perPage)
}

/** A row as a page has it. */
function readRow(row: unknown): AssignmentRow {
  const { user, role, tenant, resource_instance: instance = '' } = (row ?? {}) as Partial<AssignmentRow>
  for (const part of [user, role, tenant, instance])
    if (typeof part !== 'string') throw invalid('after', 'a row of a page')
  return row as AssignmentRow
}

function toPermissionQuery(filter: PermissionFilter): PermissionQuery {
  const tenants = copyKeys(filter.tenants, 'tenants')
  const types = copyKeys(filter.resourceTypes, 'resourceTypes')
  const instances = copyKeys(filter.resources, 'resources')
  const keepsTenants = types?.includes('__tenant') !== false
  const named = instances && new Set(instances)
  return {
    tenants,
    types,
    instances,
    // A tenant may be named by its entry or by its key.
    ownRow: (key) => keepsTenants && (named === undefined || named.has(`__tenant:${key}`) || named.has(key)),
  }
}

function toPageQuery({ after, limit }: Page): PageQuery {
  if (after !== undefined && after !== null && typeof after !== 'string') throw invalid('after', 'a key')
  const asked = limit === undefined || limit === null ? LISTING_PAGE_MAX : wholeNumber(limit, 'limit')
  return { after: after ?? undefined, limit: Math.min(asked, LISTING_PAGE_MAX) }
}

function wholeNumber(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) throw invalid(what, 'a number from 1')
  return value
}

function invalid(what: string, expected: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason: `${what} must be ${expected}` }, { path: [what] })
}
