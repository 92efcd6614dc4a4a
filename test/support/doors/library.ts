// The doors of the library: each form of a check, and each listing, whole and in pages.

import { TENANT_PREFIX } from '../../../src/image/list/list-permissions.ts'
import { parseInstant } from '../../../src/model/instant.ts'
import { LISTING_PAGE_MAX } from '../../../src/model/limits.ts'
import { markRow } from '../../../src/model/marked-row.ts'
import type { JsonObject } from '../../../src/model/objects.ts'
import type { Pdp } from '../../../src/pdp/pdp.ts'
import type { Keys, Page, UserPermissions } from '../../../src/pdp/pdp-listings.ts'
import type { User } from '../../../src/pdp/request.ts'
import { EVERYBODY } from '../../reference/everybody.ts'
import type { InstancePermissions, TenantPermissions } from '../../reference/listing.ts'
import type { Request } from '../../reference/request.ts'
import { isSuspended } from '../../reference/suspensions.ts'
import { listWays } from '../listings.ts'
import type { Asked, Clock } from './asked.ts'
import { type Awaitable, type Door, findLack, Lack } from './door.ts'

/** A resource type that no policy has: nobody is allowed anything on it. */
export const NO_TYPE = 'no type of any policy'

/** The library sets the time of a question that has none. */
export const LIBRARY_CLOCK: Clock = 'sets'
/** The servers that are asked accept the time of a question (PDP_ACCEPT_NOW). */
export const HTTP_CLOCK: Clock = 'accepts'

/** What such a server refuses. */
export function clockLack({ request }: Asked): Lack | undefined {
  const now = request.sent?.context?.now ?? null
  return findLack([now !== null && parseInstant(now) === undefined, 'it takes no time that is no instant'])
}

export const withAttributes = <T extends object>(named: T, attributes: JsonObject | undefined) =>
  attributes === undefined ? named : { ...named, attributes }

/** The user as the library takes it: where no one is signed in, null. */
export const toUser = (user: string, attributes?: JsonObject): User =>
  user === EVERYBODY ? null : attributes === undefined ? user : { key: user, attributes }

/** The question as POST /allowed takes it: there an action has no attributes. */
export const toBody = ({ user, action, resource: { isRow: _, ...resource }, sent = {} }: Request) => ({
  user: withAttributes({ key: user }, sent.user),
  action,
  resource: withAttributes(resource, sent.resource),
  ...(sent.context === undefined ? {} : { context: sent.context }),
})

/** The question as the library takes it. */
export const toCheck = (request: Request) => {
  const { action, sent = {} } = request
  const { resource, ...body } = toBody(request)
  return {
    ...body,
    user: request.user === EVERYBODY ? null : body.user,
    resource: request.resource.isRow === true ? markRow(resource) : resource,
    action: sent.action === undefined ? action : { key: action, attributes: sent.action },
  }
}

const named = (list: readonly { readonly key: string }[]): string[] => list.map(({ key }) => key)

export function listTenantPermissions(permissions: UserPermissions): TenantPermissions[] {
  const tenants = Object.values(permissions).filter((entry) => !('resource' in entry))
  return tenants.map(({ tenant, roles, permissions: allowed }) => ({ tenant: tenant.key, roles, permissions: allowed }))
}

export function listInstancePermissions(permissions: UserPermissions): InstancePermissions[] {
  return Object.entries(permissions)
    .filter(([, entry]) => 'resource' in entry)
    .map(([instance, { roles, permissions: allowed }]) => ({ instance, roles, permissions: allowed }))
}

/** The roles in force that are assigned to the user of the question: none of a suspended one (D16). */
export const findAssignments = ({ policy, request }: Asked) =>
  isSuspended(policy, request.user)
    ? []
    : [...policy.role_assignment.values()].filter(({ user }) => user === request.user)

/** They, as listings give them: without their times. */
export const listAssignments = (asked: Asked): unknown[] =>
  inOneForm(findAssignments(asked).map(({ valid_from: _, valid_until: __, ...assignment }) => assignment))

/** Rows without what is absent, in one order. */
export const inOneForm = (rows: readonly object[]): unknown[] =>
  rows
    .map((row) => Object.entries(row).filter(([, value]) => value != null))
    .map((entries) => Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))))
    .map((row) => JSON.stringify(row))
    .sort()

type Say = (pdp: Pdp, asked: Asked) => unknown

/** A door of the library that answers a check. */
const decides = (name: string, say: Say): Door => ({
  name,
  say: ({ desk }, asked) => say(desk.pdp, asked),
  right: (asked) => asked.check(LIBRARY_CLOCK),
})

const lists = (name: string, say: Say, right: (asked: Asked) => unknown): Door => ({
  name,
  say: ({ desk }, asked) => say(desk.pdp, asked),
  right,
})

const isSent = ({ sent }: Request): boolean => sent !== undefined && Object.keys(sent).length > 0
const isRelated = ({ resource }: Request): boolean => resource.relations !== undefined

const explained: (pdp: Pdp, asked: Asked, how: 'explain' | 'why') => boolean = (pdp, asked, how) => {
  const { user, action, resource, context } = toCheck(asked.request)
  return pdp[how](user, action, resource, context).allow
}

/** All pages of so many keys each, joined. */
export async function joined(list: (page: Page) => Awaitable<Keys>, limit: number): Promise<string[]> {
  const keys: string[] = []
  for (let after: string | undefined; ; ) {
    const page = await list({ limit, after: after ?? null })
    keys.push(...page.keys)
    if (page.next === undefined) return keys
    after = page.next
  }
}

/** Rows of a numbered page. */
export const ROWS = 100

/** All numbered pages, joined. */
export async function numbered<T>(list: (page: number) => Promise<readonly T[]>, rows: number): Promise<T[]> {
  const all: T[] = []
  for (let page = 1; ; page++) {
    const found = await list(page)
    all.push(...found)
    if (found.length < rows) return all
  }
}

const users = (pdp: Pdp, { request }: Asked, page: Page): Keys => {
  const { action, resource, context } = toCheck(request)
  return pdp.users(action, resource, { ...page, context: context ?? null })
}
const instances = (pdp: Pdp, { request }: Asked, page: Page): Keys => {
  const { user, action, resource, context } = toCheck(request)
  return pdp.resources(user, action, resource.type, { ...resource, ...page, context: context ?? null })
}

/** What a page says that is asked behind another one, which was asked before something else was written. */
interface OpenPage {
  readonly after: string | null
  readonly keys: readonly string[]
}
const PAGE = 1

/** Reads the next page each time, and starts again after the last one: writes happen between two pages. */
const overWrites = (
  name: string,
  list: (pdp: Pdp, asked: Asked, page: Page) => Keys,
  right: (asked: Asked) => readonly string[],
  compare = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right)),
): Door => ({
  name,
  say: ({ desk, kept }, asked): OpenPage => {
    const place = `${name} ${JSON.stringify(asked.request)}`
    const after = (kept.get(place) as string | undefined) ?? null
    const { keys, next } = list(desk.pdp, asked, { limit: PAGE, after })
    kept.set(place, next)
    return { after, keys }
  },
  right: (asked, answer): OpenPage => {
    const { after } = answer as OpenPage
    const isBehind = (key: string) => after === null || compare(key, after) > 0
    return { after, keys: right(asked).filter(isBehind).slice(0, PAGE) }
  },
})

const permissionsFor = (pdp: Pdp, { request: { user, sent = {} } }: Asked): UserPermissions =>
  pdp.userPermissions(toUser(user, sent.user), {}, sent.context)

/** All pages of permissions of two entries each, joined. */
export async function joinedPermissions(
  list: (page: Page) => Awaitable<{ permissions: UserPermissions; next?: string | null | undefined }>,
): Promise<UserPermissions> {
  const all: [string, UserPermissions[string]][] = []
  for (let after: string | null = null; ; ) {
    const { permissions, next } = await list({ limit: 2, after })
    all.push(...Object.entries(permissions))
    if (next == null) return Object.fromEntries(all)
    after = next
  }
}

const permissionPage = (pdp: Pdp, { request: { user, sent = {} } }: Asked, page: Page) =>
  pdp.userPermissionsPage(toUser(user, sent.user), page, sent.context)

/** The names of entries of permissions, those of tenants first. */
const entryNames = (asked: Asked): string[] => [
  ...asked.permissions(LIBRARY_CLOCK).map(({ tenant }) => `${TENANT_PREFIX}${tenant}`),
  ...asked.instancePermissions(LIBRARY_CLOCK).map(({ instance }) => instance),
]
const compareEntries = (left: string, right: string): number => {
  const [a, b] = [left, right].map((name) => Number(!name.startsWith(TENANT_PREFIX))) as [number, number]
  return a - b || Buffer.compare(Buffer.from(left), Buffer.from(right))
}

const ALL = { limit: LISTING_PAGE_MAX } as const

export const LIBRARY_DOORS: readonly Door[] = [
  decides('check', (pdp, { request }) => {
    const { user, action, resource, context } = toCheck(request)
    return pdp.check(user, action, resource, context)
  }),
  decides('check of texts', (pdp, { request }) => {
    const { user, action, resource } = request
    const { type, key, tenant } = resource
    const lack = findLack(
      [isSent(request), 'it takes no attributes'],
      [isRelated(request), 'it takes no relations'],
      [tenant !== undefined, 'it takes no tenant'],
      [request.resource.isRow === true, 'it takes no marked row'],
      [type.includes(':'), 'its words join type and key by a colon'],
    )
    return lack ?? pdp.check(toUser(user), action, key === undefined ? type : `${type}:${key}`)
  }),
  decides('check with every part', (pdp, { request }) => {
    const { user, action, resource, sent = {} } = request
    const { user: ofUser = null, action: ofAction = null, resource: ofResource = null, context = null } = sent
    const { key = null, tenant = null, relations = null } = resource
    const about = { type: resource.type, key, tenant, relations, attributes: ofResource }
    const named = resource.isRow === true ? markRow(about) : about
    const who = user === EVERYBODY ? null : { key: user, attributes: ofUser }
    return pdp.check(who, { key: action, attributes: ofAction }, named, context)
  }),
  decides('check without attributes', (pdp, { request }) => {
    const { user, action, resource } = request
    if (isRelated(request)) return new Lack('it takes no relations')
    if (resource.key !== undefined) return new Lack('it takes no key')
    return (
      pdp.checkWithoutAttributes(toUser(user), action, resource) ??
      new Lack('it answers only what no attribute can change')
    )
  }),
  decides('subject', (pdp, { request }) => {
    const { user, action, resource } = request
    const { type, key, tenant } = resource
    const lack = findLack(
      [isSent(request), 'it takes no attributes'],
      [isRelated(request), 'it takes no relations'],
      [type.includes(':'), 'its words join type and key by a colon'],
    )
    if (lack !== undefined) return lack
    return pdp
      .subject(toUser(user), { tenant: tenant ?? null })
      .can(action, key === undefined ? type : `${type}:${key}`)
  }),
  decides('permission', (pdp, { request }) => {
    const { user, action, resource } = request
    const { type, key, tenant } = resource
    const lack = findLack(
      [isSent(request), 'it takes no attributes'],
      [isRelated(request), 'it takes no relations'],
      [resource.isRow === true, 'it takes no marked row'],
      [type.includes(':'), 'its words join type and key by a colon'],
    )
    return lack ?? pdp.permission(action, type).allows(toUser(user), { tenant: tenant ?? null, key: key ?? null })
  }),
  decides('bulk check', (pdp, { request }) => {
    const other = { user: toUser(request.user), action: request.action, resource: NO_TYPE }
    const [first, asked, last] = pdp.bulkCheck([other, toCheck(request), other])
    if (first || last) throw new Error('a bulk check allows what there is not')
    return asked
  }),
  decides('explain', (pdp, asked) => explained(pdp, asked, 'explain')),
  decides('why', (pdp, asked) => explained(pdp, asked, 'why')),
  lists(
    'users',
    (pdp, asked) => users(pdp, asked, ALL).keys,
    (asked) => asked.users(LIBRARY_CLOCK),
  ),
  lists(
    'users in pages',
    (pdp, asked) => joined((page) => users(pdp, asked, page), 2),
    (asked) => asked.users(LIBRARY_CLOCK),
  ),
  overWrites('users in pages over writes', users, (asked) => asked.users(LIBRARY_CLOCK)),
  lists(
    'instances',
    (pdp, asked) => instances(pdp, asked, ALL).keys,
    (asked) => asked.instances(LIBRARY_CLOCK),
  ),
  lists(
    'instances in pages',
    (pdp, asked) => joined((page) => instances(pdp, asked, page), 2),
    (asked) => asked.instances(LIBRARY_CLOCK),
  ),
  overWrites('instances in pages over writes', instances, (asked) => asked.instances(LIBRARY_CLOCK)),
  lists(
    'actions',
    (pdp, { request }) => {
      const { user, resource, context } = toCheck(request)
      return pdp.actions(user, resource, context)
    },
    (asked) => asked.actions(LIBRARY_CLOCK),
  ),
  lists(
    'tenants',
    (pdp, { request }) => {
      const { user, action, resource, context } = toCheck(request)
      return named(pdp.tenants(user, action, resource, context))
    },
    (asked) => asked.tenants(LIBRARY_CLOCK),
  ),
  lists(
    'authorized users',
    (pdp, { request }) => {
      const { action, resource, context } = toCheck(request)
      return listWays(Object.entries(pdp.authorizedUsers({ action, resource, context: context ?? null }).users))
    },
    (asked) => asked.authorized(LIBRARY_CLOCK),
  ),
  lists(
    'tenants of the user',
    (pdp, { request }) => named(pdp.userTenants(toUser(request.user))),
    (asked) => asked.userTenants(),
  ),
  lists(
    'permissions in tenants',
    (pdp, asked) => listTenantPermissions(permissionsFor(pdp, asked)),
    (asked) => asked.permissions(LIBRARY_CLOCK),
  ),
  lists(
    'permissions on instances',
    (pdp, asked) => listInstancePermissions(permissionsFor(pdp, asked)),
    (asked) => asked.instancePermissions(LIBRARY_CLOCK),
  ),
  lists(
    'permissions in pages',
    async (pdp, asked) => {
      const joined = await joinedPermissions((page) => permissionPage(pdp, asked, page))
      return [listTenantPermissions(joined), listInstancePermissions(joined)]
    },
    (asked) => [asked.permissions(LIBRARY_CLOCK), asked.instancePermissions(LIBRARY_CLOCK)],
  ),
  overWrites(
    'permissions in pages over writes',
    (pdp, asked, page) => {
      const { permissions, next } = permissionPage(pdp, asked, page)
      return { keys: Object.keys(permissions), next }
    },
    entryNames,
    compareEntries,
  ),
  lists(
    'assigned roles',
    async (pdp, { request }) =>
      inOneForm(await numbered(async (page) => pdp.roleAssignments({ user: request.user, page, perPage: ROWS }), ROWS)),
    listAssignments,
  ),
  lists(
    'known users',
    (pdp, { request }) => [pdp.knows(toUser(request.user)), pdp.userKeys(LISTING_PAGE_MAX).sort()],
    ({ policy, request }) => [policy.user.has(request.user), [...policy.user.keys()].sort()],
  ),
  lists(
    'roles in tenants',
    (pdp) => pdp.tenantRoles().map(({ key, permissions }) => ({ key, permissions: [...permissions].sort() })),
    ({ policy }) =>
      [...policy.role]
        .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        .map(([key, { permissions }]) => ({ key, permissions: [...new Set(permissions)].sort() })),
  ),
]
