// Relations of a resource type: /v2/schema/{p}/{e}/resources/{resource}/relations.
import type { FastifyInstance } from 'fastify'
import { pageBody, type Query, readPage } from '../../http/page.ts'
import { locate } from '../collection.ts'
import { indexed, paged } from '../http/collection-pages.ts'
import { relationRead } from '../http/render-schema.ts'
import { type OfResource, type OnResource, type RouteContext, viewOf, write } from '../http/route-context.ts'
import { PageQuery } from '../query-parameters.ts'
import { NoBody, pageOf } from '../schema-parts.ts'
import { RelationCreate, RelationRead } from './schema.ts'

const RELATIONS = '/v2/schema/:p/:e/resources/:resource/relations'
const read = { operation: 'schema.read' } as const
const change = { operation: 'schema.write' } as const

/** The list is always a page. */
export function relationRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<OnResource & { Querystring: Query }>(
    RELATIONS,
    { config: read, schema: { querystring: PageQuery, response: { 200: pageOf(RelationRead) } } },
    (request) => {
      const page = readPage(request.query)
      const view = viewOf(management, request)
      const resource = view.require('resource', request.params.resource)
      const { rows, total } = paged(
        indexed(() => view, 'relations_of_resource', resource.key),
        page,
      )
      const data = rows.map((relation) => relationRead(request.scope, view, resource, relation))
      return pageBody(data, total, page)
    },
  )
  app.post<OnResource & { Body: RelationCreate }>(
    RELATIONS,
    { config: change, schema: { body: RelationCreate, response: { 200: RelationRead } } },
    async (request, reply) => {
      const input = { resource: request.params.resource, relation: request.body }
      const made = await write(management, request, reply, 'createRelation', input)
      const view = viewOf(management, request)
      return relationRead(request.scope, view, view.require('resource', made.resource), made)
    },
  )
  app.get<OfResource>(`${RELATIONS}/:ref`, { config: read, schema: { response: { 200: RelationRead } } }, (request) => {
    const view = viewOf(management, request)
    const resource = view.require('resource', request.params.resource)
    return relationRead(request.scope, view, resource, locate(view, 'relation', request.params.ref, resource.key))
  })
  app.delete<OfResource>(
    `${RELATIONS}/:ref`,
    { config: change, schema: { response: { 204: NoBody } } },
    async (request, reply) => {
      await write(management, request, reply, 'deleteRelation', request.params)
      return reply.code(204).send()
    },
  )
}
