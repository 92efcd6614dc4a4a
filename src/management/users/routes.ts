// Users and their roles: /v2/facts/{p}/{e}/users. PUT is sync: it creates who is missing (201) and replaces who is there (200).
import type { FastifyInstance } from 'fastify'
import { type Page, pageBody, type Query, readFlag, readPage, readText } from '../../http/page.ts'
import type { User } from '../../model/objects.ts'
import type { StoredView } from '../../store/view.ts'
import {
  everyObject,
  indexed,
  jsonMatcher,
  matcher,
  mentioned,
  paged,
  type Rows,
  searched,
} from '../http/collection-pages.ts'
import { assignmentRead, userRead } from '../http/render-facts.ts'
import { type RouteContext, viewOf, write } from '../http/route-context.ts'
import { RoleAssignmentRead, RoleInTenant, UnassignQuery } from '../role-assignments/schema.ts'
import { NoBody, pageOf } from '../schema-parts.ts'
import { UserCreate, UserQuery, UserRead, UserReplace, UserUpdate } from './schema.ts'

const USERS = '/v2/facts/:p/:e/users'
const USER = `${USERS}/:ref`
const read = { operation: 'facts.read' } as const
const change = { operation: 'facts.write' } as const
interface Named {
  Params: { ref: string }
}

export function userRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<{ Querystring: Query }>(
    USERS,
    { config: read, schema: { querystring: UserQuery, response: { 200: pageOf(UserRead) } } },
    async (request) => {
      const { query, scope } = request
      const page = readPage(query)
      const withInstances = readFlag(query, 'include_resource_instance_roles')
      const { rows, total } = await listUsers(() => viewOf(management, request), query, page)
      const view = viewOf(management, request)
      const data = rows.map((user) => userRead(scope, view, user, withInstances))
      return pageBody(data, total, page)
    },
  )
  app.post<{ Body: UserCreate }>(
    USERS,
    { config: change, schema: { body: UserCreate, response: { 200: UserRead } } },
    async (request, reply) => {
      const user = await write(management, request, reply, 'createUser', request.body)
      return userRead(request.scope, viewOf(management, request), user)
    },
  )
  app.get<Named>(USER, { config: read, schema: { response: { 200: UserRead } } }, (request) => {
    const view = viewOf(management, request)
    return userRead(request.scope, view, view.require('user', request.params.ref))
  })
  app.put<Named & { Body: UserReplace }>(
    USER,
    { config: change, schema: { body: UserReplace, response: { 200: UserRead, 201: UserRead } } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      const { object, created } = await write(management, request, reply, 'replaceUser', input)
      reply.code(created ? 201 : 200)
      return userRead(request.scope, viewOf(management, request), object)
    },
  )
  app.patch<Named & { Body: UserUpdate }>(
    USER,
    { config: change, schema: { body: UserUpdate, response: { 200: UserRead } } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      const user = await write(management, request, reply, 'updateUser', input)
      return userRead(request.scope, viewOf(management, request), user)
    },
  )
  app.delete<Named>(USER, { config: change, schema: { response: { 204: NoBody } } }, async (request, reply) => {
    await write(management, request, reply, 'deleteUser', { ref: request.params.ref })
    return reply.code(204).send()
  })
  userRoleRoutes(app, management)
}

function userRoleRoutes(app: FastifyInstance, management: RouteContext): void {
  type Roles = Named & { Body: RoleInTenant; Querystring: Query }
  const options = { config: change, schema: { body: RoleInTenant, response: { 200: RoleAssignmentRead } } }
  app.post<Roles>(`${USER}/roles`, options, async (request, reply) => {
    const input = { user: request.params.ref, ...request.body }
    return assignmentRead(request.scope, await write(management, request, reply, 'assign', input))
  })
  const response = { 200: RoleAssignmentRead, 204: NoBody }
  const gone = { config: change, schema: { querystring: UnassignQuery, body: RoleInTenant, response } }
  app.delete<Roles>(`${USER}/roles`, gone, async (request, reply) => {
    const returned = readFlag(request.query, 'return_deleted')
    const input = { user: request.params.ref, ...request.body }
    const gone = await write(management, request, reply, 'unassign', input)
    return returned ? assignmentRead(request.scope, gone) : reply.code(204).send()
  })
}

/** Users by `search` (key, email, names) and by `role` (a tenant role, held in any tenant). */
async function listUsers(view: () => StoredView, query: Query, page: Page): Promise<Rows<User>> {
  const search = readText(query, 'search')
  const role = readText(query, 'role')
  const finds = userMatcher(search)
  if (role !== undefined) {
    const key = view().find('role', role)?.key
    if (key === undefined) return { rows: [], total: 0 }
    const source = indexed(view, 'users_of_role', key)
    return search === undefined ? paged(source, page) : searched(source, page, (user) => keep(user, finds), true)
  }
  if (search === undefined) return paged(everyObject(view, 'user'), page)
  return searched(mentioned(view, 'user', jsonMatcher(search)), page, (user) => keep(user, finds), true)
}

function keep(user: User | undefined, finds: (user: User) => boolean): User | undefined {
  return user && finds(user) ? user : undefined
}

/** A test for the search text of users. */
export function userMatcher(search: string | undefined): (user: User) => boolean {
  if (search === undefined) return () => true
  const finds = matcher(search)
  return ({ key, email, first_name, last_name }) => finds(key, email, first_name, last_name)
}
