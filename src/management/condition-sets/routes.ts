// Condition sets: /v2/schema/{p}/{e}/condition_sets. Sets that stand for a role or a resource are not stored, so they are not listed.
import type { FastifyInstance } from 'fastify'
import { type Page, type Query, readPage, readText } from '../../http/page.ts'
import { ZerohopError } from '../../model/errors.ts'
import { listOf } from '../../model/json-schema.ts'
import type { ConditionSet } from '../../model/objects.ts'
import type { View } from '../../store/view.ts'
import { ancestors, conditionSets, descendants } from '../hierarchy.ts'
import { everyObject, matcher, paged, type Rows, searched } from '../http/collection-pages.ts'
import { type Asked, collectionRoutes, SCHEMA } from '../http/collection-routes.ts'
import { conditionSetRead } from '../http/render-schema.ts'
import { type RouteContext, viewOf } from '../http/route-context.ts'
import { PageQuery } from '../query-parameters.ts'
import {
  ConditionSetCreate,
  ConditionSetQuery,
  ConditionSetRead,
  ConditionSetReplace,
  ConditionSetUpdate,
} from './schema.ts'

const SET = '/v2/schema/:p/:e/condition_sets/:ref'
const read = { operation: 'schema.read' } as const
interface Named {
  Params: { ref: string }
}

export function conditionSetRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: SET,
    operations: SCHEMA,
    find: ({ view, ref }) => view().require('condition_set', ref),
    answer: ConditionSetRead,
    print: printSets,
    list: { query: ConditionSetQuery, form: 'array or page', rows: listSets },
    create: { body: ConditionSetCreate, useCase: 'createConditionSet' },
    update: { body: ConditionSetUpdate, useCase: 'updateConditionSet' },
    replace: { body: ConditionSetReplace, useCase: 'replaceConditionSet' },
    remove: 'deleteConditionSet',
  })
  familyRoutes(app, management)
}

/** Sets above and below one, and those that may become its parent. */
function familyRoutes(app: FastifyInstance, management: RouteContext): void {
  const family = (path: string, keysOf: (view: View, key: string) => readonly string[]) =>
    app.get<Named & { Querystring: Query }>(
      `${SET}/${path}`,
      { config: read, schema: { querystring: PageQuery, response: { 200: listOf(ConditionSetRead) } } },
      (request) => {
        const page = readPage(request.query)
        const view = viewOf(management, request)
        const { key } = view.require('condition_set', request.params.ref)
        const keys = keysOf(view, key).slice(page.offset, page.offset + page.rows)
        return keys.map((one) => conditionSetRead(request.scope, view, view.require('condition_set', one)))
      },
    )
  family('ancestors', (view, key) => ancestors(conditionSets(view), key))
  family('descendants', (view, key) => descendants(conditionSets(view), key))
  app.get<Named & { Querystring: Query }>(
    `${SET}/possible_parents`,
    { config: read, schema: { querystring: PageQuery, response: { 200: listOf(ConditionSetRead) } } },
    async (request) => {
      const page = readPage(request.query)
      const fresh = () => viewOf(management, request)
      const { key, type, resource } = fresh().require('condition_set', request.params.ref)
      const below = new Set([key, ...descendants(conditionSets(fresh()), key)])
      const fits = (set: ConditionSet) => set.type === type && set.resource === resource && !below.has(set.key)
      const { rows } = await searched(
        everyObject(fresh, 'condition_set'),
        page,
        (set) => (fits(set) ? set : undefined),
        false,
      )
      const view = fresh()
      return rows.map((set) => conditionSetRead(request.scope, view, set))
    },
  )
}

function printSets({ scope, view }: Asked, sets: readonly ConditionSet[]) {
  const now = view()
  return sets.map((set) => conditionSetRead(scope, now, set))
}

/** Sets by `search` (key, name) and `type`. */
async function listSets({ view, query }: Asked, page: Page, counted: boolean): Promise<Rows<ConditionSet>> {
  const search = readText(query, 'search')
  const type = readText(query, 'type')
  if (type !== undefined && type !== 'userset' && type !== 'resourceset') {
    throw new ZerohopError('INPUT_INVALID', { reason: 'permitted: userset, resourceset' }, { path: ['query', 'type'] })
  }
  const source = everyObject(view, 'condition_set')
  if (search === undefined && type === undefined) return paged(source, page)
  const finds = matcher(search ?? '')
  const pick = (set: ConditionSet) =>
    (type === undefined || set.type === type) && finds(set.key, set.name) ? set : undefined
  return searched(source, page, pick, counted)
}
