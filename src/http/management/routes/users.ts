// Users and their roles: /v2/facts/{p}/{e}/users. PUT is sync: it creates who is missing (201) and replaces who is
// there (200).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { User } from '../../../kinds/user.ts'
import { refuseEverybody } from '../../../management/objects/role-assignments.ts'
import { findRoleInTenants } from '../../../management/rules/tenant-roles.ts'
import { endedSpan } from '../../../management/rules/time-spans.ts'
import { RoleInTenant } from '../../../management/schemas/role-assignments.ts'
import { SuspensionSent } from '../../../management/schemas/schema-parts.ts'
import {
  OneUserQuery,
  UserCreate,
  UserQuery,
  UserRead,
  UserReplace,
  UserUpdate,
} from '../../../management/schemas/users.ts'
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readFlag, readText } from '../../page.ts'
import { everyObject, type Filter, filtered, indexed, type Rows } from '../collection-pages.ts'
import { type Asked, collectionRoutes, FACTS } from '../collection-routes.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { type UserForm, userRead } from '../render/facts.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'
import { found, leavesFew, textFilter } from '../text-search.ts'
import { collectLed, findLeftOut, hasRoleShown, type LeftOut, readShown, type Shown } from '../time-states.ts'
import { assignmentWrites } from './role-assignments.ts'

const USER = '/v2/facts/:p/:e/users/:ref'
const USER_FIELD = ['body', 'user']
interface Named {
  Params: { ref: string }
}

/** Of routes that write the user whom the path names. */
const changeUser = (management: RouteContext) =>
  ({
    operation: 'facts.write',
    tag: 'users',
    tagged: (request: FastifyRequest): Tagged => {
      const view = requestView(management, request)
      const object = view.require('user', (request.params as Named['Params']).ref)
      return { kind: 'user', object, show: () => userRead(request.scope, view, object) }
    },
  }) as const

export function userRoutes(app: FastifyInstance, management: RouteContext): void {
  const change = changeUser(management)
  collectionRoutes(app, management, {
    path: USER,
    tag: 'users',
    noun: 'user',
    operations: FACTS,
    tagged: 'user',
    find: ({ view, ref }) => view().require('user', ref),
    readQuery: OneUserQuery,
    answer: UserRead,
    print: printUsers,
    list: {
      query: UserQuery,
      form: 'page',
      rows: ({ view, query }, page) => {
        readFlag(query, 'include_resource_instance_roles') // refused before the search
        return listUsers(view, query, page)
      },
      print: printListed,
    },
    create: { body: UserCreate, useCase: 'createUser' },
    fact: 'users',
    update: { body: UserUpdate, useCase: 'updateUser' },
    remove: 'deleteUser',
  })
  app.put<Named & { Body: UserReplace }>(
    USER,
    describe(change, 'Replace a user', { body: UserReplace, response: { 200: UserRead, 201: UserRead } }),
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      const { object, created } = await write(management, request, reply, 'replaceUser', input)
      sendEtag(reply, object).code(created ? 201 : 200)
      return userRead(request.scope, requestView(management, request), object)
    },
  )
  suspensionRoutes(app, management)
  userRoleRoutes(app, management)
}

function suspensionRoutes(app: FastifyInstance, management: RouteContext): void {
  const response = { 200: UserRead }
  const change = changeUser(management)
  app.put<Named & { Body: SuspensionSent }>(
    `${USER}/suspension`,
    describe(change, 'Suspend a user', { body: SuspensionSent, response }),
    async (request, reply) => {
      const input = { ref: request.params.ref, suspension: request.body }
      const user = await write(management, request, reply, 'suspendUser', input)
      sendEtag(reply, user)
      return userRead(request.scope, requestView(management, request), user)
    },
  )
  app.delete<Named>(`${USER}/suspension`, describe(change, 'Resume a user', { response }), async (request, reply) => {
    const user = await write(management, request, reply, 'resumeUser', { ref: request.params.ref })
    sendEtag(reply, user)
    return userRead(request.scope, requestView(management, request), user)
  })
}

function userRoleRoutes(app: FastifyInstance, management: RouteContext): void {
  const of = { operation: 'facts.write', tag: 'users' } as const
  const options = (summary: string, schema: object) => describe(of, summary, { body: RoleInTenant, ...schema })
  const toInput = ({ params, body }: FastifyRequest<Named & { Body: RoleInTenant }>) => ({
    user: refuseEverybody(params.ref, USER_FIELD),
    ...body,
  })
  assignmentWrites(app, management, `${USER}/roles`, options, toInput, {
    POST: 'Assign a role to a user',
    DELETE: 'Unassign a role from a user',
  })
}

function printUsers({ scope, view, query }: Asked, users: readonly User[], form: UserForm = {}) {
  const now = view()
  const shown = readShown(query)
  return users.map((user) => userRead(scope, now, user, { ...form, shown }))
}

/** Users of a list; with their roles on instances, when these are asked for. */
export const printListed = (asked: Asked, users: readonly User[], form: UserForm = {}) =>
  printUsers(asked, users, { ...form, withInstances: readFlag(asked.query, 'include_resource_instance_roles') })

/** Users by `search` (key, email, names) and by `role` (a tenant role, held in any tenant in one of the states). */
async function listUsers(view: () => StoredView, query: Query, page: Page): Promise<Rows<User>> {
  const search = readText(query, 'search')
  const shown = readShown(query)
  const roleRef = readText(query, 'role')
  const role = roleRef && findRoleInTenants(view(), roleRef)?.key
  const { hidden, fits } = role ? await withoutRole(view, role, shown) : NOBODY_LEFT_OUT
  const visible = () => view().without('user', hidden)
  const filters: Filter<User>[] = []
  // users are listed under a role without naming it themselves
  if (roleRef) filters.push({ sources: role ? [indexed(visible, 'users_of_role', role)] : [], fits: () => true })
  if (fits !== undefined) filters.push({ fits })
  if (search !== undefined && !leavesFew(filters)) {
    const within = role ? { within: { index: 'users_of_role', value: role } as const } : {}
    const hasRole = role && hidden.length > 0 ? ({ key }: User) => hasRoleShown(view(), key, role, shown) : fits
    return found(view, 'user', { parts: [search], ...within }, page, {
      counted: true,
      ...(hasRole && { fits: hasRole }),
    })
  }
  if (search !== undefined) filters.push(textFilter('user', [search]))
  return filtered(everyObject(view, 'user'), filters, page, true)
}

const NOBODY_LEFT_OUT: LeftOut<User> = { hidden: [], fits: undefined }

/** How users are left out who have the role in none of the states. */
function withoutRole(view: () => StoredView, role: string, shown: Shown): Promise<LeftOut<User>> {
  const span = endedSpan('role_assignment', shown.now)
  const rows = view().countBy('users_of_role', role)
  const fits = ({ key }: User) => hasRoleShown(view(), key, role, shown)
  return findLeftOut(view, { shown, span, rows }, fits, () =>
    collectLed(view, span, 'user', (now, { user, role: held, resource_instance: instance }) =>
      held === role && instance === null && !hasRoleShown(now, user, role, shown) ? user : undefined,
    ),
  )
}
