// Role assignments: /v2/facts/{p}/{e}/role_assignments. DELETE carries a body; filters take ids or keys and may be
// repeated.
import type { FastifyInstance } from 'fastify'
import type { RoleAssignment as Stored } from '../../../kinds/role-assignment.ts'
import { rolesNamed } from '../../../management/objects/role-assignments.ts'
import {
  RoleAssignmentCreate,
  RoleAssignmentDetailed,
  RoleAssignmentDetailedQuery,
  RoleAssignmentList,
  RoleAssignmentQuery,
  RoleAssignmentRead,
  UnassignQuery,
} from '../../../management/schemas/role-assignments.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { EVERYBODY } from '../../../model/keys.ts'
import { FILTER_VALUES_MAX } from '../../../model/limits.ts'
import { instanceKey, partKey } from '../../../model/objects.ts'
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readFlag, readText, readTexts } from '../../page.ts'
import { type Filter, indexed, referring } from '../collection-pages.ts'
import { type Asked, listRoute } from '../collection-routes.ts'
import { assignmentDetailed, assignmentRead, withIds } from '../render/facts.ts'
import { type RouteContext, write } from '../route-context.ts'
import { listTimed } from '../time-states.ts'

const ASSIGNMENTS = '/v2/facts/:p/:e/role_assignments'
const change = { operation: 'facts.write', tag: 'role_assignments' } as const
type WithBody = { Body: RoleAssignmentCreate; Querystring: Query }

export function assignmentRoutes(app: FastifyInstance, management: RouteContext): void {
  listRoute(app, management, {
    path: ASSIGNMENTS,
    tag: 'role_assignments',
    summary: 'List role assignments',
    operation: 'facts.read',
    query: RoleAssignmentQuery,
    form: 'array or page',
    rows: ({ view, query }, page, counted) => {
      readFlag(query, 'detailed') // refused before the search
      return listAssignments(view, query, page, counted)
    },
    answer: RoleAssignmentRead,
    response: RoleAssignmentList,
    print: (asked, rows) => printAssignments(asked, rows, readFlag(asked.query, 'detailed')),
  })
  listRoute(app, management, {
    path: `${ASSIGNMENTS}/detailed`,
    tag: 'role_assignments',
    summary: 'List role assignments with their objects',
    operation: 'facts.read',
    query: RoleAssignmentDetailedQuery,
    form: 'page',
    rows: ({ view, query }, page) => listAssignments(view, query, page, true),
    answer: RoleAssignmentDetailed,
    print: (asked, rows) => printAssignments(asked, rows, true),
  })
  const made = { body: RoleAssignmentCreate, response: { 200: RoleAssignmentRead } }
  app.post<WithBody>(ASSIGNMENTS, describe(change, 'Create a role assignment', made), async (request, reply) => {
    return assignmentRead(request.scope, await write(management, request, reply, 'assign', request.body))
  })
  const put = { body: RoleAssignmentCreate, response: { 200: RoleAssignmentRead, 201: RoleAssignmentRead } }
  app.put<WithBody>(
    ASSIGNMENTS,
    describe(change, 'Create or change a role assignment', put),
    async (request, reply) => {
      const { object, created } = await write(management, request, reply, 'putAssignment', request.body)
      reply.code(created ? 201 : 200)
      return assignmentRead(request.scope, object)
    },
  )
  const response = { 200: RoleAssignmentRead, 204: NoBody }
  const gone = { querystring: UnassignQuery, body: RoleAssignmentCreate, response }
  app.delete<WithBody>(ASSIGNMENTS, describe(change, 'Delete a role assignment', gone), async (request, reply) => {
    const returned = readFlag(request.query, 'return_deleted')
    const gone = await write(management, request, reply, 'unassign', request.body)
    return returned ? assignmentRead(request.scope, gone) : reply.code(204).send()
  })
}

/** Role assignments of a list, of one tenant where the path names it. */
export const listAssignments = (view: () => StoredView, query: Query, page: Page, counted: boolean, tenant?: string) =>
  listTimed(view, 'role_assignment', query, page, counted, (visible) => listFilters(visible, query, tenant))

/** Assignments of a list; `detailed` with the objects that they join. */
export function printAssignments({ scope, view }: Asked, rows: readonly Stored[], detailed = false) {
  const now = view()
  // a row whose user went while a search was looking is left out
  const there = rows.filter(({ key }) => now.get('role_assignment', key))
  return there.map((row) => (detailed ? assignmentDetailed(scope, now, row) : assignmentRead(scope, withIds(now, row))))
}

/**
 * `user`, `role`, `tenant` (ids or keys) and `ticket`, which may be repeated, `resource`, `resource_instance`. What names
 * nothing finds nothing.
 */
function listFilters(view: () => StoredView, query: Query, tenant?: string): Filter<Stored>[] {
  const now = view()
  const findKey = (kind: 'user' | 'tenant', ref: string) => now.find(kind, ref)?.key ?? []
  const users = readNames(query, 'user', (ref) => (ref === EVERYBODY ? ref : findKey('user', ref)))
  const tenants = tenant === undefined ? readNames(query, 'tenant', (ref) => findKey('tenant', ref)) : new Set([tenant])
  const roles = readNames(query, 'role', (ref) => rolesNamed(now, ref))
  const tickets = readNames(query, 'ticket', (ticket) => ticket)
  const ofTicket = ofNames(view, 'assignments_of_ticket', tickets, ({ ticket }) => ticket)
  return [...joined(view, users, tenants, roles), ...ofTicket, ...ofInstances(view, query)]
}

type Names = ReadonlySet<string> | undefined

/** The names that the values of a parameter stand for; undefined when it is not sent. */
function readNames(query: Query, parameter: string, find: (ref: string) => string | readonly string[]): Names {
  const refs = readTexts(query, parameter).filter((ref) => ref !== '')
  return refs.length === 0 ? undefined : new Set(refs.flatMap(find))
}

/** Filters by user, tenant and role. A pair of them has an index of its own, worth it for few values. */
function joined(view: () => StoredView, users: Names, tenants: Names, roles: Names): Filter<Stored>[] {
  const ofUser = ofNames(view, 'assignments_of_user', users, ({ user }) => user)
  const ofTenant = ofNames(view, 'assignments_of_tenant', tenants, ({ tenant }) => tenant)
  const ofRole = ofNames(view, 'assignments_of_role', roles, roleName)
  if (users && tenants && users.size * tenants.size <= FILTER_VALUES_MAX) {
    const indexes = ['assignments_of_user_in_tenant', 'instance_assignments_of_user_in_tenant'] as const
    return [paired(view, indexes, users, tenants, [...ofUser, ...ofTenant]), ...ofRole]
  }
  if (roles && tenants && roles.size * tenants.size <= FILTER_VALUES_MAX) {
    return [paired(view, ['assignments_of_role_in_tenant'], roles, tenants, [...ofRole, ...ofTenant]), ...ofUser]
  }
  return [...ofUser, ...ofTenant, ...ofRole]
}

function ofNames(
  view: () => StoredView,
  index: 'assignments_of_user' | 'assignments_of_tenant' | 'assignments_of_role' | 'assignments_of_ticket',
  names: Names,
  nameOf: (row: Stored) => string | undefined,
): Filter<Stored>[] {
  if (names === undefined) return []
  return [
    { sources: [...names].map((name) => indexed(view, index, name)), fits: (row) => names.has(nameOf(row) ?? '') },
  ]
}

function paired(
  view: () => StoredView,
  indexes: readonly PairIndex[],
  firsts: ReadonlySet<string>,
  seconds: ReadonlySet<string>,
  both: readonly Filter<Stored>[],
): Filter<Stored> {
  const pairs = [...firsts].flatMap((first) => [...seconds].map((second) => `${first}/${second}`))
  const sources = indexes.flatMap((index) => pairs.map((pair) => indexed(view, index, pair)))
  return { sources, fits: (row) => both.every(({ fits }) => fits(row)) }
}

type PairIndex =
  | 'assignments_of_user_in_tenant'
  | 'instance_assignments_of_user_in_tenant'
  | 'assignments_of_role_in_tenant'

/** Filters by the resource type and the instance that a role is held on. */
function ofInstances(view: () => StoredView, query: Query): Filter<Stored>[] {
  const now = view()
  const filters: Filter<Stored>[] = []
  const type = readText(query, 'resource')
  if (type !== undefined) {
    const key = now.find('resource', type)?.key
    filters.push(referring(view, 'assignments_on_resource', key, (row) => instanceType(row.resource_instance)))
  }
  const instance = readText(query, 'resource_instance')
  if (instance !== undefined) {
    const inType = type === undefined ? undefined : now.get('resource_instance', instanceKey(type, instance))
    const key = (now.find('resource_instance', instance) ?? inType)?.key
    filters.push(referring(view, 'assignments_on_instance', key, (row) => row.resource_instance))
  }
  return filters
}

/** As roles are named by `rolesNamed`. */
function roleName({ role, resource_instance: instance }: Stored): string {
  return instance === null ? role : partKey(instanceType(instance) ?? '', role)
}

function instanceType(instance: string | null): string | undefined {
  return instance?.slice(0, instance.indexOf(':'))
}
