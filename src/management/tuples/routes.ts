// Relationship tuples: /v2/facts/{p}/{e}/relationship_tuples. DELETE carries a body; filters take ids or keys.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Page, pageBody, type Query, readFlag, readPage, readText } from '../../http/page.ts'
import type { Relation, RelationshipTuple } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { everyObject, type Filter, filtered, indexed } from '../http/collection-pages.ts'
import { tupleDetailed, tupleRead } from '../http/render-facts.ts'
import { type RouteContext, viewOf, write } from '../http/route-context.ts'
import { listOrPage, NoBody, pageOf } from '../schema-parts.ts'
import { TupleCreate, TupleDelete, TupleDetailed, TupleDetailedQuery, TupleQuery, TupleRead } from './schema.ts'

const TUPLES = '/v2/facts/:p/:e/relationship_tuples'
const read = { operation: 'facts.read' } as const
const change = { operation: 'facts.write' } as const

export function tupleRoutes(app: FastifyInstance, management: RouteContext): void {
  app.get<{ Querystring: Query }>(
    TUPLES,
    { config: read, schema: { querystring: TupleQuery, response: { 200: listOrPage(TupleRead) } } },
    async (request) => {
      const page = readPage(request.query)
      const counted = readFlag(request.query, 'include_total_count')
      readFlag(request.query, 'detailed') // a list shows the details in any case
      const { data, total } = await list(management, request, page, counted)
      return counted ? pageBody(data, total, page) : data
    },
  )
  app.get<{ Querystring: Query }>(
    `${TUPLES}/detailed`,
    { config: read, schema: { querystring: TupleDetailedQuery, response: { 200: pageOf(TupleDetailed) } } },
    async (request) => {
      const page = readPage(request.query)
      const { data, total } = await list(management, request, page, true)
      return pageBody(data, total, page)
    },
  )
  app.post<{ Body: TupleCreate }>(
    TUPLES,
    { config: change, schema: { body: TupleCreate, response: { 200: TupleRead } } },
    async (request, reply) =>
      tupleRead(request.scope, await write(management, request, reply, 'createTuple', request.body)),
  )
  app.delete<{ Body: TupleDelete }>(
    TUPLES,
    { config: change, schema: { body: TupleDelete, response: { 204: NoBody } } },
    async (request, reply) => {
      await write(management, request, reply, 'deleteTuple', request.body)
      return reply.code(204).send()
    },
  )
}

async function list(
  management: RouteContext,
  request: FastifyRequest<{ Querystring: Query }>,
  page: Page,
  counted: boolean,
) {
  const view = () => viewOf(management, request)
  const filters = filtersOf(view, request.query)
  const { rows, total } = await filtered(everyObject(view, 'relationship_tuple'), filters, page, counted)
  const now = view()
  // a row that went while a search was looking is left out
  const there = rows.filter(({ key }) => now.get('relationship_tuple', key))
  return { data: there.map((row) => tupleDetailed(request.scope, now, row)), total }
}

/** `tenant`, `subject` and `object` (id or `type:key`), `relation`, `object_type`, `subject_type`. What names nothing finds nothing. */
function filtersOf(view: () => View, query: Query): Filter<RelationshipTuple>[] {
  const now = view()
  const filters: Filter<RelationshipTuple>[] = []
  for (const [name, kind, index] of NAMED) {
    const ref = readText(query, name)
    if (ref === undefined) continue
    const key = now.find(kind, ref)?.key
    filters.push({
      sources: key === undefined ? [] : [indexed(view, index, key)],
      fits: (row) => row[name] === key,
    })
  }
  const relation = readText(query, 'relation')
  if (relation !== undefined) {
    const byId = now.find('relation', relation)
    filters.push(related(view, byId ? [byId] : [...now.by('relations_named', relation)]))
  }
  const objectType = readText(query, 'object_type')
  if (objectType !== undefined) {
    const key = now.find('resource', objectType)?.key ?? ''
    filters.push(related(view, [...now.by('relations_of_resource', key)]))
  }
  const subjectType = readText(query, 'subject_type')
  if (subjectType !== undefined) {
    const key = now.find('resource', subjectType)?.key ?? ''
    filters.push(related(view, [...now.by('relations_from_subject', key)]))
  }
  return filters
}

const NAMED = [
  ['tenant', 'tenant', 'tuples_of_tenant'],
  ['subject', 'resource_instance', 'tuples_of_subject'],
  ['object', 'resource_instance', 'tuples_of_object'],
] as const

/** Tuples of any of these relations: the types of subject and object are those that the relation declares. */
function related(view: () => View, relations: readonly Relation[]): Filter<RelationshipTuple> {
  const keys = new Set(relations.map(({ key }) => key))
  return {
    sources: [...keys].map((key) => indexed(view, 'tuples_of_relation', key)),
    fits: ({ object, relation }) => keys.has(`${object.slice(0, object.indexOf(':'))}/${relation}`),
  }
}
