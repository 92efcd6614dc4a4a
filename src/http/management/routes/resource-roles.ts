// Roles of a resource type, their permissions and derivations: /v2/schema/{p}/{e}/resources/{resource}/roles.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ResourceRole } from '../../../kinds/resource-role.ts'
import { locate } from '../../../management/rules/collection.ts'
import { ancestorSteps, descendantSteps, rolesOfResource } from '../../../management/rules/hierarchy.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import {
  DerivationRule,
  DerivationRuleRead,
  DerivationSettings,
  DerivationSettingsRead,
  ResourceRoleCreate,
  ResourceRoleFamily,
  ResourceRolePermissions,
  ResourceRoleRead,
  ResourceRoleReplace,
  ResourceRoleUpdate,
} from '../../../management/schemas/resource-roles.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import { partKey } from '../../../model/objects.ts'
import type { View } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import type { Query } from '../../page.ts'
import { indexed, paged } from '../collection-pages.ts'
import { collectionRoutes, SCHEMA } from '../collection-routes.ts'
import { sendEtag, type Tagged } from '../preconditions.ts'
import { familyPage, placeRelatives } from '../relatives.ts'
import { derivationRule, resourceRoleRead } from '../render/schema.ts'
import { type OfResource, type OnResource, type RouteContext, requestView, write } from '../route-context.ts'

const ROLE = '/v2/schema/:p/:e/resources/:resource/roles/:ref'
const read = { operation: 'schema.read', tag: 'resources' } as const

/** Of routes that write the role that the path names. */
const changeRole = (management: RouteContext) =>
  ({
    operation: 'schema.write',
    tag: 'resources',
    tagged: (request: FastifyRequest): Tagged => {
      const view = requestView(management, request)
      const { resource, role } = findRole(view, request.params as OfResource['Params'])
      return { kind: 'resource_role', object: role, show: () => resourceRoleRead(request.scope, view, resource, role) }
    },
  }) as const

export function resourceRoleRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: ROLE,
    part: 'role',
    tag: 'resources',
    noun: 'role',
    operations: SCHEMA,
    tagged: 'resource_role',
    find: ({ view, ref, resource }) => findRole(view(), { resource, ref }).role,
    answer: ResourceRoleRead,
    print: ({ scope, view, resource }, roles) => {
      const now = view()
      const of = now.require('resource', resource)
      return roles.map((role) => resourceRoleRead(scope, now, of, role))
    },
    list: {
      query: PageQuery,
      form: 'array',
      rows: async ({ view, resource }, page) =>
        paged(indexed(view, 'resource_roles_of_resource', view().require('resource', resource).key), page),
    },
    create: { body: ResourceRoleCreate, useCase: 'createResourceRole' },
    update: { body: ResourceRoleUpdate, useCase: 'updateResourceRole' },
    replace: { body: ResourceRoleReplace, useCase: 'replaceResourceRole' },
    remove: 'deleteResourceRole',
  })
  permissionRoutes(app, management)
  derivationRoutes(app, management)
  familyRoutes(app, management)
}

/** Roles above and below one, and one entry of what a role extends. */
function familyRoutes(app: FastifyInstance, management: RouteContext): void {
  const family = (path: string, summary: string, stepsOf: typeof ancestorSteps) =>
    app.get<OfResource & { Querystring: Query }>(
      `${ROLE}/${path}`,
      describe(read, summary, { querystring: PageQuery, response: { 200: ResourceRoleFamily } }),
      (request, reply) => {
        const view = requestView(management, request)
        const { resource, role } = findRole(view, request.params)
        const inType = (key: string) => partKey(resource.key, key)
        const steps = stepsOf(rolesOfResource(view, resource.key), role.role)
        const rows = placeRelatives(view, 'resource_role', steps, inType)
        const roles = familyPage(management, request, reply, rows)
        return { roles: roles.map((one) => resourceRoleRead(request.scope, view, resource, one)) }
      },
    )
  family('ancestors', 'List the roles that a role extends', ancestorSteps)
  family('descendants', 'List the roles that extend a role', descendantSteps)
  const change = changeRole(management)
  type Parent = { Params: { resource: string; ref: string; parent: string } }
  app.put<Parent>(
    `${ROLE}/parents/:parent`,
    describe(change, 'Make a role extend another one', { response: { 200: ResourceRoleRead } }),
    async (request, reply) =>
      answer(
        management,
        request,
        reply,
        await write(management, request, reply, 'addResourceRoleParent', request.params),
      ),
  )
  app.delete<Parent>(
    `${ROLE}/parents/:parent`,
    describe(change, 'Make a role no longer extend another one', { response: { 200: ResourceRoleRead } }),
    async (request, reply) =>
      answer(
        management,
        request,
        reply,
        await write(management, request, reply, 'removeResourceRoleParent', request.params),
      ),
  )
}

function permissionRoutes(app: FastifyInstance, management: RouteContext): void {
  const change = changeRole(management)
  type Permissions = OfResource & { Body: ResourceRolePermissions }
  const schema = { body: ResourceRolePermissions, response: { 200: ResourceRoleRead } }
  const added = describe(change, 'Add permissions to a role', schema)
  app.post<Permissions>(`${ROLE}/permissions`, added, async (request, reply) => {
    const input = { ...request.params, permissions: request.body.permissions }
    return answer(
      management,
      request,
      reply,
      await write(management, request, reply, 'addResourceRolePermissions', input),
    )
  })
  const removed = describe(change, 'Remove permissions from a role', schema)
  app.delete<Permissions>(`${ROLE}/permissions`, removed, async (request, reply) => {
    const input = { ...request.params, permissions: request.body.permissions }
    return answer(
      management,
      request,
      reply,
      await write(management, request, reply, 'removeResourceRolePermissions', input),
    )
  })
}

function derivationRoutes(app: FastifyInstance, management: RouteContext): void {
  const change = changeRole(management)
  type WithRule = OfResource & { Body: DerivationRule }
  const body = DerivationRule
  const derived = describe(change, 'Derive a role through a relation', { body, response: { 200: DerivationRuleRead } })
  app.post<WithRule>(`${ROLE}/implicit_grants`, derived, async (request, reply) => {
    const input = { ...request.params, rule: request.body }
    return derivationRule(await write(management, request, reply, 'addDerivation', input))
  })
  const gone = describe(change, 'Stop deriving a role through a relation', { body, response: { 204: NoBody } })
  app.delete<WithRule>(`${ROLE}/implicit_grants`, gone, async (request, reply) => {
    await write(management, request, reply, 'removeDerivation', { ...request.params, rule: request.body })
    return reply.code(204).send()
  })
  app.put<OfResource & { Body: DerivationSettings }>(
    `${ROLE}/implicit_grants/conditions`,
    describe(change, 'Set when a role is derived', {
      body: DerivationSettings,
      response: { 200: DerivationSettingsRead },
    }),
    (request, reply) =>
      write(management, request, reply, 'setDerivationConditions', { ...request.params, when: request.body }),
  )
}

function findRole(view: View, { resource: of, ref }: OfResource['Params']) {
  const resource = view.require('resource', of)
  return { resource, role: locate(view, 'resource_role', ref, resource.key) }
}

/** Answers with a role that was written. */
function answer(
  management: RouteContext,
  request: FastifyRequest<OnResource>,
  reply: FastifyReply,
  role: ResourceRole,
) {
  sendEtag(reply, role)
  const view = requestView(management, request)
  return resourceRoleRead(request.scope, view, view.require('resource', role.resource), role)
}
