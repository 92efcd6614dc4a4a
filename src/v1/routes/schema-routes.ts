// /v1/roles and /v1/resources.
import type { FastifyInstance } from 'fastify'
import { describe } from '../../http/description.ts'
import { everyObject } from '../../http/management/collection-pages.ts'
import type { RouteContext } from '../../http/management/route-context.ts'
import type { Query } from '../../http/page.ts'
import { NumberedQuery } from '../../management/schemas/query-parameters.ts'
import { resolvePlace, v1Write } from './v1-context.ts'
import { v1List } from './v1-lists.ts'
import { v1Action, v1Resource, v1Role } from './v1-render.ts'
import {
  V1Action,
  V1ActionRead,
  V1Resource,
  V1ResourceRead,
  V1Resources,
  V1Role,
  V1RoleRead,
  v1Page,
} from './v1-schema.ts'

const read = { operation: 'schema.read', tag: 'v1' } as const
const change = { operation: 'schema.write', tag: 'v1' } as const
interface Named {
  Params: { ref: string }
}

export function v1SchemaRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<{ Querystring: Query }>(
    '/v1/roles',
    describe(read, 'List roles', { querystring: NumberedQuery, response: { 200: v1Page(V1RoleRead) } }),
    (request) =>
      v1List(
        management,
        request,
        everyObject(() => resolvePlace(management, request).view, 'role'),
        v1Role,
      ),
  )
  app.post<{ Body: V1Role }>(
    '/v1/roles',
    describe(change, 'Create a role', { body: V1Role, response: { 200: V1RoleRead } }),
    async (request, reply) => {
      const role = await v1Write(management, request, reply, 'v1CreateRole', request.body)
      return v1Role(resolvePlace(management, request), role)
    },
  )
  app.get<Named>('/v1/roles/:ref', describe(read, 'Read a role', { response: { 200: V1RoleRead } }), (request) => {
    const place = resolvePlace(management, request)
    return v1Role(place, place.view.require('role', request.params.ref))
  })
  app.put<{ Body: V1Resources }>(
    '/v1/resources',
    describe({ ...change, bulk: true }, 'Create or change resource types', {
      body: V1Resources,
      response: { 200: v1Page(V1ResourceRead) },
    }),
    async (request, reply) => {
      const resources = await v1Write(management, request, reply, 'v1PutResources', request.body)
      return { url: '/v1/resources', data: resources.map(v1Resource) }
    },
  )
  app.put<Named & { Body: V1Resource }>(
    '/v1/resources/:ref',
    describe(change, 'Create or change a resource type', { body: V1Resource, response: { 200: V1ResourceRead } }),
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      return v1Resource(await v1Write(management, request, reply, 'v1PutResource', input))
    },
  )
  app.put<Named & { Body: V1Action }>(
    '/v1/resources/:ref/actions',
    describe(change, 'Create or change an action', { body: V1Action, response: { 200: V1ActionRead } }),
    async (request, reply) => {
      const input = { resource: request.params.ref, action: request.body }
      const { resource, part } = await v1Write(management, request, reply, 'v1PutAction', input)
      return v1Action(resource.key, part)
    },
  )
}
