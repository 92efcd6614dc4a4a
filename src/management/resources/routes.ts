// Resource types, their actions and their declared attributes: /v2/schema/{p}/{e}/resources; attributes of users and tenants also under
// /v2/schema/{p}/{e}/users/attributes.
import type { FastifyInstance } from 'fastify'
import { type Page, pageBody, type Query, readAttributeFilters, readFlag, readPage, readText } from '../../http/page.ts'
import { USER_TYPE } from '../../model/condition-reads.ts'
import { listOf, type TSchema } from '../../model/json-schema.ts'
import type { Resource } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { everyObject, hasAttributes, joined, matcher, paged, type Rows, searched } from '../http/collection-pages.ts'
import { actionRead, attributeRead, resourceRead } from '../http/render-schema.ts'
import { type OfResource, type OnResource, type RouteContext, viewOf, write } from '../http/route-context.ts'
import { PageQuery } from '../query-parameters.ts'
import { listOrPage, NoBody } from '../schema-parts.ts'
import { attributed, requirePart } from './parts.ts'
import {
  ActionCreate,
  ActionQuery,
  ActionRead,
  ActionUpdate,
  AttributeCreate,
  AttributeOwnerQuery,
  AttributeRead,
  AttributesQuery,
  AttributeUpdate,
  ResourceCreate,
  ResourceQuery,
  ResourceRead,
  ResourceReplace,
  ResourceUpdate,
} from './schema.ts'

const RESOURCES = '/v2/schema/:p/:e/resources'
const RESOURCE = `${RESOURCES}/:resource`
const read = { operation: 'schema.read' } as const
const change = { operation: 'schema.write' } as const

export function resourceRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<{ Querystring: Query }>(
    RESOURCES,
    { config: read, schema: { querystring: ResourceQuery, response: { 200: listOrPage(ResourceRead) } } },
    async (request) => {
      const { query, scope } = request
      const page = readPage(query)
      const counted = readFlag(query, 'include_total_count')
      const { rows, total } = await listResources(() => viewOf(management, request), query, page, counted)
      const view = viewOf(management, request)
      const data = rows.map((resource) => resourceRead(scope, view, resource))
      return counted ? pageBody(data, total, page) : data
    },
  )
  app.post<{ Body: ResourceCreate }>(
    RESOURCES,
    { config: change, schema: { body: ResourceCreate, response: { 200: ResourceRead } } },
    async (request, reply) => {
      const made = await write(management, request, reply, 'createResource', request.body)
      return resourceRead(request.scope, viewOf(management, request), made)
    },
  )
  app.get<OnResource>(RESOURCE, { config: read, schema: { response: { 200: ResourceRead } } }, (request) => {
    const view = viewOf(management, request)
    return resourceRead(request.scope, view, attributed(view, request.params.resource).resource)
  })
  app.put<OnResource & { Body: ResourceReplace }>(
    RESOURCE,
    { config: change, schema: { body: ResourceReplace, response: { 200: ResourceRead } } },
    async (request, reply) => {
      const input = { ref: request.params.resource, fields: request.body }
      const replaced = await write(management, request, reply, 'replaceResource', input)
      return resourceRead(request.scope, viewOf(management, request), replaced)
    },
  )
  app.patch<OnResource & { Body: ResourceUpdate }>(
    RESOURCE,
    { config: change, schema: { body: ResourceUpdate, response: { 200: ResourceRead } } },
    async (request, reply) => {
      const input = { ref: request.params.resource, fields: request.body }
      const changed = await write(management, request, reply, 'updateResource', input)
      return resourceRead(request.scope, viewOf(management, request), changed)
    },
  )
  app.delete<OnResource>(
    RESOURCE,
    { config: change, schema: { response: { 204: NoBody } } },
    async (request, reply) => {
      await write(management, request, reply, 'deleteResource', { ref: request.params.resource })
      return reply.code(204).send()
    },
  )
  actionRoutes(app, management)
  attributeRoutes(app, management, `${RESOURCE}/attributes`, { list: PageQuery, one: undefined })
  const ofUsers = { list: AttributesQuery, one: AttributeOwnerQuery }
  attributeRoutes(app, management, '/v2/schema/:p/:e/users/attributes', ofUsers)
}

/** Resource types by `search`; with `include_built_in` those that every environment has come first. */
async function listResources(view: () => View, query: Query, page: Page, counted: boolean): Promise<Rows<Resource>> {
  const search = readText(query, 'search')
  const source = everyObject(view, 'resource')
  const rows = readFlag(query, 'include_built_in') ? joined(everyObject(view, 'built_in'), source) : source
  if (search === undefined) return paged(rows, page)
  const finds = matcher(search, true)
  return searched(rows, page, (one) => (finds(one.key, one.name) ? one : undefined), counted)
}

function actionRoutes(app: FastifyInstance, management: RouteContext): void {
  const path = `${RESOURCE}/actions`
  app.get<OnResource & { Querystring: Query }>(
    path,
    { config: read, schema: { querystring: ActionQuery, response: { 200: listOf(ActionRead) } } },
    (request) => {
      const page = readPage(request.query)
      const fits = hasAttributes(readAttributeFilters(request.query))
      const resource = viewOf(management, request).require('resource', request.params.resource)
      const actions = resource.actions
        .filter(({ attributes }) => fits(attributes))
        .slice(page.offset, page.offset + page.rows)
      return actions.map((action) => actionRead(request.scope, resource, action))
    },
  )
  app.post<OnResource & { Body: ActionCreate }>(
    path,
    { config: change, schema: { body: ActionCreate, response: { 200: ActionRead } } },
    async (request, reply) => {
      const input = { resource: request.params.resource, action: request.body }
      const { resource, part } = await write(management, request, reply, 'createAction', input)
      return actionRead(request.scope, resource, part)
    },
  )
  app.get<OfResource>(`${path}/:ref`, { config: read, schema: { response: { 200: ActionRead } } }, (request) => {
    const resource = viewOf(management, request).require('resource', request.params.resource)
    return actionRead(request.scope, resource, requirePart('action', resource.actions, request.params.ref))
  })
  app.patch<OfResource & { Body: ActionUpdate }>(
    `${path}/:ref`,
    { config: change, schema: { body: ActionUpdate, response: { 200: ActionRead } } },
    async (request, reply) => {
      const input = { resource: request.params.resource, ref: request.params.ref, fields: request.body }
      const { resource, part } = await write(management, request, reply, 'updateAction', input)
      return actionRead(request.scope, resource, part)
    },
  )
  app.delete<OfResource>(
    `${path}/:ref`,
    { config: change, schema: { response: { 204: NoBody } } },
    async (request, reply) => {
      await write(management, request, reply, 'deleteAction', {
        resource: request.params.resource,
        ref: request.params.ref,
      })
      return reply.code(204).send()
    },
  )
}

interface Attributed {
  Params: { resource?: string; ref: string }
  Querystring: Query
}

/** The type that declares the attributes: the resource of the path, else the query's `resource_id`, else `__user`. */
function ownerOf({ params, query }: { params: { resource?: string }; query: Query }): string {
  return params.resource ?? readText(query, 'resource_id') ?? USER_TYPE
}

function attributeRoutes(
  app: FastifyInstance,
  management: RouteContext,
  path: string,
  queries: { readonly list: TSchema; readonly one: TSchema | undefined },
): void {
  const querystring = queries.one === undefined ? {} : { querystring: queries.one }
  const response = { 200: AttributeRead }
  const listSchema = { querystring: queries.list, response: { 200: listOf(AttributeRead) } }
  app.get<Attributed>(path, { config: read, schema: listSchema }, (request) => {
    const page = readPage(request.query)
    const { resource } = attributed(viewOf(management, request), ownerOf(request))
    const attributes = resource.attributes.slice(page.offset, page.offset + page.rows)
    return attributes.map((attribute) => attributeRead(request.scope, resource, attribute))
  })
  app.post<Attributed & { Body: AttributeCreate }>(
    path,
    { config: change, schema: { ...querystring, body: AttributeCreate, response } },
    async (request, reply) => {
      const input = { resource: ownerOf(request), attribute: request.body }
      const { resource, part } = await write(management, request, reply, 'createAttribute', input)
      return attributeRead(request.scope, resource, part)
    },
  )
  app.get<Attributed>(`${path}/:ref`, { config: read, schema: { ...querystring, response } }, (request) => {
    const { resource } = attributed(viewOf(management, request), ownerOf(request))
    return attributeRead(request.scope, resource, requirePart('attribute', resource.attributes, request.params.ref))
  })
  app.patch<Attributed & { Body: AttributeUpdate }>(
    `${path}/:ref`,
    { config: change, schema: { ...querystring, body: AttributeUpdate, response } },
    async (request, reply) => {
      const input = { resource: ownerOf(request), ref: request.params.ref, fields: request.body }
      const { resource, part } = await write(management, request, reply, 'updateAttribute', input)
      return attributeRead(request.scope, resource, part)
    },
  )
  const gone = { ...querystring, response: { 204: NoBody } }
  app.delete<Attributed>(`${path}/:ref`, { config: change, schema: gone }, async (request, reply) => {
    const input = { resource: ownerOf(request), ref: request.params.ref }
    await write(management, request, reply, 'deleteAttribute', input)
    return reply.code(204).send()
  })
}
