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
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readFlag, readText, readTexts } from '../../page.ts'
import { everyObject, type Filter, filtered, type Rows, referring } from '../collection-pages.ts'
import { type Asked, collectionRoutes, FACTS, listRoute } from '../collection-routes.ts'
import { sendEtag } from '../preconditions.ts'
import { instanceRead } from '../render/facts.ts'
import { type RouteContext, requestView } from '../route-context.ts'
import { found, leavesFew, textFilter } from '../text-search.ts'

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
    tagged: 'resource_instance',
    find: ({ view, ref }) => view().require('resource_instance', ref),
    isReadElsewhere: true,
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
    fact: 'instances',
    update: { body: InstanceUpdate, useCase: 'updateInstance' },
    replace: { body: InstanceReplace, useCase: 'replaceInstance' },
    remove: 'deleteInstance',
  })
  app.get<Named & { Querystring: Query }>(
    INSTANCE,
    describe(read, 'Read a resource instance', { querystring: OneInstanceQuery, response: { 200: InstanceRead } }),
    (request, reply) => {
      const view = requestView(management, request)
      const instance = view.require('resource_instance', request.params.ref)
      sendEtag(reply, instance)
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
function listInstances(
  view: () => StoredView,
  query: Query,
  page: Page,
  counted: boolean,
): Promise<Rows<ResourceInstance>> {
  const parts = readTexts(query, 'search').filter((text) => text !== '')
  const [resourceRef, tenantRef] = [readText(query, 'resource'), readText(query, 'tenant')]
  const resource = resourceRef && view().find('resource', resourceRef)?.key
  const tenant = tenantRef && view().find('tenant', tenantRef)?.key
  const filters: Filter<ResourceInstance>[] = []
  if (tenantRef) filters.push(referring(view, 'instances_of_tenant', tenant, (row) => row.tenant))
  if (resourceRef) filters.push(referring(view, 'instances_of_resource', resource, (row) => row.resource))
  if (parts.length > 0 && !leavesFew(filters))
    return found(view, 'resource_instance', { parts, exact: [resource, tenant] }, page, { counted })
  if (parts.length > 0) filters.push(textFilter('resource_instance', parts))
  return filtered(everyObject(view, 'resource_instance'), filters, page, counted)
}
