// /v1/users, /v1/tenants, /v1/role_assignments and the login of users into embedded pages.

import type { FastifyInstance } from 'fastify'
import { describe } from '../../http/description.ts'
import { everyObject, indexed, type Source } from '../../http/management/collection-pages.ts'
import type { RouteContext } from '../../http/management/route-context.ts'
import { isShown, notEnded } from '../../http/management/time-states.ts'
import { type Query, readText } from '../../http/page.ts'
import type { RoleAssignment } from '../../kinds/role-assignment.ts'
import { NumberedQuery } from '../../management/schemas/query-parameters.ts'
import { NoBody } from '../../management/schemas/schema-parts.ts'
import { ZerohopError } from '../../model/errors.ts'
import { EVERYBODY } from '../../model/keys.ts'
import { parseTenantRole } from '../../model/objects.ts'
import type { PlacedView } from '../../store/view.ts'
import { resolvePlace, v1Write } from './v1-context.ts'
import { v1List } from './v1-lists.ts'
import { v1Assignment, v1Tenant, v1User } from './v1-render.ts'
import {
  V1Assignment,
  V1AssignmentQuery,
  V1AssignmentRead,
  V1Login,
  V1Tenant,
  V1TenantRead,
  V1UnassignQuery,
  V1User,
  V1UserRead,
  v1Page,
} from './v1-schema.ts'

const read = { operation: 'facts.read', tag: 'v1' } as const
const change = { operation: 'facts.write', tag: 'v1' } as const
interface Named {
  Params: { ref: string }
}
interface Listed {
  Querystring: Query
}

export function v1FactRoutes(app: FastifyInstance, management: RouteContext): void {
  userRoutes(app, management)
  tenantRoutes(app, management)
  assignmentRoutes(app, management)
  app.post<{ Body: V1Login }>(
    '/v1/embeddables/login',
    describe({ operation: 'elements.login', tag: 'v1' }, 'Log a user in to embedded elements', { body: V1Login }),
    (request) => {
      const { view } = resolvePlace(management, request)
      view.require('user', request.body.userId, ['body', 'userId'])
      view.require('tenant', request.body.tenantId, ['body', 'tenantId'])
      throw new ZerohopError('ELEMENTS_MISSING')
    },
  )
}

function userRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<Listed>(
    '/v1/users',
    describe(read, 'List users', { querystring: NumberedQuery, response: { 200: v1Page(V1UserRead) } }),
    (request) =>
      v1List(
        management,
        request,
        everyObject(() => resolvePlace(management, request).view, 'user'),
        v1User,
      ),
  )
  app.put<{ Body: V1User }>(
    '/v1/users',
    describe(change, 'Create or change a user', { body: V1User, response: { 200: V1UserRead } }),
    async (request, reply) => {
      const user = await v1Write(management, request, reply, 'v1SyncUser', request.body)
      return v1User(resolvePlace(management, request), user)
    },
  )
  app.get<Named>('/v1/users/:ref', describe(read, 'Read a user', { response: { 200: V1UserRead } }), (request) => {
    const place = resolvePlace(management, request)
    return v1User(place, place.view.require('user', request.params.ref))
  })
  app.delete<Named>(
    '/v1/users/:ref',
    describe(change, 'Delete a user', { response: { 204: NoBody } }),
    async (request, reply) => {
      await v1Write(management, request, reply, 'v1DeleteUser', { ref: request.params.ref })
      return reply.code(204).send()
    },
  )
}

function tenantRoutes(app: FastifyInstance, management: RouteContext): void {
  const put = { body: V1Tenant, response: { 200: V1TenantRead } }
  type Body = { Body: V1Tenant }
  app.get<Listed>(
    '/v1/tenants',
    describe(read, 'List tenants', { querystring: NumberedQuery, response: { 200: v1Page(V1TenantRead) } }),
    (request) =>
      v1List(
        management,
        request,
        everyObject(() => resolvePlace(management, request).view, 'tenant'),
        v1Tenant,
      ),
  )
  app.put<Body>('/v1/tenants', describe(change, 'Create or change a tenant', put), async (request, reply) => {
    const tenant = await v1Write(management, request, reply, 'v1PutTenant', request.body)
    return v1Tenant(resolvePlace(management, request), tenant)
  })
  const one = describe(read, 'Read a tenant', { response: { 200: V1TenantRead } })
  app.get<Named>('/v1/tenants/:ref', one, (request) => {
    const place = resolvePlace(management, request)
    return v1Tenant(place, place.view.require('tenant', request.params.ref))
  })
  app.patch<Named & Body>('/v1/tenants/:ref', describe(change, 'Change a tenant', put), async (request, reply) => {
    const input = { ref: request.params.ref, fields: request.body }
    return v1Tenant(
      resolvePlace(management, request),
      await v1Write(management, request, reply, 'v1UpdateTenant', input),
    )
  })
  app.delete<Named>(
    '/v1/tenants/:ref',
    describe(change, 'Delete a tenant', { response: { 204: NoBody } }),
    async (request, reply) => {
      await v1Write(management, request, reply, 'v1DeleteTenant', { ref: request.params.ref })
      return reply.code(204).send()
    },
  )
}

function assignmentRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<Listed>(
    '/v1/role_assignments',
    describe(read, 'List role assignments', {
      querystring: V1AssignmentQuery,
      response: { 200: v1Page(V1AssignmentRead) },
    }),
    (request) => {
      const { query } = request
      const view = () => resolvePlace(management, request).view
      const { source, fits } = selectAssignments(view, query)
      return v1List(management, request, source, (place, row) => {
        // a row deleted while the list was read is left out
        const there = place.view.get('role_assignment', row.key)
        return there && fits(there) ? v1Assignment(place, there) : undefined
      })
    },
  )
  app.post<{ Body: V1Assignment }>(
    '/v1/role_assignments',
    describe(change, 'Create a role assignment', { body: V1Assignment, response: { 200: V1AssignmentRead } }),
    async (request, reply) => {
      const { assignment } = await v1Write(management, request, reply, 'v1Assign', request.body)
      return v1Assignment(resolvePlace(management, request), assignment)
    },
  )
  app.delete<Listed>(
    '/v1/role_assignments',
    describe(change, 'Delete a role assignment', { querystring: V1UnassignQuery, response: { 200: V1AssignmentRead } }),
    async (request, reply) => {
      const named = { role: requireText(request.query, 'role'), user: requireText(request.query, 'user') }
      const input = { ...named, scope: readText(request.query, 'scope') ?? null }
      const { assignment } = await v1Write(management, request, reply, 'v1Unassign', input)
      return v1Assignment(resolvePlace(management, request), assignment)
    },
  )
}

/** Tenant roles by user, tenant and role; an unknown key finds nothing. */
function selectAssignments(view: () => PlacedView, query: Query) {
  const now = view()
  const readKey = (kind: 'user' | 'tenant' | 'role', name: string): string | null | undefined => {
    const ref = readText(query, name)
    return ref === undefined ? undefined : (now.find(kind, ref)?.key ?? null)
  }
  const user = readKey('user', 'user')
  const role = readKey('role', 'role')
  const byScope = readKey('tenant', 'scope')
  const tenant = readKey('tenant', 'tenant') ?? byScope
  const source: Source<RoleAssignment> =
    typeof user === 'string'
      ? indexed(view, 'assignments_of_user', user)
      : typeof tenant === 'string'
        ? indexed(view, 'assignments_of_tenant', tenant)
        : everyObject(view, 'role_assignment')
  const is = (wanted: string | null | undefined, value: string) => wanted === undefined || wanted === value
  const shown = notEnded()
  const fits = (one: RoleAssignment) =>
    one.resource_instance === null &&
    one.user !== EVERYBODY &&
    parseTenantRole(one.role) === undefined &&
    isShown(one, shown) &&
    is(user, one.user) &&
    is(tenant, one.tenant) &&
    is(role, one.role)
  return { source, fits }
}

function requireText(query: Query, name: string): string {
  const value = readText(query, name)
  if (value !== undefined) return value
  throw new ZerohopError('INPUT_INVALID', { reason: 'field required' }, { path: ['query', name] })
}
