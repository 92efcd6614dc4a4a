// /v1/roles and /v1/resources.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { Query } from '../../http/page.ts'
import { everyObject } from '../../management/http/collection-pages.ts'
import type { Management } from '../../management/http/route-context.ts'
import { V1Action, V1Resource, V1Resources, V1Role } from './v1-bodies.ts'
import { placeOf, v1Write } from './v1-context.ts'
import { v1List } from './v1-lists.ts'
import { v1Action, v1Resource, v1Role } from './v1-render.ts'

const read = { operation: 'schema.read' } as const
const change = { operation: 'schema.write' } as const
interface Named {
  Params: { ref: string }
}

export function v1SchemaRoutes(app: FastifyInstance, management: Management): void {
  app.get<{ Querystring: Query }>('/v1/roles', { config: read }, (request) =>
    v1List(
      management,
      request,
      everyObject(() => placeOf(management, request).view, 'role'),
      v1Role,
    ),
  )
  app.post<{ Body: Static<typeof V1Role> }>(
    '/v1/roles',
    { config: change, schema: { body: V1Role } },
    async (request, reply) => {
      const role = await v1Write(management, request, reply, 'v1CreateRole', request.body)
      return v1Role(placeOf(management, request), role)
    },
  )
  app.get<Named>('/v1/roles/:ref', { config: read }, (request) => {
    const place = placeOf(management, request)
    return v1Role(place, place.view.require('role', request.params.ref))
  })
  app.put<{ Body: Static<typeof V1Resources> }>(
    '/v1/resources',
    { config: { ...change, bulk: true }, schema: { body: V1Resources } },
    async (request, reply) => {
      const resources = await v1Write(management, request, reply, 'v1PutResources', request.body)
      return { url: '/v1/resources', data: resources.map(v1Resource) }
    },
  )
  app.put<Named & { Body: Static<typeof V1Resource> }>(
    '/v1/resources/:ref',
    { config: change, schema: { body: V1Resource } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      return v1Resource(await v1Write(management, request, reply, 'v1PutResource', input))
    },
  )
  app.put<Named & { Body: Static<typeof V1Action> }>(
    '/v1/resources/:ref/actions',
    { config: change, schema: { body: V1Action } },
    async (request, reply) => {
      const input = { resource: request.params.ref, action: request.body }
      const { resource, part } = await v1Write(management, request, reply, 'v1PutAction', input)
      return v1Action(resource.key, part)
    },
  )
}
