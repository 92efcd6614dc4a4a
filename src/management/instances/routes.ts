// Resource instances: /v2/facts/{p}/{e}/resource_instances. In a path an instance is its id or `type:key`.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Page, pageBody, type Query, readFlag, readPage, readText, readTexts } from '../../http/page.ts'
import type { ResourceInstance } from '../../model/objects.ts'
import { everyObject, type Filter, filtered, indexed, matcher } from '../http/collection-pages.ts'
import { instanceRead } from '../http/render-facts.ts'
import { type RouteContext, viewOf, write } from '../http/route-context.ts'
import { listOrPage, NoBody, pageOf } from '../schema-parts.ts'
import {
  InstanceCreate,
  InstanceDetailed,
  InstanceDetailedQuery,
  InstanceQuery,
  InstanceRead,
  InstanceReplace,
  InstanceUpdate,
  OneInstanceQuery,
} from './schema.ts'

const INSTANCES = '/v2/facts/:p/:e/resource_instances'
const INSTANCE = `${INSTANCES}/:ref`
const read = { operation: 'facts.read' } as const
const change = { operation: 'facts.write' } as const
interface Named {
  Params: { ref: string }
}

export function instanceRoutes(app: FastifyInstance, management: RouteContext): void {
  const print = (request: FastifyRequest, instance: ResourceInstance, detailed = false) =>
    instanceRead(request.scope, viewOf(management, request), instance, detailed)

  app.get<{ Querystring: Query }>(
    INSTANCES,
    { config: read, schema: { querystring: InstanceQuery, response: { 200: listOrPage(InstanceRead) } } },
    async (request) => {
      const page = readPage(request.query)
      const counted = readFlag(request.query, 'include_total_count')
      const { data, total } = await list(management, request, page, readFlag(request.query, 'detailed'), counted)
      return counted ? pageBody(data, total, page) : data
    },
  )
  app.get<{ Querystring: Query }>(
    `${INSTANCES}/detailed`,
    { config: read, schema: { querystring: InstanceDetailedQuery, response: { 200: pageOf(InstanceDetailed) } } },
    async (request) => {
      const page = readPage(request.query)
      const { data, total } = await list(management, request, page, true, true)
      return pageBody(data, total, page)
    },
  )
  app.post<{ Body: InstanceCreate }>(
    INSTANCES,
    { config: change, schema: { body: InstanceCreate, response: { 200: InstanceRead } } },
    async (request, reply) => print(request, await write(management, request, reply, 'createInstance', request.body)),
  )
  app.get<Named & { Querystring: Query }>(
    INSTANCE,
    { config: read, schema: { querystring: OneInstanceQuery, response: { 200: InstanceRead } } },
    (request) => {
      const instance = viewOf(management, request).require('resource_instance', request.params.ref)
      return print(request, instance, readFlag(request.query, 'detailed'))
    },
  )
  app.patch<Named & { Body: InstanceUpdate }>(
    INSTANCE,
    { config: change, schema: { body: InstanceUpdate, response: { 200: InstanceRead } } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      return print(request, await write(management, request, reply, 'updateInstance', input))
    },
  )
  app.put<Named & { Body: InstanceReplace }>(
    INSTANCE,
    { config: change, schema: { body: InstanceReplace, response: { 200: InstanceRead } } },
    async (request, reply) => {
      const input = { ref: request.params.ref, fields: request.body }
      return print(request, await write(management, request, reply, 'replaceInstance', input))
    },
  )
  app.delete<Named>(INSTANCE, { config: change, schema: { response: { 204: NoBody } } }, async (request, reply) => {
    await write(management, request, reply, 'deleteInstance', { ref: request.params.ref })
    return reply.code(204).send()
  })
}

/** Instances by `tenant`, `resource`, and `search` in `type:key` (any of several). */
async function list(
  management: RouteContext,
  request: FastifyRequest<{ Querystring: Query }>,
  page: Page,
  detailed: boolean,
  counted: boolean,
) {
  const { scope, query } = request
  const view = () => viewOf(management, request)
  const tenant = readText(query, 'tenant')
  const resource = readText(query, 'resource')
  const texts = readTexts(query, 'search').filter((text) => text !== '')
  const filters: Filter<ResourceInstance>[] = []
  if (tenant !== undefined) {
    const key = view().find('tenant', tenant)?.key
    const sources = key === undefined ? [] : [indexed(view, 'instances_of_tenant', key)]
    filters.push({ sources, fits: (row) => row.tenant === key })
  }
  if (resource !== undefined) {
    const key = view().find('resource', resource)?.key
    const sources = key === undefined ? [] : [indexed(view, 'instances_of_resource', key)]
    filters.push({ sources, fits: (row) => row.resource === key })
  }
  if (texts.length > 0) {
    const finds = texts.map((text) => matcher(text))
    filters.push({ fits: (row) => finds.some((find) => find(row.key)) })
  }
  const { rows, total } = await filtered(everyObject(view, 'resource_instance'), filters, page, counted)
  const now = view()
  return { data: rows.map((row) => instanceRead(scope, now, row, detailed)), total }
}
