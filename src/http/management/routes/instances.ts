// Resource instances: /v2/facts/{p}/{e}/resource_instances. In a path an instance is its id or `type:key`.
import type { FastifyInstance } from 'fastify'
import type { ResourceInstance } from '../../../kinds/resource-instance.ts'
import {
  InstanceCreate,
  InstanceDetailed,
  InstanceDetailedQuery,
  InstanceQuery,
  InstanceRead,
  InstanceReplace,
  InstanceUpdate,
  OneInstanceQuery,
} from '../../../management/schemas/instances.ts'
import type { View } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readFlag, readText, readTexts } from '../../page.ts'
import { everyObject, type Filter, filtered, matcher, type Rows, referring } from '../collection-pages.ts'
import { type Asked, collectionRoutes, FACTS, listRoute } from '../collection-routes.ts'
import { instanceRead } from '../render/facts.ts'
import { type RouteContext, requestView } from '../route-context.ts'

const INSTANCES = '/v2/facts/:p/:e/resource_instances'
const INSTANCE = `${INSTANCES}/:ref`
const read = { operation: 'facts.read', tag: 'resource_instances' } as const
interface Named {
  Params: { ref: string }
}

export function instanceRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: INSTANCE,
    tag: 'resource_instances',
    noun: 'resource instance',
    operations: FACTS,
    answer: InstanceRead,
    print: (asked, instances: readonly ResourceInstance[]) => printInstances(asked, instances, false),
    list: {
      query: InstanceQuery,
      form: 'array or page',
      rows: ({ view, query }, page, counted) => {
        readFlag(query, 'detailed') // refused before the search
        return listInstances(view, query, page, counted)
      },
      print: (asked, instances) => printInstances(asked, instances, readFlag(asked.query, 'detailed')),
    },
    create: { body: InstanceCreate, useCase: 'createInstance' },
    update: { body: InstanceUpdate, useCase: 'updateInstance' },
    replace: { body: InstanceReplace, useCase: 'replaceInstance' },
    remove: 'deleteInstance',
  })
  app.get<Named & { Querystring: Query }>(
    INSTANCE,
    describe(read, 'Read a resource instance', { querystring: OneInstanceQuery, response: { 200: InstanceRead } }),
    (request) => {
      const view = requestView(management, request)
      const instance = view.require('resource_instance', request.params.ref)
      return instanceRead(request.scope, view, instance, readFlag(request.query, 'detailed'))
    },
  )
  listRoute(app, management, {
    path: `${INSTANCES}/detailed`,
    tag: 'resource_instances',
    summary: 'List resource instances with their relationships',
    operation: 'facts.read',
    query: InstanceDetailedQuery,
    form: 'page',
    rows: ({ view, query }, page) => listInstances(view, query, page, true),
    answer: InstanceDetailed,
    print: (asked, instances) => printInstances(asked, instances, true),
  })
}

function printInstances({ scope, view }: Asked, instances: readonly ResourceInstance[], detailed: boolean) {
  const now = view()
  return instances.map((instance) => instanceRead(scope, now, instance, detailed))
}

/** Instances by `tenant`, `resource`, and `search` in `type:key` (any of several). */
function listInstances(view: () => View, query: Query, page: Page, counted: boolean): Promise<Rows<ResourceInstance>> {
  const tenant = readText(query, 'tenant')
  const resource = readText(query, 'resource')
  const texts = readTexts(query, 'search').filter((text) => text !== '')
  const filters: Filter<ResourceInstance>[] = []
  if (tenant !== undefined) {
    const key = view().find('tenant', tenant)?.key
    filters.push(referring(view, 'instances_of_tenant', key, (row) => row.tenant))
  }
  if (resource !== undefined) {
    const key = view().find('resource', resource)?.key
    filters.push(referring(view, 'instances_of_resource', key, (row) => row.resource))
  }
  if (texts.length > 0) {
    const finds = texts.map((text) => matcher(text))
    filters.push({ fits: (row) => finds.some((find) => find(row.key)) })
  }
  return filtered(everyObject(view, 'resource_instance'), filters, page, counted)
}
