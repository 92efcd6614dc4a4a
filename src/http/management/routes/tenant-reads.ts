// What the administrators of a tenant read of its environment: /v2/facts/{p}/{e}/tenants/{tenant}/resources, …/decisions,
// …/history and …/why. Each answer is about the tenant alone, whichever key asks.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { makeFilter } from '../../../decision-log/audit-filter.ts'
import { readAudit } from '../../../decision-log/audit-queries.ts'
import { presentFields } from '../../../kinds/fields.ts'
import type { Giving } from '../../../kinds/giving.ts'
import type { Resource } from '../../../kinds/resource.ts'
import { noteFields } from '../../../kinds/role-assignment.ts'
import { keyedSince, type Tenant } from '../../../kinds/tenant.ts'
import { projectTimes, timeFields } from '../../../kinds/times.ts'
import type { Actor, HistoryEntry } from '../../../log/change.ts'
import { readHistory } from '../../../management/history/history.ts'
import { changesOfTenant, type TenantChange } from '../../../management/history/tenant-history.ts'
import { listRolesToRequest } from '../../../management/objects/roles-to-request.ts'
import type { PastRevisions } from '../../../management/past/past-revisions.ts'
import { isPermitted } from '../../../management/rules/permitted.ts'
import { listPermissions } from '../../../management/rules/tenant-roles.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import { makeLongPage } from '../../../management/schemas/schema-parts.ts'
import {
  type TenantChangeRead,
  TenantDecision,
  TenantDecisionQuery,
  TenantEvent,
  TenantHistoryQuery,
  TenantQuestion,
  TenantResource,
  TenantWhy,
} from '../../../management/schemas/tenant-reads.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { EVERYBODY } from '../../../model/keys.ts'
import { membershipKey } from '../../../model/objects.ts'
import type { Explanation } from '../../../pdp/pdp.ts'
import type { StoredView, View } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { pageBody, type Query, readFlag, readText, readTexts, readTime } from '../../page.ts'
import { everyObject, paged } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { askedPage, nextCursor } from '../cursors.ts'
import { fieldPrinter } from '../render/fields.ts'
import { printTime } from '../render/stamps.ts'
import { type RouteContext, requestView } from '../route-context.ts'
import { pastPdp } from './past.ts'

const printTimes = fieldPrinter(timeFields)
const TENANT = '/v2/facts/:p/:e/tenants/:ref'
const read = { operation: 'members.read', tag: 'tenants' } as const
interface OfTenant {
  Params: { ref: string }
  Querystring: Query
}

/** @param past answers Why; without it that route is missing */
export function tenantReadRoutes(
  app: FastifyInstance,
  management: RouteContext,
  past: PastRevisions | undefined,
): void {
  resourcesRoute(app, management)
  decisionsRoute(app, management)
  historyRoute(app, management)
  if (past !== undefined) whyRoute(app, management, past)
}

const requireTenant = (management: RouteContext, request: FastifyRequest<OfTenant>): Tenant =>
  requestView(management, request).require('tenant', request.params.ref)

const isMember = (view: View, { key }: Tenant, user: string): boolean =>
  view.get('membership', membershipKey(key, user)) !== undefined

function resourcesRoute(app: FastifyInstance, management: RouteContext): void {
  const printNamed = ({ key, name, description }: Pick<Resource, 'key' | 'name' | 'description'>) => ({
    key,
    name,
    description,
  })
  listRoute(app, management, {
    path: `${TENANT}/resources`,
    ...read,
    summary: 'List the resource types and their actions for a tenant',
    query: PageQuery,
    form: 'page',
    rows: async ({ view, ref }, page) => {
      view().require('tenant', ref)
      return paged(everyObject(view, 'resource'), page)
    },
    answer: TenantResource,
    print: (_asked, resources) =>
      resources.map((one) => ({ id: one.id, ...printNamed(one), actions: one.actions.map(printNamed) })),
  })
}

function decisionsRoute(app: FastifyInstance, management: RouteContext): void {
  const { store } = management
  const schema = { querystring: TenantDecisionQuery, response: { 200: makeLongPage(TenantDecision) } }
  app.get<OfTenant>(
    `${TENANT}/decisions`,
    describe(read, 'List recorded decisions in a tenant', schema),
    async (request, reply) => {
      const { query, scope } = request
      const tenant = requireTenant(management, request)
      const view = requestView(management, request)
      const page = askedPage(store, request)
      const users = readValues(query, 'users')
      const known = users.filter((user) => user === EVERYBODY || isMember(view, tenant, user))
      const until = readTime(query, 'timestamp_to')
      const asked = {
        users: known,
        actions: readValues(query, 'action'),
        resources: readValues(query, 'resources'),
        tenants: [tenant.key],
        decision: readText(query, 'decision') === undefined ? undefined : readFlag(query, 'decision'),
        pdps: [],
      }
      // a tenant before may have had the same key
      const since = Math.max(keyedSince(tenant), readTime(query, 'timestamp_from') ?? 0)
      if (users.length > 0 && known.length === 0) return { ...pageBody([], 0, page), pagination_count: 0 }
      const { rows, total, reachable, ...end } = await readAudit(management.audit, {
        environment: scope.environment.id,
        since,
        until: until === undefined ? undefined : until + 999,
        ...makeFilter(asked, ''),
        page,
      })
      const now = requestView(management, request)
      const data = rows.map(({ at, user, action, resource_type, resource_key, decision }) => ({
        timestamp: printTime(at),
        user: user === EVERYBODY || isMember(now, tenant, user) ? user : null,
        action,
        resource_type,
        resource_key,
        decision,
      }))
      const next = nextCursor(store, request, reply, end, total)
      return { ...pageBody(data, total, page, next), pagination_count: reachable }
    },
  )
}

const readValues = (query: Query, name: string): readonly string[] =>
  readTexts(query, name).filter((text) => text !== '')

function historyRoute(app: FastifyInstance, management: RouteContext): void {
  const { store } = management
  const schema = { querystring: TenantHistoryQuery, response: { 200: makeLongPage(TenantEvent) } }
  app.get<OfTenant>(
    `${TENANT}/history`,
    describe(read, 'List what was changed in a tenant', schema),
    async (request, reply) => {
      const { query, scope } = request
      const tenant = requireTenant(management, request)
      const page = askedPage(store, request)
      const until = readTime(query, 'timestamp_until')
      const findChanges = ({ log, revision, at }: HistoryEntry) =>
        changesOfTenant(tenant, { at, changes: store.changesWith(log, revision, tenant.key) })
      const { rows, total, reachable, ...end } = await readHistory(store, {
        logs: [scope.environment.id],
        fits: (entry) => (until === undefined || entry.at <= until) && findChanges(entry).length > 0,
        since: Math.max(keyedSince(tenant), readTime(query, 'timestamp_from') ?? 0),
        page,
      })
      const control = store.view(scope.organization)
      const data: TenantEvent[] = rows.map((entry) => ({
        at: printTime(entry.at),
        api_key: findKeyOfTenant(control, tenant, entry.by),
        changes: findChanges(entry).map(printChange),
      }))
      const next = nextCursor(store, request, reply, end, total)
      return { ...pageBody(data, total, page, next), pagination_count: reachable }
    },
  )
}

function printChange({ value, ...change }: TenantChange): TenantChangeRead {
  if (value === undefined) return change
  return { ...printTimes(change, projectTimes(value), ''), ...presentFields(noteFields, value) }
}

/** The key that wrote, if it is one of the tenant and still there. */
function findKeyOfTenant(control: View, { id: tenant }: Tenant, { api_key_id: id }: Actor): TenantEvent['api_key'] {
  const key = id === null ? undefined : control.find('api_key', id)
  return key?.tenant_id === tenant ? { id: key.id, name: key.name } : null
}

function whyRoute(app: FastifyInstance, management: RouteContext, past: PastRevisions): void {
  app.post<OfTenant & { Body: TenantQuestion }>(
    `${TENANT}/why`,
    describe(read, 'Explain a decision in a tenant', { body: TenantQuestion, response: { 200: TenantWhy } }),
    async (request) => {
      const { body, scope } = request
      const view = requestView(management, request)
      const tenant = requireTenant(management, request)
      const user = requireMember(view, tenant, body.user)
      const { resource, instance } = requireResource(view, tenant, body)
      const { pdp } = await pastPdp(management, past, scope, undefined, undefined)
      const on = { type: resource.key, tenant: tenant.key, ...(instance === undefined ? {} : { key: instance }) }
      const explanation = pdp.explain(user, body.action, on)
      const { allow, because } = explanation
      const denied = { user, action: body.action, type: resource.key, instance, tenant: tenant.key }
      return {
        allow,
        ...{ user, action: body.action, tenant: tenant.key },
        resource: instance === undefined ? resource.key : `${resource.key}:${instance}`,
        reason: findReason(explanation),
        because: because
          .filter(({ source }) => source !== 'abac')
          .map(({ role, everybody = false, resource_instance = null, valid_until: end }) => ({
            ...{ role, everybody, resource_instance },
            ...(end === undefined ? {} : { valid_until: printTime(end) }),
          })),
        offered: allow ? [] : findOffered(requestView(management, request), tenant, resource.key, body.action),
        requestable: allow ? [] : listRolesToRequest(requestView(management, request), denied, Date.now()),
      }
    },
  )
}

/** @throws OBJECT_NOT_FOUND unless the user belongs to the tenant */
function requireMember(view: View, tenant: Tenant, ref: string): string {
  const user = view.find('user', ref)
  if (user !== undefined && isMember(view, tenant, user.key)) return user.key
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'user', ref }, { path: ['body', 'user'] })
}

/** The type and the key of the instance that a question names. @throws OBJECT_NOT_FOUND for that of another tenant */
function requireResource(view: View, tenant: Tenant, { resource: ref, action }: TenantQuestion) {
  const at = ref.indexOf(':')
  const resource = view.require('resource', at < 0 ? ref : ref.slice(0, at), ['body', 'resource'])
  if (!resource.actions.some(({ key }) => key === action))
    throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'action', ref: action }, { path: ['body', 'action'] })
  if (at < 0) return { resource, instance: undefined }
  const key = ref.slice(at + 1)
  const stored = view.get('resource_instance', `${resource.key}:${key}`)
  if (stored?.tenant === tenant.key) return { resource, instance: key }
  throw new ZerohopError('OBJECT_NOT_FOUND', { kind: 'resource_instance', ref }, { path: ['body', 'resource'] })
}

function findReason({ allow, because, code, rebac, abac }: Explanation): TenantWhy['reason'] {
  if (allow) return because.some(({ source }) => source !== 'abac') ? 'role' : 'rule'
  if (code === 'user_suspended') return 'suspended'
  return rebac === 'undecided' || abac === 'undecided' ? 'undecided' : 'none'
}

/** The roles that keys of the tenant may assign and that have the permission, also by what they extend. */
function findOffered(view: StoredView, tenant: Tenant, type: string, action: string): TenantWhy['offered'] {
  const permission = `${type}:${action}`
  const isOffered = ({ assignable_by_tenants }: Giving): boolean => assignable_by_tenants === true
  const inTenant = [...[...view.list('role')].filter(isOffered), ...view.by('roles_of_tenant', tenant.key)]
    .filter(({ key }) => listPermissions(view, [key]).has(permission))
    .map(({ key }) => ({ role: key, resource: null }))
  const onInstances = [...view.by('resource_roles_of_resource', type)]
    .filter((role) => isOffered(role) && isPermitted(view, role, permission))
    .map(({ role, resource }) => ({ role, resource }))
  return [...inTenant, ...onInstances]
}
