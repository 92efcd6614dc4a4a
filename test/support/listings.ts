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
import { askedAt, type Request, type Sent, sentAt } from '../reference/request.ts'
import { policyIn } from './instants.ts'
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

/** Listings as they are defined, at an instant, or without one where the policy has no times. */
export function definedListings(policy: Policy, now?: number): Listings {
  const timed = (request: Request) => (now === undefined ? request : askedAt(request, now))
  const sentWith = (sent?: Sent) => (now === undefined ? sent : sentAt(sent, now))
  return {
    instancePermissions: (user, sent) => listInstancePermissions(policyIn(policy, now), user, sentWith(sent)),
    users: (request) => usersAllowed(policyIn(policy, now), timed(request)),
    instances: (request) => instancesAllowed(policyIn(policy, now), timed(request)),
    actions: (request) => actionsAllowed(policyIn(policy, now), timed(request)),
    tenants: (request) => tenantsAllowed(policyIn(policy, now), timed(request)),
    authorized: (request) => authorizedUsers(policyIn(policy, now), timed(request)),
    userTenants: (user) => tenantsWithRoles(policyIn(policy, now), user),
  }
}

/** Listings of whatever image is the current one; `inTime` asks at an instant. */
export const makeListings = (current: () => Image, inTime = <T>(ask: () => T): T => ask()): Listings => {
  const all = { limit: LISTING_PAGE_MAX }
  const names = (tenants: readonly { readonly key: string }[]) => tenants.map(({ key }) => key)
  const listing = <T>(list: (listings: Image['listings']) => T): T => inTime(() => list(current().listings))
  return {
    instancePermissions: (user, sent) => inTime(() => instancesIn(permissionRows(current(), user, sent))),
    users: (request) => listing((of) => of.users(request.action, toAbout(request), all).keys),
    instances: (request) => listing((of) => of.resources(request.user, request.action, toAbout(request), all).keys),
    actions: (request) => listing((of) => of.actions(request.user, toAbout(request))),
    tenants: (request) => listing((of) => names(of.tenants(request.user, request.action, toAbout(request)))),
    authorized: (request) => listing((of) => listWays(of.authorizedUsers(request.action, toAbout(request)).users)),
    userTenants: (user) => listing((of) => names(of.userTenants(user))),
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
export const tenantPermissionsIn = (
  image: Image,
  user: string,
  sent?: Sent,
  query: PermissionQuery = {},
): TenantPermissions[] => tenantsIn(permissionRows(image, user, sent, {}, query))
