// Relationship tuples: /v2/facts/{p}/{e}/relationship_tuples. DELETE carries a body; filters take ids or keys.
import type { FastifyInstance } from 'fastify'
import type { Relation } from '../../../kinds/relation.ts'
import type { RelationshipTuple } from '../../../kinds/relationship-tuple.ts'
import type { Related } from '../../../management/objects/tuples.ts'
import { SETTLED_QUERY, TupleWritten, WriteReport } from '../../../management/schemas/fact-writes.ts'
import { NoBody } from '../../../management/schemas/schema-parts.ts'
import {
  TupleCreate,
  TupleDelete,
  TupleDetailed,
  TupleDetailedQuery,
  TupleQuery,
  TupleRead,
} from '../../../management/schemas/tuples.ts'
import type { StoredView } from '../../../store/view.ts'
import { describe } from '../../description.ts'
import { type Page, type Query, readFlag, readText } from '../../page.ts'
import { type Filter, indexed, referring } from '../collection-pages.ts'
import { type Asked, listRoute } from '../collection-routes.ts'
import { writeOne, writeSettled } from '../fact-writes.ts'
import { tupleDetailed, tupleRead } from '../render/facts.ts'
import { type RouteContext, write } from '../route-context.ts'
import { listTimed } from '../time-states.ts'

const TUPLES = '/v2/facts/:p/:e/relationship_tuples'
const change = { operation: 'facts.write', tag: 'relationship_tuples' } as const

export function tupleRoutes(app: FastifyInstance, management: RouteContext): void {
  listRoute(app, management, {
    path: TUPLES,
    tag: 'relationship_tuples',
    summary: 'List relationship tuples',
    operation: 'facts.read',
    query: TupleQuery,
    form: 'array or page',
    rows: ({ view, query }, page, counted) => {
      readFlag(query, 'detailed') // a list shows the details in any case
      return listTuples(view, query, page, counted)
    },
    answer: TupleRead,
    print: printTuples,
  })
  listRoute(app, management, {
    path: `${TUPLES}/detailed`,
    tag: 'relationship_tuples',
    summary: 'List relationship tuples with their objects',
    operation: 'facts.read',
    query: TupleDetailedQuery,
    form: 'page',
    rows: ({ view, query }, page) => listTuples(view, query, page, true),
    answer: TupleDetailed,
    print: printTuples,
  })
  tupleWrites(app, management)
}

function tupleWrites(app: FastifyInstance, management: RouteContext): void {
  const fact = 'tuples'
  const made = { querystring: SETTLED_QUERY.POST, body: TupleCreate, response: { 200: TupleWritten } }
  app.post<{ Body: TupleCreate }>(
    TUPLES,
    describe(change, 'Create a relationship tuple', made),
    async (request, reply) => {
      const { scope, body } = request
      const sent = { fact, method: 'POST', items: [body] } as const
      const one = await writeOne<Related>(management, request, reply, 'createTuple', sent)
      if (one !== undefined) return { ...tupleRead(scope, one.object), ...one.shown }
      return tupleRead(scope, await write(management, request, reply, 'createTuple', body))
    },
  )
  const response = { 200: TupleWritten, 201: TupleWritten }
  const put = { querystring: SETTLED_QUERY.PUT, body: TupleCreate, response }
  app.put<{ Body: TupleCreate }>(
    TUPLES,
    describe(change, 'Create or change a relationship tuple', put),
    async (request, reply) => {
      const sent = { fact, method: 'PUT', items: [request.body] } as const
      const one = await writeOne<Related>(management, request, reply, 'putTuple', sent)
      const { object, created } = one
        ? { object: one.object, created: one.shown.outcome === 'created' }
        : await write(management, request, reply, 'putTuple', request.body)
      reply.code(created ? 201 : 200)
      return { ...tupleRead(request.scope, object), created, ...one?.shown }
    },
  )
  const gone = { querystring: SETTLED_QUERY.DELETE, body: TupleDelete, response: { 200: WriteReport, 204: NoBody } }
  app.delete<{ Body: TupleDelete }>(
    TUPLES,
    describe(change, 'Delete a relationship tuple', gone),
    async (request, reply) => {
      const sent = { fact, method: 'DELETE', items: [request.body] } as const
      const report = await writeSettled(management, request, reply, 'deleteTuple', sent)
      if (report !== undefined) return report
      await write(management, request, reply, 'deleteTuple', request.body)
      return reply.code(204).send()
    },
  )
}

const listTuples = (view: () => StoredView, query: Query, page: Page, counted: boolean) =>
  listTimed(view, 'relationship_tuple', query, page, counted, (visible) => listFilters(visible, query))

function printTuples({ scope, view }: Asked, tuples: readonly RelationshipTuple[]) {
  const now = view()
  // a row that went while a search was looking is left out
  const there = tuples.filter(({ key }) => now.get('relationship_tuple', key))
  return there.map((row) => tupleDetailed(scope, now, row))
}

/**
 * `tenant`, `subject` and `object` (id or `type:key`), `relation`, `object_type`, `subject_type`. What names nothing
 * finds nothing.
 */
function listFilters(view: () => StoredView, query: Query): Filter<RelationshipTuple>[] {
  const now = view()
  const filters: Filter<RelationshipTuple>[] = []
  for (const [name, kind, index] of NAMED) {
    const ref = readText(query, name)
    if (ref === undefined) continue
    filters.push(referring(view, index, now.find(kind, ref)?.key, (row) => row[name]))
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
function related(view: () => StoredView, relations: readonly Relation[]): Filter<RelationshipTuple> {
  const keys = new Set(relations.map(({ key }) => key))
  return {
    sources: [...keys].map((key) => indexed(view, 'tuples_of_relation', key)),
    fits: ({ object, relation }) => keys.has(`${object.slice(0, object.indexOf(':'))}/${relation}`),
  }
}
