// Roles and their permissions: /v2/schema/{p}/{e}/roles.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Role } from '../../../kinds/role.ts'
import { ancestorSteps, descendantSteps, tenantRoles } from '../../../management/rules/hierarchy.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import {
  RoleBulk,
  RoleBulkRead,
  RoleCreate,
  RoleFamily,
  RolePermissions,
  RoleQuery,
  RoleRead,
  RoleReplace,
  RoleUpdate,
} from '../../../management/schemas/roles.ts'
import { BULK_BODY_BYTES_MAX } from '../../../model/limits.ts'
import { describe } from '../../description.ts'
import type { Query } from '../../page.ts'
import { everyObject, findNamed } from '../collection-pages.ts'
import { collectionRoutes, SCHEMA } from '../collection-routes.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { familyPage, placeRelatives } from '../relatives.ts'
import { roleRead } from '../render/schema.ts'
import { type RouteContext, requestView, write } from '../route-context.ts'

const ROLE = '/v2/schema/:p/:e/roles/:ref'
const read = { operation: 'schema.read', tag: 'roles' } as const
const bulk = { operation: 'schema.write', tag: 'bulk' } as const
interface Named {
  Params: { ref: string }
}

/** Of routes that write the role that the path names. */
const changeRole = (management: RouteContext) =>
  ({
    operation: 'schema.write',
    tag: 'roles',
    tagged: (request: FastifyRequest): Tagged => {
      const object = requestView(management, request).require('role', (request.params as Named['Params']).ref)
      return { kind: 'role', object, show: () => roleRead(request.scope, object) }
    },
  }) as const

/** Answers with a role that was written. */
function answer(request: FastifyRequest, reply: FastifyReply, role: Role) {
  sendEtag(reply, role)
  return roleRead(request.scope, role)
}

export function roleRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: ROLE,
    tag: 'roles',
    noun: 'role',
    operations: SCHEMA,
    tagged: 'role',
    find: ({ view, ref }) => view().require('role', ref),
    answer: RoleRead,
    print: ({ scope }, roles) => roles.map((role) => roleRead(scope, role)),
    list: {
      query: RoleQuery,
      form: 'array or page',
      rows: ({ view, query }, page, counted) => findNamed(everyObject(view, 'role'), query, page, counted),
    },
    create: { body: RoleCreate, useCase: 'createRole' },
    update: { body: RoleUpdate, useCase: 'updateRole' },
    replace: { body: RoleReplace, useCase: 'replaceRole' },
    remove: 'deleteRole',
  })
  permissionRoutes(app, management)
  familyRoutes(app, management)
  app.put<{ Body: RoleBulk }>(
    '/v2/schema/:p/:e/bulk/roles',
    {
      ...describe(bulk, 'Create or replace many roles', { body: RoleBulk, response: { 200: RoleBulkRead } }),
      bodyLimit: BULK_BODY_BYTES_MAX,
    },
    (request, reply) => write(management, request, reply, 'putRoles', request.body),
  )
}

/** Roles above and below one, and one entry of what a role extends. */
function familyRoutes(app: FastifyInstance, management: RouteContext): void {
  const family = (path: string, summary: string, stepsOf: typeof ancestorSteps) =>
    app.get<Named & { Querystring: Query }>(
      `${ROLE}/${path}`,
      describe(read, summary, { querystring: PageQuery, response: { 200: RoleFamily } }),
      (request, reply) => {
        const view = requestView(management, request)
        const { key } = view.require('role', request.params.ref)
        const rows = placeRelatives(view, 'role', stepsOf(tenantRoles(view), key))
        const roles = familyPage(management, request, reply, rows)
        return { roles: roles.map((role) => roleRead(request.scope, role)) }
      },
    )
  family('ancestors', 'List the roles that a role extends', ancestorSteps)
  family('descendants', 'List the roles that extend a role', descendantSteps)
  const change = changeRole(management)
  type Parent = { Params: { ref: string; parent: string } }
  app.put<Parent>(
    `${ROLE}/parents/:parent`,
    describe(change, 'Make a role extend another one', { response: { 200: RoleRead } }),
    async (request, reply) =>
      answer(request, reply, await write(management, request, reply, 'addParent', request.params)),
  )
  app.delete<Parent>(
    `${ROLE}/parents/:parent`,
    describe(change, 'Make a role no longer extend another one', { response: { 200: RoleRead } }),
    async (request, reply) =>
      answer(request, reply, await write(management, request, reply, 'removeParent', request.params)),
  )
}

function permissionRoutes(app: FastifyInstance, management: RouteContext): void {
  const change = changeRole(management)
  type Permissions = Named & { Body: RolePermissions }
  const schema = { body: RolePermissions, response: { 200: RoleRead } }
  const added = describe(change, 'Add permissions to a role', schema)
  app.post<Permissions>(`${ROLE}/permissions`, added, async (request, reply) => {
    const input = { ref: request.params.ref, permissions: request.body.permissions }
    return answer(request, reply, await write(management, request, reply, 'addPermissions', input))
  })
  const removed = describe(change, 'Remove permissions from a role', schema)
  app.delete<Permissions>(`${ROLE}/permissions`, removed, async (request, reply) => {
    const input = { ref: request.params.ref, permissions: request.body.permissions }
    return answer(request, reply, await write(management, request, reply, 'removePermissions', input))
  })
}
