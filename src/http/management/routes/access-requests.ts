// Access requests: /v2/facts/{p}/{e}/access_requests.
import type { FastifyInstance } from 'fastify'
import {
  type AccessRequest,
  REQUEST_STATES,
  type RequestState,
  requestState,
  STORED_STATES,
} from '../../../kinds/access-request.ts'
import { roleKeyIn } from '../../../kinds/kind.ts'
import type { Tenant } from '../../../kinds/tenant.ts'
import { isApprover, requireActor } from '../../../management/objects/approvers.ts'
import { rolesNamed } from '../../../management/objects/role-assignments.ts'
import { closedSpan, openSpan } from '../../../management/rules/time-spans.ts'
import {
  AccessRequestApprove,
  AccessRequestCreate,
  AccessRequestDecide,
  AccessRequestQuery,
  AccessRequestRead,
} from '../../../management/schemas/access-requests.ts'
import { ZerohopError } from '../../../model/errors.ts'
import type { Span, StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readText, readTexts } from '../../page.ts'
import { withActingUser } from '../acting-user.ts'
import { everyObject, type Filter, filtered, indexed, placed, type Rows, referring } from '../collection-pages.ts'
import { collectionRoutes, FACTS } from '../collection-routes.ts'
import { accessRequestRead } from '../render/access-requests.ts'
import { isWithinOwn, type RouteContext, write } from '../route-context.ts'
import { collectPlaces } from '../time-states.ts'

const REQUEST = '/v2/facts/:p/:e/access_requests/:ref'
const change = { operation: 'request.write', tag: 'access_requests' } as const

/** What may become of a request by a call, with the body of it. */
const DECISIONS = [
  ['approve', 'Approve an access request', AccessRequestApprove, 'approveAccessRequest'],
  ['deny', 'Deny an access request', AccessRequestDecide, 'denyAccessRequest'],
  ['cancel', 'Cancel an access request', AccessRequestDecide, 'cancelAccessRequest'],
  ['revoke', 'Revoke an access request', AccessRequestDecide, 'revokeAccessRequest'],
] as const

export function accessRequestRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: REQUEST,
    tag: 'access_requests',
    noun: 'access request',
    operations: FACTS,
    find: ({ view, ref }) => view().require('access_request', ref),
    answer: AccessRequestRead,
    print: ({ scope }, requests) => {
      const now = Date.now()
      return requests.map((request) => accessRequestRead(scope, request, now))
    },
    list: {
      query: AccessRequestQuery,
      form: 'page',
      rows: ({ view, query }, page) => listRequests(view, query, page),
    },
  })
  app.post<{ Body: AccessRequestCreate }>(
    REQUEST.slice(0, REQUEST.lastIndexOf('/')),
    describe(change, 'Create an access request', { body: AccessRequestCreate, response: { 200: AccessRequestRead } }),
    async (request, reply) => {
      const made = await write(management, request, reply, 'createAccessRequest', withActingUser(request))
      return accessRequestRead(request.scope, made, Date.now())
    },
  )
  for (const [verb, summary, body, useCase] of DECISIONS) {
    app.post<{ Params: { ref: string }; Body: AccessRequestApprove }>(
      `${REQUEST}/${verb}`,
      describe(change, summary, { body, response: { 200: AccessRequestRead } }),
      async (request, reply) => {
        const input = { ref: request.params.ref, fields: withActingUser(request), isWithinOwn: isWithinOwn(management) }
        const decided = await write(management, request, reply, useCase, input)
        return accessRequestRead(request.scope, decided, Date.now())
      },
    )
  }
}

/** Where a list says for which user it is. */
export const AS = ['query', 'as']

/**
 * Requests, of one tenant where the path names it, and there of those that a user made or may decide about `as`; by `state`, `user`, `role`, `tenant`, which may be repeated, and `resource_instance`, in the order of
 * creation.
 * @throws INPUT_INVALID; of `as` OBJECT_NOT_FOUND, REQUEST_REFUSED
 */
export async function listRequests(
  view: () => StoredView,
  query: Query,
  page: Page,
  tenant?: Tenant,
): Promise<Rows<AccessRequest>> {
  const now = Date.now()
  const states = readStates(query)
  const filters = listFilters(view, query, tenant)
  if (states !== undefined) {
    const fits = (row: AccessRequest) => states.has(requestState(row, now))
    // few of many are open: their places are read from an index; those of one tenant are few
    const places = tenant === undefined ? await collectPlaces(view, stateSpans(states, now)) : undefined
    filters.push(places === undefined ? { fits } : { sources: [placed(view, 'access_request', places)], fits })
  }
  return filtered(everyObject(view, 'access_request'), filters, page, true)
}

/** @throws INPUT_INVALID */
function readStates(query: Query): ReadonlySet<RequestState> | undefined {
  const sent = readTexts(query, 'state').filter((text) => text !== '')
  if (sent.length === 0) return undefined
  const isState = (text: string): text is RequestState => (REQUEST_STATES as readonly string[]).includes(text)
  if (sent.every(isState)) return new Set(sent)
  const reason = `permitted: ${REQUEST_STATES.join(', ')}`
  throw new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', 'state'] })
}

/** The parts of the index by state that have the requests in these states. */
function stateSpans(states: ReadonlySet<RequestState>, now: number): Span[] {
  const derived = { pending: 'expired', approved: 'ended' } as const
  return STORED_STATES.flatMap((state): Span[] => {
    if (state !== 'pending' && state !== 'approved') return states.has(state) ? [openSpan(state, -1)] : []
    return [
      ...(states.has(state) ? [openSpan(state, now)] : []),
      ...(states.has(derived[state]) ? [closedSpan(state, now)] : []),
    ]
  })
}

function listFilters(view: () => StoredView, query: Query, tenant?: Tenant): Filter<AccessRequest>[] {
  const now = view()
  const filters: Filter<AccessRequest>[] = []
  const byName = (
    parameter: string,
    index: 'requests_of_user' | 'requests_of_role' | 'requests_of_tenant',
    find: (ref: string) => readonly string[],
    nameOf: (row: AccessRequest) => string,
  ) => {
    const refs = readTexts(query, parameter).filter((ref) => ref !== '')
    if (refs.length === 0) return
    const names = new Set(refs.flatMap(find))
    const sources = [...names].map((name) => indexed(view, index, name))
    filters.push({ sources, fits: (row) => names.has(nameOf(row)) })
  }
  const keys = (kind: 'user' | 'tenant') => (ref: string) => {
    const key = now.find(kind, ref)?.key
    return key === undefined ? [ref] : [key] // requests outlive what they name
  }
  byName('user', 'requests_of_user', keys('user'), ({ user }) => user)
  if (tenant === undefined) byName('tenant', 'requests_of_tenant', keys('tenant'), (row) => row.tenant)
  else {
    const sources = [indexed(view, 'requests_of_tenant', tenant.key)]
    // another tenant may have had the key before
    filters.push(
      { sources, fits: (row) => row.tenant_id === tenant.id },
      { fits: (row) => row.tenant_id === tenant.id },
    )
    const as = readText(query, 'as')
    if (as !== undefined) {
      const instant = Date.now()
      const user = requireActor(now, { as }, instant, AS)
      filters.push({ fits: (row) => row.user === user.key || isApprover(view(), row, user, instant) })
    }
  }
  byName(
    'role',
    'requests_of_role',
    (ref) => [...new Set([ref, ...rolesNamed(now, ref)])],
    ({ role, resource_instance: instance }) => roleKeyIn(role, instance),
  )
  const instance = readText(query, 'resource_instance')
  if (instance !== undefined) {
    const key = now.find('resource_instance', instance)?.key ?? instance
    filters.push(referring(view, 'requests_on_instance', key, (row) => row.resource_instance))
  }
  return filters
}
