// The listings (docs/pdp-api.md): what a user may do, the tenants of a user, who may do something, and which roles are
// assigned. Each is exactly what checks allow (D12: listings agree with checks), at one revision; a listing with an
// undecided check fails as a whole and names the check (D13: undecided is not a deny).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import type { AssignmentRow } from '../../pdp/pdp-listings.ts'
import { nextLink } from '../next-link.ts'
import { type Query, readPage, readText } from '../page.ts'
import { digest, makeToken, readToken } from '../page-token.ts'
import { requireKnown, requireNoSpaces } from '../query-names.ts'
import { JSON_TYPE } from './allowed.ts'
import {
  readFilterQuery,
  readPageOfBody,
  readPermissionsQuery,
  readTenantsQuery,
  readUsersQuery,
} from './check-bodies.ts'
import { pdpAt, withNow } from './now.ts'
import type { PdpRouteDeps } from './route-deps.ts'
import { areRows, toRow } from './rows-header.ts'

type Listing = (request: FastifyRequest, body: unknown, acceptNow: boolean) => unknown

/** A listing as JSON, and the revision that it is of. */
export interface ListingText {
  readonly text: string
  readonly revision: number
}

/** The permissions of a user, by tenant and instance: whole, or the page that the body asks for. */
export async function listPermissions(
  { pdp }: FastifyRequest,
  body: unknown,
  acceptNow: boolean,
): Promise<ListingText> {
  const asked = pdp!
  const { user, filter, context } = readPermissionsQuery(body)
  const { revision, environment } = asked.take()
  const page = readPageOfBody(body, environment)
  const at = pdpAt(asked, context, acceptNow)
  const timed = withNow(at, context, acceptNow)
  if (page === undefined) {
    // Each part becomes text in its turn: for the whole that would take too long at once.
    const whole = await at.userPermissionsInTurns(user, filter, timed, (part) => JSON.stringify(part).slice(1, -1))
    return { text: `{${whole.parts.join(',')}}`, revision: whole.revision }
  }
  const { limit, after, nextToken } = page
  const { permissions, next } = at.userPermissionsPage(user, { ...filter, limit, after }, timed)
  const text = JSON.stringify({ permissions, next: next === undefined ? null : nextToken(next) })
  return { text, revision }
}

/** The users who may do it. */
export const usersWhoMay: Listing = (request, body, acceptNow) => {
  const { context, action, resource } = readUsersQuery(body)
  const at = pdpAt(request.pdp!, context, acceptNow)
  return at.authorizedUsers({ action, resource: toRow(request, resource), context: withNow(at, context, acceptNow) })
}

/** For which rows of an application's own the user may do it. */
const makeFilter: Listing = (request, body, acceptNow) => {
  const { user, action, type, context, tenant, isTenantColumnAuthoritative } = readFilterQuery(body)
  const at = pdpAt(request.pdp!, context, acceptNow)
  const asked = {
    tenant,
    context: withNow(at, context, acceptNow),
    tenantColumnIsAuthoritative: isTenantColumnAuthoritative || areRows(request),
  }
  return at.filter(user, action, type, asked)
}

/** The tenants in which the user has a role. */
export const listTenants: Listing = ({ pdp }, body, acceptNow) => {
  const { user, context } = readTenantsQuery(body)
  return pdpAt(pdp!, context, acceptNow).userTenants(user)
}

/** A page of assigned roles, by its number. */
export const listAssignments: Listing = ({ pdp }, sent) => {
  const query = (sent ?? {}) as Query
  const { number: page, rows: perPage } = readPage(query)
  return pdp!.roleAssignments({ ...readAssignmentFilter(query), page, perPage })
}

function readAssignmentFilter(query: Query) {
  const text = (name: string): string | null => readText(query, name) ?? null
  return {
    user: text('user'),
    role: text('role'),
    tenant: text('tenant'),
    resource: text('resource'),
    resourceInstance: text('resource_instance'),
  }
}

const ASSIGNMENT_FILTERS = ['user', 'role', 'tenant', 'resource', 'resource_instance', 'page', 'per_page', 'after']

/**
 * A page of assigned roles, by its number or behind the last row of another page, and the link to the next one while it is full.
 * @throws CURSOR_INVALID for an `after` of other filters or of another environment
 */
function listLinked(request: FastifyRequest, reply: FastifyReply): AssignmentRow[] {
  const pdp = request.pdp!
  const query = request.query as Query
  const filter = readAssignmentFilter(query)
  const { number: page, rows: perPage } = readPage(query)
  const { environment } = pdp.take()
  const makeCursor = ({ user, tenant, resource_instance = '', role }: AssignmentRow): string => {
    const place = [user, tenant, resource_instance, role]
    return makeToken([digest([environment, filter, place]), ...place])
  }
  const sent = readText(query, 'after')
  const rows =
    sent === undefined
      ? pdp.roleAssignments({ ...filter, page, perPage })
      : pdp.roleAssignments({ ...filter, after: readCursor(query, sent, makeCursor), perPage })
  const last = rows.at(-1)
  if (last !== undefined && rows.length === perPage) reply.header('link', nextLink(request, makeCursor(last)))
  return rows
}

/** The row that a cursor names. @throws INPUT_INVALID beside a number, CURSOR_INVALID */
function readCursor(query: Query, sent: string, makeCursor: (row: AssignmentRow) => string): AssignmentRow {
  const at = { path: ['query', 'after'] }
  if (query.page !== undefined)
    throw new ZerohopError('INPUT_INVALID', { reason: 'a page is asked for by one of `page` and `after`' }, at)
  const [, ...place] = readToken(sent) ?? []
  const [user, tenant, instance, role] = place as string[]
  if (place.length !== 4 || !place.every((part) => typeof part === 'string'))
    throw new ZerohopError('CURSOR_INVALID', {}, at)
  const row = {
    user: user!,
    role: role!,
    tenant: tenant!,
    ...(instance === '' ? {} : { resource_instance: instance! }),
  }
  if (makeCursor(row) !== sent) throw new ZerohopError('CURSOR_INVALID', {}, at)
  return row
}

export function listingRoutes(app: FastifyInstance, { authenticate, acceptNow }: PdpRouteDeps): void {
  const send = (request: FastifyRequest, reply: FastifyReply, found: unknown) =>
    reply
      .header('x-revision', request.pdp!.take().revision)
      .header('content-type', JSON_TYPE)
      .send(JSON.stringify(found))
  const serve = (url: string, listing: Listing): void => {
    app.post(url, { onRequest: authenticate }, (request, reply) => {
      send(request, reply, listing(request, request.body, acceptNow))
    })
  }
  serve('/filter', makeFilter)
  app.post('/user-permissions', { onRequest: authenticate }, async (request, reply) => {
    const { text, revision } = await listPermissions(request, request.body, acceptNow)
    return reply.header('x-revision', revision).header('content-type', JSON_TYPE).send(text)
  })
  serve('/authorized_users', usersWhoMay)
  serve('/user-tenants', listTenants)
  app.get('/local/role_assignments', { onRequest: authenticate }, (request, reply) => {
    requireNoSpaces(request)
    requireKnown(request, ASSIGNMENT_FILTERS)
    send(request, reply, listLinked(request, reply))
  })
}
