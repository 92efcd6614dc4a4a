// Tenants and the users who belong to them: /v2/facts/{p}/{e}/tenants.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Membership } from '../../../kinds/membership.ts'
import type { RoleAssignment } from '../../../kinds/role-assignment.ts'
import type { User } from '../../../kinds/user.ts'
import { findRoleInTenants } from '../../../management/rules/tenant-roles.ts'
import { endedInTenant } from '../../../management/rules/time-spans.ts'
import { MembershipWritten, SETTLED_QUERY, WriteReport } from '../../../management/schemas/fact-writes.ts'
import {
  AssignmentInTenant,
  RoleAssignmentRead,
  TenantAssignmentQuery,
} from '../../../management/schemas/role-assignments.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { UserCreate, UserQuery, UserRead, UserWritten } from '../../../management/schemas/users.ts'
import { assignmentKey, membershipKey } from '../../../model/objects.ts'
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readFlag, readText } from '../../page.ts'
import { readActingUser } from '../acting-user.ts'
import { indexed, NO_ROWS, paged, type Rows, type Source, searched } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { writeOne, writeSettled } from '../fact-writes.ts'
import { userRead } from '../render/facts.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'
import { foundLinked, textFilter } from '../text-search.ts'
import {
  collectLed,
  collectPlaces,
  findLeftOut,
  isMemberShown,
  isShown,
  type LeftOut,
  readShown,
  type Shown,
} from '../time-states.ts'
import { plainRoutes } from './plain-kinds.ts'
import { assignmentWrites, listAssignments, printAssignments } from './role-assignments.ts'
import { tenantInviteRoutes } from './tenant-invites.ts'
import { tenantRequestRoutes } from './tenant-requests.ts'
import { tenantRoleRoutes } from './tenant-roles.ts'
import { printListed } from './users.ts'

const TENANT = '/v2/facts/:p/:e/tenants/:ref'
const ASSIGNMENTS = `${TENANT}/role_assignments`
const change = { operation: 'facts.write', tag: 'tenants' } as const
const changeMembers = { operation: 'members.write', tag: 'tenants' } as const
interface Named {
  Params: { ref: string }
}

export function tenantRoutes(app: FastifyInstance, management: RouteContext): void {
  plainRoutes(app, management, 'tenant')
  tenantUserRoutes(app, management)
  memberRoutes(app, management)
  tenantInviteRoutes(app, management)
  tenantRequestRoutes(app, management)
  tenantRoleRoutes(app, management)
}

function tenantUserRoutes(app: FastifyInstance, management: RouteContext): void {
  listRoute(app, management, {
    path: `${TENANT}/users`,
    tag: 'tenants',
    summary: 'List the users of a tenant',
    operation: 'members.read',
    query: UserQuery,
    form: 'page',
    rows: ({ view, ref, query }, page) => {
      readFlag(query, 'include_resource_instance_roles') // refused before the search
      return listTenantUsers(view, ref, query, page)
    },
    answer: UserRead,
    print(asked, users) {
      const tenant = asked.view().find('tenant', asked.ref)
      return printListed(asked, users, tenant === undefined ? {} : { claimsIn: tenant.key })
    },
  })
  const made = { querystring: SETTLED_QUERY.POST, body: UserCreate, response: { 200: UserWritten } }
  app.post<Named & { Body: UserCreate }>(
    `${TENANT}/users`,
    describe(change, 'Create a user in a tenant', made),
    async (request, reply) => {
      const input = { tenant: request.params.ref, user: request.body }
      const sent = { fact: 'tenant_users', method: 'POST', items: [input] } as const
      const one = await writeOne<User>(management, request, reply, 'addTenantUser', sent)
      const { object } = one ?? (await write(management, request, reply, 'addTenantUser', input))
      return { ...userRead(request.scope, requestView(management, request), object), ...one?.shown }
    },
  )
  type Member = { Params: { ref: string; user: string } }
  const membership = { response: { 200: MembershipWritten, 201: MembershipWritten } }
  app.put<Member>(
    `${TENANT}/users/:user`,
    describe(change, 'Put a user into a tenant', membership),
    async (request, reply) => {
      const input = { tenant: request.params.ref, user: request.params.user }
      const { object, created } = await write(management, request, reply, 'putMembership', input)
      reply.code(created ? 201 : 200)
      return { user: object.user, tenant: object.tenant, created }
    },
  )
  const gone = { querystring: SETTLED_QUERY.DELETE, response: { 200: WriteReport, 204: NoBody } }
  app.delete<Member>(
    `${TENANT}/users/:user`,
    describe(changeMembers, 'Remove a user from a tenant', gone),
    async (request, reply) => {
      const input = { tenant: request.params.ref, user: request.params.user }
      const sent = { fact: 'memberships', method: 'DELETE', items: [input] } as const
      const report = await writeSettled(management, request, reply, 'removeTenantUser', sent)
      if (report !== undefined) return report
      await write(management, request, reply, 'removeTenantUser', input)
      return reply.code(204).send()
    },
  )
}

/** Roles in one tenant: what its own administrators see and change, with a key of level `tenant`. */
function memberRoutes(app: FastifyInstance, management: RouteContext): void {
  const toInput = (request: FastifyRequest<Named & { Body: AssignmentInTenant }>) => ({
    ...request.body,
    tenant: request.params.ref,
    by: readActingUser(management, request),
  })
  listRoute(app, management, {
    path: ASSIGNMENTS,
    tag: 'tenants',
    summary: 'List the role assignments in a tenant',
    operation: 'members.read',
    query: TenantAssignmentQuery,
    form: 'page',
    rows: ({ view, ref, query }, page) => {
      const tenant = view().require('tenant', ref).key
      return listAssignments(view, query, page, true, tenant)
    },
    answer: RoleAssignmentRead,
    print: printAssignments,
  })
  const options = (summary: string, schema: object) =>
    describe(changeMembers, summary, { body: AssignmentInTenant, ...schema })
  assignmentWrites<Named & { Body: AssignmentInTenant }>(app, management, ASSIGNMENTS, options, toInput, {
    POST: 'Assign a role in a tenant',
    PUT: 'Assign a role in a tenant, or change an assignment',
    DELETE: 'Unassign a role in a tenant',
  })
}

/** Users of a tenant by `search`, by `role` (held in this tenant) and by `state` of what makes them one. */
async function listTenantUsers(view: () => StoredView, ref: string, query: Query, page: Page): Promise<Rows<User>> {
  const tenant = view().require('tenant', ref).key
  const search = readText(query, 'search')
  const shown = readShown(query)
  const roleRef = readText(query, 'role')
  const role = roleRef === undefined ? undefined : findRoleInTenants(view(), roleRef)?.key
  if (roleRef !== undefined && role === undefined) return NO_ROWS
  const { hidden, fits } = await withoutState(view, tenant, role, shown)
  const visible = () => view().without(role === undefined ? 'membership' : 'role_assignment', hidden)
  const source: Source<Link> =
    role === undefined
      ? indexed(visible, 'memberships_of_tenant', tenant)
      : indexed(visible, 'assignments_of_role_in_tenant', `${role}/${tenant}`)
  const findUser = (row: Link): User | undefined => view().get('user', row.user)
  if (search === undefined && fits === undefined) {
    const { rows, ...more } = paged(source, page)
    return { ...more, rows: rows.map(findUser).filter((user) => user !== undefined) }
  }
  const { fits: isFound } = search === undefined ? { fits: () => true } : textFilter('user', [search])
  const pick = (row: Link): User | undefined => {
    const user = fits?.(row) === false ? undefined : findUser(row)
    return user && isFound(user) ? user : undefined
  }
  if (search === undefined || fits !== undefined) return searched(source, page, pick, true)
  const link =
    role === undefined
      ? ({ key }: User) => ['membership', membershipKey(tenant, key)] as const
      : ({ key }: User) => ['role_assignment', assignmentKey(key, role, tenant)] as const
  const most = source.count()
  const listed = await foundLinked(view, 'user', { parts: [search] }, page, { link, most, without: hidden })
  return listed ?? searched(source, page, pick, true)
}

/** What makes somebody a user of a tenant. */
type Link = Membership | RoleAssignment

/** How links are left out that are in none of the states. */
function withoutState(
  view: () => StoredView,
  tenant: string,
  role: string | undefined,
  shown: Shown,
): Promise<LeftOut<Link>> {
  const span = endedInTenant(tenant, shown.now)
  const rows = view().countBy('memberships_of_tenant', tenant)
  const fits = (link: Link) => ('explicit' in link ? isMemberShown(view(), link, shown) : isShown(link, shown))
  return findLeftOut(view, { shown, span, rows }, fits, () => {
    if (role !== undefined) return collectPlaces(view, [span])
    return collectLed(view, span, 'membership', (now, { user }) => {
      const membership = now.get('membership', membershipKey(tenant, user))
      return membership && !isMemberShown(now, membership, shown) ? membership.key : undefined
    })
  })
}
