// Role assignments: /v2/facts/{p}/{e}/role_assignments. DELETE carries a body; filters take ids or keys and may be
// repeated.
import type { FastifyInstance, FastifyRequest, RouteGenericInterface } from 'fastify'
import type { RoleAssignment as Stored } from '../../../kinds/role-assignment.ts'
import type { Assignment } from '../../../management/objects/fact-writes.ts'
import { type Assigned, rolesNamed } from '../../../management/objects/role-assignments.ts'
import {
  AssignmentGone,
  RoleAssignmentWritten,
  SETTLED_QUERY,
  UnassignQuery,
} from '../../../management/schemas/fact-writes.ts'
import {
  RoleAssignmentCreate,
  RoleAssignmentDetailed,
  RoleAssignmentDetailedQuery,
  RoleAssignmentList,
  RoleAssignmentQuery,
  RoleAssignmentRead,
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
import { writeOne, writeSettled } from '../fact-writes.ts'
import { assignmentDetailed, assignmentRead, withIds } from '../render/facts.ts'
import { type RouteContext, write } from '../route-context.ts'
import { listTimed } from '../time-states.ts'

const ASSIGNMENTS = '/v2/facts/:p/:e/role_assignments'
const change = { operation: 'facts.write', tag: 'role_assignments' } as const
type WithBody = { Body: RoleAssignmentCreate }

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
  const options = (summary: string, schema: object) =>
    describe(change, summary, { body: RoleAssignmentCreate, ...schema })
  assignmentWrites<WithBody>(app, management, ASSIGNMENTS, options, ({ body }) => body)
}

const SUMMARIES = {
  POST: 'Create a role assignment',
  PUT: 'Create or change a role assignment',
  DELETE: 'Delete a role assignment',
}

/** Role assignments are created, changed and deleted at several paths, in one form. */
export function assignmentWrites<R extends RouteGenericInterface>(
  app: FastifyInstance,
  management: RouteContext,
  path: string,
  options: (summary: string, schema: object) => ReturnType<typeof describe>,
  toInput: (request: FastifyRequest<R>) => Assignment,
  summaries: Readonly<Partial<Record<keyof typeof SUMMARIES, string>>> = SUMMARIES,
): void {
  const { POST, PUT, DELETE } = summaries
  const fact = 'assignments'
  const made = { querystring: SETTLED_QUERY.POST, response: { 200: RoleAssignmentWritten } }
  if (POST)
    app.post(path, options(POST, made), async (request, reply) => {
      const input = toInput(request as FastifyRequest<R>)
      const sent = { fact, method: 'POST', items: [input] } as const
      const one = await writeOne<Assigned>(management, request, reply, 'assign', sent)
      if (one !== undefined) return { ...assignmentRead(request.scope, one.object), ...one.shown }
      return assignmentRead(request.scope, await write(management, request, reply, 'assign', input))
    })
  const put = { querystring: SETTLED_QUERY.PUT, response: { 200: RoleAssignmentWritten, 201: RoleAssignmentWritten } }
  if (PUT)
    app.put(path, options(PUT, put), async (request, reply) => {
      const input = toInput(request as FastifyRequest<R>)
      const sent = { fact, method: 'PUT', items: [input] } as const
      const one = await writeOne<Assigned>(management, request, reply, 'putAssignment', sent)
      const { object, created } = one
        ? { object: one.object, created: one.shown.outcome === 'created' }
        : await write(management, request, reply, 'putAssignment', input)
      reply.code(created ? 201 : 200)
      return { ...assignmentRead(request.scope, object), created, ...one?.shown }
    })
  const gone = {
    querystring: UnassignQuery,
    response: { 200: AssignmentGone, 204: NoBody },
  }
  if (DELETE)
    app.delete(path, options(DELETE, gone), async (request, reply) => {
      const input = toInput(request as FastifyRequest<R>)
      const returned = readFlag(request.query as Query, 'return_deleted')
      const report = await writeSettled(management, request, reply, 'unassign', {
        fact,
        method: 'DELETE',
        items: [input],
      })
      if (report !== undefined) return report
      const gone = await write(management, request, reply, 'unassign', input)
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
