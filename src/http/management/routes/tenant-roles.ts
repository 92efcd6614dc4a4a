// Roles in a tenant: those that its administrators may assign, and their own: /v2/facts/{p}/{e}/tenants/{tenant}/roles.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Giving } from '../../../kinds/giving.ts'
import type { Action, Resource } from '../../../kinds/resource.ts'
import type { ResourceRole } from '../../../kinds/resource-role.ts'
import type { Role } from '../../../kinds/role.ts'
import type { TenantRole } from '../../../kinds/tenant-role.ts'
import { requireTenantRole } from '../../../management/rules/tenant-roles.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import { RolePermissions } from '../../../management/schemas/roles.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import {
  AssignableRole,
  OFFERS,
  OfferedPermission,
  TenantRoleCreate,
  TenantRoleQuery,
  TenantRoleUpdate,
} from '../../../management/schemas/tenant-roles.ts'
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import type { Page } from '../../page.ts'
import { readWord } from '../access-query.ts'
import { readActingUser } from '../acting-user.ts'
import { everyObject, indexed, joined, type Rows, type Source, searched } from '../collection-pages.ts'
import { listRoute } from '../collection-routes.ts'
import { type Part, pageOfParts } from '../ordered-rows.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { assignableRole, offeredPermission } from '../render/schema.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'

const TENANT = '/v2/facts/:p/:e/tenants/:ref'
const ROLES = `${TENANT}/roles`
const ROLE = `${ROLES}/:tenant_role`
const read = { operation: 'members.read', tag: 'tenants' } as const
interface Named {
  Params: { ref: string; tenant_role: string }
}

/** Of routes that write the role that the path names. */
const changeRole = (management: RouteContext) =>
  ({
    operation: 'members.write',
    tag: 'tenants',
    tagged: (request: FastifyRequest): Tagged => {
      const object = findRole(requestView(management, request), request.params as Named['Params'])
      return { kind: 'tenant_role', object, show: () => assignableRole(object) }
    },
  }) as const

const findRole = (view: StoredView, { ref, tenant_role: role }: Named['Params']) =>
  requireTenantRole(view, view.require('tenant', ref).key, role)

/** Answers with a role that was written. */
function answer(reply: FastifyReply, role: TenantRole) {
  sendEtag(reply, role)
  return assignableRole(role)
}

export function tenantRoleRoutes(app: FastifyInstance, management: RouteContext): void {
  listRoute(app, management, {
    path: ROLES,
    tag: 'tenants',
    summary: 'List the roles that may be assigned in a tenant by its own administrators, and its own roles',
    operation: 'members.read',
    query: TenantRoleQuery,
    form: 'page',
    rows: ({ view, ref, query }, page) => {
      const tenant = view().require('tenant', ref).key
      return listOffered(view, tenant, readWord(query, 'offered', OFFERS, 'assignable'), page)
    },
    answer: AssignableRole,
    print: (_asked, roles) => roles.map(assignableRole),
  })
  listRoute(app, management, {
    path: `${TENANT}/permissions`,
    tag: 'tenants',
    summary: 'List the permissions that roles of the tenant may have',
    operation: 'members.read',
    query: PageQuery,
    form: 'page',
    rows: async ({ view, ref }, page) => {
      const now = view()
      now.require('tenant', ref)
      return pageOfParts(listPermissions(now), page)
    },
    answer: OfferedPermission,
    print: (_asked, permissions) => permissions.map(offeredPermission),
  })
  app.get<Named>(
    ROLE,
    describe(read, 'Read a role of a tenant', { response: { 200: AssignableRole } }),
    (request, reply) => {
      return answer(reply, findRole(requestView(management, request), request.params))
    },
  )
  writeRoutes(app, management)
  permissionRoutes(app, management)
}

function writeRoutes(app: FastifyInstance, management: RouteContext): void {
  const response = { 200: AssignableRole }
  const { tagged: _, ...create } = changeRole(management)
  const change = changeRole(management)
  app.post<Named & { Body: TenantRoleCreate }>(
    ROLES,
    describe(create, 'Create a role of a tenant', { body: TenantRoleCreate, response }),
    async (request, reply) => {
      const input = { tenant: request.params.ref, role: request.body, by: readActingUser(management, request) }
      return answer(reply, await write(management, request, reply, 'createTenantRole', input))
    },
  )
  app.patch<Named & { Body: TenantRoleUpdate }>(
    ROLE,
    describe(change, 'Change a role of a tenant', { body: TenantRoleUpdate, response }),
    async (request, reply) => {
      const input = { ...toInput(management, request), fields: request.body }
      return answer(reply, await write(management, request, reply, 'updateTenantRole', input))
    },
  )
  app.put<Named & { Body: TenantRoleUpdate }>(
    ROLE,
    describe(change, 'Replace a role of a tenant', { body: TenantRoleUpdate, response }),
    async (request, reply) => {
      const input = { ...toInput(management, request), fields: request.body }
      return answer(reply, await write(management, request, reply, 'replaceTenantRole', input))
    },
  )
  app.delete<Named>(
    ROLE,
    describe(change, 'Delete a role of a tenant', { response: { 204: NoBody } }),
    async (request, reply) => {
      await write(management, request, reply, 'deleteTenantRole', toInput(management, request))
      return reply.code(204).send()
    },
  )
}

function permissionRoutes(app: FastifyInstance, management: RouteContext): void {
  const change = changeRole(management)
  type Permissions = Named & { Body: RolePermissions }
  const schema = { body: RolePermissions, response: { 200: AssignableRole } }
  const path = `${ROLE}/permissions`
  const added = describe(change, 'Add permissions to a role of a tenant', schema)
  app.post<Permissions>(path, added, async (request, reply) => {
    const input = { ...toInput(management, request), permissions: request.body.permissions }
    return answer(reply, await write(management, request, reply, 'addTenantRolePermissions', input))
  })
  const removed = describe(change, 'Remove permissions from a role of a tenant', schema)
  app.delete<Permissions>(path, removed, async (request, reply) => {
    const input = { ...toInput(management, request), permissions: request.body.permissions }
    return answer(reply, await write(management, request, reply, 'removeTenantRolePermissions', input))
  })
}

function toInput(management: RouteContext, request: FastifyRequest<Named>) {
  const { ref: tenant, tenant_role: ref } = request.params
  return { tenant, ref, by: readActingUser(management, request) }
}

/** Roles of the environment that are offered to the tenant, and its own, which are offered for everything. */
function listOffered(
  view: () => StoredView,
  tenant: string,
  offered: (typeof OFFERS)[number],
  page: Page,
): Promise<Rows<Role | ResourceRole | TenantRole>> {
  const own = indexed(view, 'roles_of_tenant', tenant)
  const roles = everyObject(view, 'role')
  const all: readonly Source<Role | ResourceRole | TenantRole>[] =
    offered === 'extendable' ? [roles, own] : [roles, everyObject(view, 'resource_role'), own]
  const isOffered = (role: Role | ResourceRole | TenantRole): boolean => {
    if ('tenant' in role) return true
    return offered === 'extendable' ? 'extendable' in role && role.extendable === true : isAssignable(role)
  }
  return searched(joined(all), page, (role) => (isOffered(role) ? role : undefined), true)
}

const isAssignable = (role: Giving): boolean => role.assignable_by_tenants === true

function listPermissions(view: StoredView): readonly Part<{ readonly resource: Resource; readonly action: Action }>[] {
  const parts: Part<{ readonly resource: Resource; readonly action: Action }>[] = []
  for (const { place, object: resource } of view.listPlaced('resource'))
    for (const action of resource.actions)
      if (action.grantable) parts.push({ row: { resource, action }, id: action.id, of: place })
  return parts
}
