// Listings beside each other: as they are defined, and as an image has them, in one shape.
import type { Image } from '../../src/image/image.ts'
import type { NamedRow, PermissionQuery, UserEntry } from '../../src/image/list/listings.ts'
import { LISTING_PAGE_MAX } from '../../src/model/limits.ts'
import {
  actionsAllowed,
  authorizedUsers,
  type InstancePermissions,
  instancesAllowed,
  listInstancePermissions,
  type TenantPermissions,
  tenantsAllowed,
  tenantsWithRoles,
  usersAllowed,
  type Way as WayToAllow,
} from '../reference/listing.ts'
import type { Policy } from '../reference/policy.ts'
import type { Request, Sent } from '../reference/request.ts'
import { toAbout } from './parts.ts'

type Awaitable<T> = T | Promise<T>

/**
 * What a decider lists beside the permissions of a user in tenants, each sorted. The part of a request that is listed
 * is not looked at.
 */
export interface Listings {
  instancePermissions(user: string, sent?: Sent): Awaitable<InstancePermissions[]>
  users(request: Request): Awaitable<string[]>
  instances(request: Request): Awaitable<string[]>
  actions(request: Request): Awaitable<string[]>
  tenants(request: Request): Awaitable<string[]>
  authorized(request: Request): Awaitable<[user: string, ways: WayToAllow[]][]>
  userTenants(user: string): Awaitable<string[]>
}

/** Listings as they are defined. */
export const definedListings = (policy: Policy): Listings => ({
  instancePermissions: (user, sent) => listInstancePermissions(policy, user, sent),
  users: (request) => usersAllowed(policy, request),
  instances: (request) => instancesAllowed(policy, request),
  actions: (request) => actionsAllowed(policy, request),
  tenants: (request) => tenantsAllowed(policy, request),
  authorized: (request) => authorizedUsers(policy, request),
  userTenants: (user) => tenantsWithRoles(policy, user),
})

/** Listings of whatever image is the current one. */
export const makeListings = (current: () => Image): Listings => {
  const all = { limit: LISTING_PAGE_MAX }
  const names = (tenants: readonly { readonly key: string }[]) => tenants.map(({ key }) => key)
  return {
    instancePermissions: (user, sent) => {
      return instancesIn(permissionRows(current(), user, sent))
    },
    users: (request) => current().listings.users(request.action, toAbout(request), all).keys,
    instances: (request) => current().listings.resources(request.user, request.action, toAbout(request), all).keys,
    actions: (request) => current().listings.actions(request.user, toAbout(request)),
    tenants: (request) => names(current().listings.tenants(request.user, request.action, toAbout(request))),
    authorized: (request) => listWays(current().listings.authorizedUsers(request.action, toAbout(request)).users),
    userTenants: (user) => names(current().listings.userTenants(user)),
  }
}

/** The ways of users, as the definition gives them. */
export const listWays = (users: Iterable<readonly [string, readonly UserEntry[]]>): [string, WayToAllow[]][] =>
  [...users].map(([user, entries]) => [user, entries.map(({ resource, role }): WayToAllow => [resource, role])])

/** How a list of permissions is read. */
export interface Reading {
  /** rows of a page; each page begins anew behind the one before; absent: one list is read in parts */
  readonly limit?: number
  /** work of a part or a page */
  readonly work?: number
  /** as in RolesOnInstances */
  readonly walkMax?: number
}

/** All that a user may do, read to the end. */
export function permissionRows(
  { listings }: Image,
  user: string,
  sent?: Sent,
  { limit, work, walkMax }: Reading = {},
  query: PermissionQuery = {},
): NamedRow[] {
  const open = (after?: string) => listings.permissions(user, query, sent, { after, walkMax })
  const rows: NamedRow[] = []
  let after = ''
  for (let list = open(); list !== undefined; ) {
    const part = listings.permissionPart(list, limit ?? LISTING_PAGE_MAX, work)
    rows.push(...part.rows)
    if (part.next === undefined) return rows
    const isOnwards = part.rows.length > 0 || part.next !== after
    after = part.next
    if (limit !== undefined && isOnwards) list = open(after)
  }
  return rows
}

const instancesIn = (rows: readonly NamedRow[]): InstancePermissions[] =>
  rows.flatMap(([instance, row]) =>
    'resource' in row ? [{ instance, roles: row.roles, permissions: row.permissions }] : [],
  )

const tenantsIn = (rows: readonly NamedRow[]): TenantPermissions[] =>
  rows.flatMap(([, row]) =>
    'resource' in row ? [] : [{ tenant: row.tenant.key, roles: row.roles, permissions: row.permissions }],
  )

/** The permissions of a user in tenants, as the definition gives them. */
export const tenantPermissionsIn = (image: Image, user: string, sent?: Sent): TenantPermissions[] =>
  tenantsIn(permissionRows(image, user, sent))
