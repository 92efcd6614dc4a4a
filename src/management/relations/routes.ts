// Relations and action groups of a resource type: /v2/schema/{p}/{e}/resources/{resource}/relations and …/action_groups.
import type { FastifyInstance } from 'fastify'
import { pageBody, type Query, readAttributeFilters, readPage } from '../../http/page.ts'
import { listOf } from '../../model/json-schema.ts'
import { ActionGroupCreate, ActionGroupQuery, ActionGroupRead, ActionGroupUpdate } from '../action-groups/schema.ts'
import { locate } from '../collection.ts'
import { hasAttributes, indexed, paged } from '../http/collection-pages.ts'
import { actionGroupRead, relationRead } from '../http/render-schema.ts'
import { type RouteContext, viewOf, write } from '../http/route-context.ts'
import { PageQuery } from '../query-parameters.ts'
import { NoBody, pageOf } from '../schema-parts.ts'
import { RelationCreate, RelationRead } from './schema.ts'

const RELATIONS = '/v2/schema/:p/:e/resources/:resource/relations'
const GROUPS = '/v2/schema/:p/:e/resources/:resource/action_groups'
const read = { operation: 'schema.read' } as const
const change = { operation: 'schema.write' } as const
interface OnResource {
  Params: { resource: string }
}
interface Named {
  Params: { resource: string; ref: string }
}

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
  app.get<Named>(`${RELATIONS}/:ref`, { config: read, schema: { response: { 200: RelationRead } } }, (request) => {
    const view = viewOf(management, request)
    const resource = view.require('resource', request.params.resource)
    return relationRead(request.scope, view, resource, locate(view, 'relation', request.params.ref, resource.key))
  })
  app.delete<Named>(
    `${RELATIONS}/:ref`,
    { config: change, schema: { response: { 204: NoBody } } },
    async (request, reply) => {
      await write(management, request, reply, 'deleteRelation', request.params)
      return reply.code(204).send()
    },
  )
}

export function actionGroupRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<OnResource & { Querystring: Query }>(
    GROUPS,
    { config: read, schema: { querystring: ActionGroupQuery, response: { 200: listOf(ActionGroupRead) } } },
    (request) => {
      const page = readPage(request.query)
      const fits = hasAttributes(readAttributeFilters(request.query))
      const view = viewOf(management, request)
      const resource = view.require('resource', request.params.resource)
      const groups = [...view.by('action_groups_of_resource', resource.key)].filter(({ attributes }) =>
        fits(attributes),
      )
      return groups
        .slice(page.offset, page.offset + page.rows)
        .map((group) => actionGroupRead(request.scope, resource, group))
    },
  )
  app.post<OnResource & { Body: ActionGroupCreate }>(
    GROUPS,
    { config: change, schema: { body: ActionGroupCreate, response: { 200: ActionGroupRead } } },
    async (request, reply) => {
      const input = { resource: request.params.resource, group: request.body }
      const made = await write(management, request, reply, 'createActionGroup', input)
      return actionGroupRead(request.scope, viewOf(management, request).require('resource', made.resource), made)
    },
  )
  app.get<Named>(`${GROUPS}/:ref`, { config: read, schema: { response: { 200: ActionGroupRead } } }, (request) => {
    const view = viewOf(management, request)
    const resource = view.require('resource', request.params.resource)
    return actionGroupRead(request.scope, resource, locate(view, 'action_group', request.params.ref, resource.key))
  })
  app.patch<Named & { Body: ActionGroupUpdate }>(
    `${GROUPS}/:ref`,
    { config: change, schema: { body: ActionGroupUpdate, response: { 200: ActionGroupRead } } },
    async (request, reply) => {
      const changed = await write(management, request, reply, 'updateActionGroup', {
        ...request.params,
        fields: request.body,
      })
      return actionGroupRead(request.scope, viewOf(management, request).require('resource', changed.resource), changed)
    },
  )
  app.delete<Named>(
    `${GROUPS}/:ref`,
    { config: change, schema: { response: { 204: NoBody } } },
    async (request, reply) => {
      await write(management, request, reply, 'deleteActionGroup', request.params)
      return reply.code(204).send()
    },
  )
}
