// Action groups of a resource type: /v2/schema/{p}/{e}/resources/{resource}/action_groups.
import type { FastifyInstance } from 'fastify'
import { locate } from '../../../management/rules/collection.ts'
import {
  ActionGroupCreate,
  ActionGroupQuery,
  ActionGroupRead,
  ActionGroupReplace,
  ActionGroupUpdate,
} from '../../../management/schemas/action-groups.ts'
import { readAttributeFilters } from '../../page.ts'
import { hasAttributes, indexed, searched } from '../collection-pages.ts'
import { collectionRoutes, SCHEMA } from '../collection-routes.ts'
import { actionGroupRead } from '../render/schema.ts'
import type { RouteContext } from '../route-context.ts'

export function actionGroupRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: '/v2/schema/:p/:e/resources/:resource/action_groups/:ref',
    part: 'group',
    tag: 'resources',
    noun: 'action group',
    operations: SCHEMA,
    tagged: 'action_group',
    find: ({ view, ref, resource }) => locate(view(), 'action_group', ref, view().require('resource', resource).key),
    answer: ActionGroupRead,
    print: ({ scope, view, resource }, groups) => {
      const of = view().require('resource', resource)
      return groups.map((group) => actionGroupRead(scope, of, group))
    },
    list: {
      query: ActionGroupQuery,
      form: 'array',
      rows: async ({ view, query, resource }, page) => {
        const fits = hasAttributes(readAttributeFilters(query))
        const groups = indexed(view, 'action_groups_of_resource', view().require('resource', resource).key)
        return searched(groups, page, (group) => (fits(group.attributes) ? group : undefined), false)
      },
    },
    create: { body: ActionGroupCreate, useCase: 'createActionGroup' },
    update: { body: ActionGroupUpdate, useCase: 'updateActionGroup' },
    replace: { body: ActionGroupReplace, useCase: 'replaceActionGroup' },
    remove: 'deleteActionGroup',
  })
}
