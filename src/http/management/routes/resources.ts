// Resource types, their actions and their declared attributes: /v2/schema/{p}/{e}/resources; attributes of users and
// tenants also under /v2/schema/{p}/{e}/users/attributes.
import type { FastifyInstance } from 'fastify'
import type { AttributeDefinition, Resource } from '../../../kinds/resource.ts'
import { attributed, type PartOf, requirePart } from '../../../management/objects/resource-parts.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import {
  ActionCreate,
  ActionQuery,
  ActionRead,
  ActionReplace,
  ActionUpdate,
  AttributeCreate,
  AttributeOwnerQuery,
  AttributeRead,
  AttributeReplace,
  AttributesQuery,
  AttributeUpdate,
  ResourceCreate,
  ResourceQuery,
  ResourceRead,
  ResourceReplace,
  ResourceUpdate,
} from '../../../management/schemas/resources.ts'
import { USER_TYPE } from '../../../model/condition-reads.ts'
import type { TSchema } from '../../../model/json-schema.ts'
import type { Stored } from '../../../model/objects.ts'
import type { Tag } from '../../description.ts'
import { type Page, readAttributeFilters, readFlag, readText } from '../../page.ts'
import { everyObject, hasAttributes, joined, matcher, paged, type Rows, searched } from '../collection-pages.ts'
import { type Asked, collectionRoutes, type ResourceIn, SCHEMA } from '../collection-routes.ts'
import { pageOfParts } from '../ordered-rows.ts'
import { actionRead, attributeRead, resourceRead } from '../render/schema.ts'
import type { RouteContext } from '../route-context.ts'

const RESOURCE = '/v2/schema/:p/:e/resources/:resource'

export function resourceRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: RESOURCE,
    tag: 'resources',
    noun: 'resource type',
    operations: SCHEMA,
    tagged: 'resource',
    find: ({ view, ref }) => attributed(view(), ref).resource,
    answer: ResourceRead,
    print: ({ scope, view }, resources) => {
      const now = view()
      return resources.map((resource) => resourceRead(scope, now, resource))
    },
    list: { query: ResourceQuery, form: 'array or page', rows: listResources },
    create: { body: ResourceCreate, useCase: 'createResource' },
    update: { body: ResourceUpdate, useCase: 'updateResource' },
    replace: { body: ResourceReplace, useCase: 'replaceResource' },
    remove: 'deleteResource',
  })
  actionRoutes(app, management)
  attributeRoutes(app, management, `${RESOURCE}/attributes/:ref`, 'resources', PageQuery)
  attributeRoutes(app, management, '/v2/schema/:p/:e/users/attributes/:ref', 'users', AttributesQuery, {
    query: AttributeOwnerQuery,
    read: (query) => readText(query, 'resource_id') ?? USER_TYPE,
  })
}

/** Resource types by `search`; with `include_built_in` those that every environment has come first. */
async function listResources({ view, query }: Asked, page: Page, counted: boolean): Promise<Rows<Resource>> {
  const search = readText(query, 'search')
  const source = everyObject(view, 'resource')
  const rows = readFlag(query, 'include_built_in') ? joined([everyObject(view, 'built_in'), source]) : source
  if (search === undefined) return paged(rows, page)
  const finds = matcher(search, true)
  return searched(rows, page, (one) => (finds(one.key, one.name) ? one : undefined), counted)
}

function actionRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: `${RESOURCE}/actions/:ref`,
    part: 'action',
    tag: 'resources',
    noun: 'action',
    operations: SCHEMA,
    find: ({ view, ref, resource }) => {
      const of = view().require('resource', resource)
      return { resource: of, part: requirePart('action', of.actions, ref) }
    },
    tagged: ({ resource, part }) => ({ kind: 'resource', object: resource, part: { kind: 'action', object: part } }),
    answer: ActionRead,
    print: ({ scope }, actions) => actions.map(({ resource, part }) => actionRead(scope, resource, part)),
    list: {
      query: ActionQuery,
      form: 'array',
      rows: async (asked, page) => {
        const fits = hasAttributes(readAttributeFilters(asked.query))
        const resource = asked.view().require('resource', asked.resource)
        const actions = resource.actions.filter(({ attributes }) => fits(attributes))
        return pageOfParts(listParts(resource, actions), page)
      },
    },
    create: { body: ActionCreate, useCase: 'createAction' },
    update: { body: ActionUpdate, useCase: 'updateAction' },
    replace: { body: ActionReplace, useCase: 'replaceAction' },
    remove: 'deleteAction',
  })
}

/** The parts of one resource type, for a page of them. */
const listParts = <P extends Stored>(resource: Resource, parts: readonly P[]) =>
  parts.map((part) => ({ row: { resource, part }, id: part.id, of: 0 }))

function attributeRoutes(
  app: FastifyInstance,
  management: RouteContext,
  path: `/${string}/:ref`,
  tag: Tag,
  query: TSchema,
  resourceIn?: ResourceIn,
): void {
  collectionRoutes(app, management, {
    path,
    part: 'attribute',
    tag,
    noun: 'attribute',
    ...(resourceIn ? { resourceIn } : {}),
    operations: SCHEMA,
    find: ({
      view,
      ref,
      resource: owner,
    }): PartOf<AttributeDefinition> & { readonly kind?: 'resource' | 'built_in' } => {
      const { kind, resource } = attributed(view(), owner)
      return { kind, resource, part: requirePart('attribute', resource.attributes, ref) }
    },
    // what the use cases answer with has no kind
    tagged: ({ kind = 'resource', resource, part }) => ({
      kind,
      object: resource,
      part: { kind: 'attribute', object: part },
    }),
    answer: AttributeRead,
    print: ({ scope }, attributes) => attributes.map(({ resource, part }) => attributeRead(scope, resource, part)),
    list: {
      query,
      form: 'array',
      rows: async (asked, page) => {
        const { resource } = attributed(asked.view(), asked.resource)
        return pageOfParts(listParts(resource, resource.attributes), page)
      },
    },
    create: { body: AttributeCreate, useCase: 'createAttribute' },
    update: { body: AttributeUpdate, useCase: 'updateAttribute' },
    replace: { body: AttributeReplace, useCase: 'replaceAttribute' },
    remove: 'deleteAttribute',
  })
}
