// Condition sets: /v2/schema/{p}/{e}/condition_sets. Sets that stand for a role or a resource are not stored, so they
// are not listed.
import type { FastifyInstance } from 'fastify'
import type { ConditionSet } from '../../../kinds/condition-set.ts'
import { ancestorSteps, conditionSets, descendantSteps, descendants } from '../../../management/rules/hierarchy.ts'
import {
  ConditionSetCreate,
  ConditionSetQuery,
  ConditionSetRead,
  ConditionSetReplace,
  ConditionSetUpdate,
} from '../../../management/schemas/condition-sets.ts'
import { PageQuery } from '../../../management/schemas/query-parameters.ts'
import { ZerohopError } from '../../../model/errors.ts'
import { type Page, readText } from '../../page.ts'
import { everyObject, matcher, paged, type Rows, searched } from '../collection-pages.ts'
import { type Asked, collectionRoutes, listRoute, SCHEMA } from '../collection-routes.ts'
import { ordered } from '../ordered-rows.ts'
import { placeRelatives } from '../relatives.ts'
import { conditionSetRead } from '../render/schema.ts'
import type { RouteContext } from '../route-context.ts'

const SET = '/v2/schema/:p/:e/condition_sets/:ref'

export function conditionSetRoutes(app: FastifyInstance, management: RouteContext): void {
  collectionRoutes(app, management, {
    path: SET,
    tag: 'condition_sets',
    noun: 'condition set',
    operations: SCHEMA,
    tagged: 'condition_set',
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
  const family = (path: string, summary: string, rows: (asked: Asked, page: Page) => Promise<Rows<ConditionSet>>) =>
    listRoute(app, management, {
      path: `${SET}/${path}`,
      tag: 'condition_sets',
      summary,
      operation: 'schema.read',
      query: PageQuery,
      form: 'array',
      rows,
      answer: ConditionSetRead,
      print: printSets,
    })
  const inherited =
    (stepsOf: typeof ancestorSteps) =>
    async ({ view, ref }: Asked, page: Page) => {
      const now = view()
      const steps = stepsOf(conditionSets(now), now.require('condition_set', ref).key)
      return ordered(placeRelatives(now, 'condition_set', steps), page)
    }
  family('ancestors', 'List the parents of a condition set', inherited(ancestorSteps))
  family('descendants', 'List the children of a condition set', inherited(descendantSteps))
  family('possible_parents', 'List possible parents of a condition set', ({ view, ref }, page) => {
    const { key, type, resource } = view().require('condition_set', ref)
    const below = new Set([key, ...descendants(conditionSets(view()), key)])
    const fits = (set: ConditionSet) => set.type === type && set.resource === resource && !below.has(set.key)
    return searched(everyObject(view, 'condition_set'), page, (set) => (fits(set) ? set : undefined), false)
  })
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
