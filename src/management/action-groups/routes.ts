// Action groups of a resource type: /v2/schema/{p}/{e}/resources/{resource}/action_groups.
import type { FastifyInstance } from 'fastify'
import { type Query, readAttributeFilters, readPage } from '../../http/page.ts'
import { listOf } from '../../model/json-schema.ts'
import { locate } from '../collection.ts'
import { hasAttributes } from '../http/collection-pages.ts'
import { actionGroupRead } from '../http/render-schema.ts'
import { type OfResource, type OnResource, type RouteContext, viewOf, write } from '../http/route-context.ts'
import { NoBody } from '../schema-parts.ts'
import { ActionGroupCreate, ActionGroupQuery, ActionGroupRead, ActionGroupUpdate } from './schema.ts'

const GROUPS = '/v2/schema/:p/:e/resources/:resource/action_groups'
const read = { operation: 'schema.read' } as const
const change = { operation: 'schema.write' } as const

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
  app.get<OfResource>(`${GROUPS}/:ref`, { config: read, schema: { response: { 200: ActionGroupRead } } }, (request) => {
    const view = viewOf(management, request)
    const resource = view.require('resource', request.params.resource)
    return actionGroupRead(request.scope, resource, locate(view, 'action_group', request.params.ref, resource.key))
  })
  app.patch<OfResource & { Body: ActionGroupUpdate }>(
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
  app.delete<OfResource>(
    `${GROUPS}/:ref`,
    { config: change, schema: { response: { 204: NoBody } } },
    async (request, reply) => {
      await write(management, request, reply, 'deleteActionGroup', request.params)
      return reply.code(204).send()
    },
  )
}
