// Resource types, their actions and their declared attributes: /v2/schema/{p}/{e}/resources.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { requirePart } from '../../pap/collections/parts.ts'
import { pageBody, type Query, readAttributeFilters, readFlag, readPage, readText } from '../page.ts'
import {
  ActionCreate,
  ActionUpdate,
  AttributeCreate,
  AttributeUpdate,
  ResourceCreate,
  ResourceReplace,
  ResourceUpdate,
} from '../schemas.ts'
import { type Management, viewOf, write } from './context.ts'
import { everyObject, hasAttributes, matcher, paged, searched } from './listing.ts'
import { actionRead, attributeRead, resourceRead } from './render.ts'

const RESOURCES = '/v2/schema/:p/:e/resources'
const RESOURCE = `${RESOURCES}/:resource`
const read = { operation: 'schema.read' } as const
const change = { operation: 'schema.write' } as const
interface Named {
  Params: { resource: string }
}
interface NamedPart {
  Params: { resource: string; ref: string }
}

export function resourceRoutes(app: FastifyInstance, management: Management): void {
  app.get<{ Querystring: Query }>(RESOURCES, { config: read }, async (request) => {
    const { query, scope } = request
    const page = readPage(query)
    const counted = readFlag(query, 'include_total_count')
    const search = readText(query, 'search')
    const source = everyObject(() => viewOf(management, request), 'resource')
    const finds = matcher(search ?? '', true)
    const { rows, total } =
      search === undefined
        ? paged(source, page)
        : await searched(source, page, (one) => (finds(one.key, one.name) ? one : undefined), counted)
    const data = rows.map((resource) => resourceRead(scope, resource))
    return counted ? pageBody(data, total, page) : data
  })
  app.post<{ Body: Static<typeof ResourceCreate> }>(
    RESOURCES,
    { config: change, schema: { body: ResourceCreate } },
    async (request, reply) =>
      resourceRead(request.scope, await write(management, request, reply, 'createResource', request.body)),
  )
  app.get<Named>(RESOURCE, { config: read }, (request) =>
    resourceRead(request.scope, viewOf(management, request).require('resource', request.params.resource)),
  )
  app.put<Named & { Body: Static<typeof ResourceReplace> }>(
    RESOURCE,
    { config: change, schema: { body: ResourceReplace } },
    async (request, reply) => {
      const input = { ref: request.params.resource, fields: request.body }
      return resourceRead(request.scope, await write(management, request, reply, 'replaceResource', input))
    },
  )
  app.patch<Named & { Body: Static<typeof ResourceUpdate> }>(
    RESOURCE,
    { config: change, schema: { body: ResourceUpdate } },
    async (request, reply) => {
      const input = { ref: request.params.resource, fields: request.body }
      return resourceRead(request.scope, await write(management, request, reply, 'updateResource', input))
    },
  )
  app.delete<Named>(RESOURCE, { config: change }, async (request, reply) => {
    await write(management, request, reply, 'deleteResource', { ref: request.params.resource })
    return reply.code(204).send()
  })
  actionRoutes(app, management)
  attributeRoutes(app, management)
}

function actionRoutes(app: FastifyInstance, management: Management): void {
  const path = `${RESOURCE}/actions`
  app.get<Named & { Querystring: Query }>(path, { config: read }, (request) => {
    const page = readPage(request.query)
    const fits = hasAttributes(readAttributeFilters(request.query))
    const resource = viewOf(management, request).require('resource', request.params.resource)
    const actions = resource.actions
      .filter(({ attributes }) => fits(attributes))
      .slice(page.offset, page.offset + page.rows)
    return actions.map((action) => actionRead(request.scope, resource, action))
  })
  app.post<Named & { Body: Static<typeof ActionCreate> }>(
    path,
    { config: change, schema: { body: ActionCreate } },
    async (request, reply) => {
      const input = { resource: request.params.resource, action: request.body }
      const { resource, part } = await write(management, request, reply, 'createAction', input)
      return actionRead(request.scope, resource, part)
    },
  )
  app.get<NamedPart>(`${path}/:ref`, { config: read }, (request) => {
    const resource = viewOf(management, request).require('resource', request.params.resource)
    return actionRead(request.scope, resource, requirePart('action', resource.actions, request.params.ref))
  })
  app.patch<NamedPart & { Body: Static<typeof ActionUpdate> }>(
    `${path}/:ref`,
    { config: change, schema: { body: ActionUpdate } },
    async (request, reply) => {
      const input = { resource: request.params.resource, ref: request.params.ref, fields: request.body }
      const { resource, part } = await write(management, request, reply, 'updateAction', input)
      return actionRead(request.scope, resource, part)
    },
  )
  app.delete<NamedPart>(`${path}/:ref`, { config: change }, async (request, reply) => {
    await write(management, request, reply, 'deleteAction', {
      resource: request.params.resource,
      ref: request.params.ref,
    })
    return reply.code(204).send()
  })
}

function attributeRoutes(app: FastifyInstance, management: Management): void {
  const path = `${RESOURCE}/attributes`
  app.get<Named & { Querystring: Query }>(path, { config: read }, (request) => {
    const page = readPage(request.query)
    const resource = viewOf(management, request).require('resource', request.params.resource)
    const attributes = resource.attributes.slice(page.offset, page.offset + page.rows)
    return attributes.map((attribute) => attributeRead(request.scope, resource, attribute))
  })
  app.post<Named & { Body: Static<typeof AttributeCreate> }>(
    path,
    { config: change, schema: { body: AttributeCreate } },
    async (request, reply) => {
      const input = { resource: request.params.resource, attribute: request.body }
      const { resource, part } = await write(management, request, reply, 'createAttribute', input)
      return attributeRead(request.scope, resource, part)
    },
  )
  app.get<NamedPart>(`${path}/:ref`, { config: read }, (request) => {
    const resource = viewOf(management, request).require('resource', request.params.resource)
    return attributeRead(request.scope, resource, requirePart('attribute', resource.attributes, request.params.ref))
  })
  app.patch<NamedPart & { Body: Static<typeof AttributeUpdate> }>(
    `${path}/:ref`,
    { config: change, schema: { body: AttributeUpdate } },
    async (request, reply) => {
      const input = { resource: request.params.resource, ref: request.params.ref, fields: request.body }
      const { resource, part } = await write(management, request, reply, 'updateAttribute', input)
      return attributeRead(request.scope, resource, part)
    },
  )
  app.delete<NamedPart>(`${path}/:ref`, { config: change }, async (request, reply) => {
    const input = { resource: request.params.resource, ref: request.params.ref }
    await write(management, request, reply, 'deleteAttribute', input)
    return reply.code(204).send()
  })
}
