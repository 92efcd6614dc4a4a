// Relations of a resource type: /v2/schema/{p}/{e}/resources/{resource}/relations.
import type { FastifyInstance } from 'fastify'
import { locate } from '../../../management/rules/collection.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import { RelationCreate, RelationRead, RelationReplace, RelationUpdate } from '../../../management/schemas/relations.ts'
import { indexed, paged } from '../collection-pages.ts'
import { collectionRoutes, SCHEMA } from '../collection-routes.ts'
import { relationRead } from '../render/schema.ts'
import type { RouteContext } from '../route-context.ts'

export function relationRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: '/v2/schema/:p/:e/resources/:resource/relations/:ref',
    part: 'relation',
    tag: 'resources',
    noun: 'relation',
    operations: SCHEMA,
    tagged: 'relation',
    find: ({ view, ref, resource }) => locate(view(), 'relation', ref, view().require('resource', resource).key),
    answer: RelationRead,
    print: ({ scope, view, resource }, relations) => {
      const now = view()
      const object = now.require('resource', resource)
      return relations.map((relation) => relationRead(scope, now, object, relation))
    },
    list: {
      query: PageQuery,
      form: 'page',
      rows: async ({ view, resource }, page) =>
        paged(indexed(view, 'relations_of_resource', view().require('resource', resource).key), page),
    },
    create: { body: RelationCreate, useCase: 'createRelation' },
    update: { body: RelationUpdate, useCase: 'updateRelation' },
    replace: { body: RelationReplace, useCase: 'replaceRelation' },
    remove: 'deleteRelation',
  })
}
