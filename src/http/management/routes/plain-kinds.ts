// The routes of kinds that have nothing but a key and regular fields: list, create, read, change and delete, at the name
// of their section in policy files.
import type { FastifyInstance } from 'fastify'
import { KINDS, type Objects, type PlainKind, type SearchedKind } from '../../../kinds/index.ts'
import { toPascalCase } from '../../../kinds/pascal-case.ts'
import type { FactName } from '../../../management/objects/fact-writes.ts'
import { printClaims } from '../../../management/schemas/claims.ts'
import { PLAIN_SCHEMAS } from '../../../management/schemas/plain-kinds.ts'
import { attributeFilter, counted, page, query, search } from '../../../management/schemas/query-parameters.ts'
import type * as t from '../../../model/json-schema.ts'
import { type Page, readAttributeFilters, readText } from '../../page.ts'
import { everyObject, findNamed, hasAttributes, type Rows } from '../collection-pages.ts'
import { type Asked, collectionRoutes, FACTS, SCHEMA } from '../collection-routes.ts'
import { fieldPrinter } from '../render/fields.ts'
import { place, times } from '../render/stamps.ts'
import type { RouteContext } from '../route-context.ts'
import { found, isSearched } from '../text-search.ts'

/** Kinds whose writes can be repeated. */
const FACT_OF: { readonly [K in PlainKind]?: FactName } = { tenant: 'tenants' }

export function plainRoutes<K extends PlainKind>(app: FastifyInstance, management: RouteContext, kind: K): void {
  const { inFiles, fields } = KINDS[kind]
  const { create, update, replace, answer }: (typeof PLAIN_SCHEMAS)[PlainKind] = PLAIN_SCHEMAS[kind]
  const printFields = fieldPrinter(fields)
  // the use cases of plain kinds have these names: src/management/host/plain-use-cases.ts
  const useCase = (verb: string) => `${verb}${toPascalCase(kind)}` as never
  collectionRoutes<Objects[K], t.TSchema, t.TSchema, t.TSchema>(app, management, {
    path: `/v2/${inFiles.isFact ? 'facts' : 'schema'}/:p/:e/${inFiles.section}/:ref`,
    tag: inFiles.section,
    noun: kind.replaceAll('_', ' '),
    operations: inFiles.isFact ? FACTS : SCHEMA,
    tagged: kind,
    find: ({ view, ref }) => view().require(kind, ref),
    answer,
    print: ({ scope }, objects) =>
      objects.map((object) => {
        const { id, key } = object
        return Object.assign(printFields({ id, key }, object, key), place(scope), times(object), printClaims(object))
      }),
    list: {
      query: query({ ...page, ...('attributes' in fields ? attributeFilter : {}), ...counted, ...search }),
      form: 'array or page',
      rows: (asked, page, counted) => listPlain(kind, asked, page, counted),
    },
    create: { body: create, useCase: useCase('create') },
    ...(FACT_OF[kind] ? { fact: FACT_OF[kind] } : {}),
    update: { body: update, useCase: useCase('update') },
    replace: { body: replace, useCase: useCase('replace') },
    remove: useCase('delete'),
  })
}

/** Objects by `search` (key, name) and `attr_…`. */
function listPlain<K extends PlainKind>(
  kind: K,
  { view, query }: Asked,
  page: Page,
  counted: boolean,
): Promise<Rows<Objects[K]>> {
  const search = readText(query, 'search')
  if (search === undefined || !isSearched(kind)) return findNamed(everyObject(view, kind), query, page, counted)
  const filters = readAttributeFilters(query)
  const fits = hasAttributes(filters)
  const further = filters.length === 0 ? {} : { fits: (one: Objects[K & SearchedKind]) => fits(one.attributes) }
  return found(view, kind, { parts: [search] }, page, { counted, ...further })
}
