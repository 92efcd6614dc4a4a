// The law from end to end: of the rows of a database, a query with the filter of a random policy finds those that a
// check of the row allows, through every way of writing the query. The row that is checked is the one that was read
// back, so that what a column does to a value is part of it.
import type { AttributeColumn, Mapping, RelationColumn } from '../../src/filters/meaning/mapping.ts'
import { toResource } from '../../src/filters/rows.ts'
import { type DialectName, toSql } from '../../src/filters/to-sql.ts'
import { eachLeaf } from '../../src/image/filter/simplify.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { Filter } from '../../src/model/filter.ts'
import type { Json, JsonObject } from '../../src/model/objects.ts'
import { type Drawn, makeFilter, makeSituation, refusedOr, rowsFor } from '../property/filter-law.ts'
import { numbers } from '../property/numbers.ts'
import { makeWords } from '../property/set-edits.ts'
import { ATTRIBUTES, type Next } from '../property/values.ts'
import { check } from '../reference/check.ts'
import { type Request, resolveTenant } from '../reference/request.ts'
import type { Row } from '../support/rows.ts'
import type { World } from '../support/world.ts'
import { columnName, FORMS, listColumns, RELATIONS } from './policy-tables.ts'
import { DECLARED, pick } from './random-rows.ts'

/** Numbers of the rows of a question that a query with the filter finds, in order. */
export type Find = (question: number, filter: Filter, mapping: Mapping) => Promise<number[]>

/** A database with the tables of ./policy-tables.ts. */
export interface PolicyDatabase {
  readonly name: DialectName
  /** Puts rows there in place of others: for each table values in the order of its columns. */
  readonly put: (facts: unknown[][], links: readonly unknown[][][]) => Promise<void>
  /** All rows of a table, as the driver gives them. */
  readonly all: (table: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly ways: Readonly<Record<string, Find>>
}

/** A question of a random policy, the rows that it is about, and where these are held. */
interface Asked {
  readonly world: World
  readonly request: Request
  readonly tenant: string
  readonly filter: Filter
  readonly mapping: Mapping
  readonly rows: readonly Row[]
  readonly tenants: readonly (string | null)[]
}

export interface Counts {
  /** questions with their rows, each asked in every way */
  cases: number
  rows: number
  found: number
  /** questions that find some rows of the tenant and not all */
  telling: number
  /** questions whose filter no query of this database can say, by the reason */
  readonly refused: Map<string, number>
}

export const noCounts = (): Counts => ({ cases: 0, rows: 0, found: 0, telling: 0, refused: new Map() })

/** Where a way does not find the rows that checks allow. */
class Difference extends Error {
  constructor(what: object) {
    super(JSON.stringify(what, null, 1))
  }
}

/** Asks the questions of one drawn policy. @throws Difference */
export async function policyLaw(database: PolicyDatabase, drawn: Drawn, counts: Counts): Promise<void> {
  const next = numbers(drawn.seed)
  const asked = listQuestions(database.name, drawn, next, counts)
  if (asked.length === 0) return
  await fill(database, asked)
  const stored = await database.all('facts')
  const links = await Promise.all(Array.from({ length: RELATIONS }, (_, place) => database.all(`links_${place}`)))
  for (const [question, each] of asked.entries()) {
    const rows = stored.filter((row) => Number(row.question) === question).map((row) => withLinks(row, links))
    const ofTenant = rows.filter(({ org }) => org === each.tenant)
    const allowed = ofTenant.filter((row) => isAllowed(each, row, database.name)).map(({ n }) => Number(n))
    for (const [way, find] of Object.entries(database.ways)) {
      const found = await find(question, each.filter, each.mapping)
      if (found.join() === allowed.join()) continue
      const differing = rows.filter(({ n }) => found.includes(Number(n)) !== allowed.includes(Number(n)))
      const { filter, mapping, request } = each
      throw new Difference({ way, found, allowed, request, filter, mapping, row: plain(differing[0]!) })
    }
    counts.cases++
    counts.rows += rows.length
    counts.found += allowed.length
    if (allowed.length > 0 && allowed.length < ofTenant.length) counts.telling++
  }
}

const plain = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && `${value}` !== ''))

/** The questions whose filter the database can say. */
function listQuestions(dialect: DialectName, drawn: Drawn, next: Next, { refused }: Counts): Asked[] {
  const { image, world, pool, requests } = makeSituation(drawn, next)
  const asked: Asked[] = []
  for (const request of requests) {
    const tenant = resolveTenant(world.policy, request)
    const filter = refusedOr(() => makeFilter(image, request, tenant))
    const rows = [...rowsFor(world, makeWords(world, pool), request, next)]
    // most that mean all rows or none are left out: they would be more than half
    if (filter === undefined || (filter.kind !== 'when' && next(4) > 0)) continue
    const mapping = makeMapping(dialect, world, request, filter, rows, next)
    try {
      toSql(filter, mapping, dialect, { table: 'facts' })
    } catch (error) {
      if (!isZerohopError(error, 'FILTER_REFUSED')) throw error
      const reason = error.message.replaceAll(/`[^`]*`/g, '…')
      refused.set(reason, (refused.get(reason) ?? 0) + 1)
      continue
    }
    const other = [...world.policy.tenant.keys()].find((key) => key !== tenant) ?? 'other'
    const others = [other, tenant.toUpperCase(), null]
    const tenants = rows.map(() => (next(3) > 0 ? tenant : pick(next, others)))
    asked.push({ world, request, tenant, filter, mapping, rows, tenants })
  }
  return asked
}

/** A column for each attribute that holds, mostly, what the rows have, and one or a table that joins for relations. */
function makeMapping(
  dialect: DialectName,
  { policy }: World,
  { resource: { type } }: Request,
  filter: Filter,
  rows: readonly Row[],
  next: Next,
): Mapping {
  const declared = policy.resource.get(type)?.attributes ?? {}
  const forms = Object.entries(FORMS[dialect])
  const leaves = filter.kind === 'when' ? [...eachLeaf(filter.where)] : []
  const terms = leaves.flatMap((leaf) => ('op' in leaf ? [leaf.left, leaf.right] : 'match' in leaf ? [leaf.left] : []))
  /** attributes that have members which the filter reads */
  const objects = new Set(terms.flatMap((term) => ('path' in term && term.path.length > 1 ? [term.path[0]!] : [])))
  const attributes = ATTRIBUTES.map((name): [string, AttributeColumn] => {
    const of = Object.hasOwn(declared, name) ? declared[name]! : 'json'
    const fitting = forms.filter(([, { type: each }]) =>
      objects.has(name) ? each === 'json' : DECLARED[each]!.includes(of),
    )
    const held = ([, { write }]: (typeof forms)[number]) =>
      rows.filter(({ attributes: own }) => Object.hasOwn(own, name) && write(own[name]!) !== undefined).length
    const most = Math.max(...fitting.map(held))
    const [form, { type: columnType, collation }] = pick(
      next,
      fitting.filter((each) => held(each) === most || next(8) === 0),
    )
    return [name, { column: columnName(name, form), type: columnType, ...(collation ? { collation } : {}) }]
  })
  const types = new Map(leaves.flatMap((leaf) => ('related' in leaf ? [[leaf.related, leaf.type] as const] : [])))
  if (types.size > RELATIONS) throw new Error(`a filter reads more than ${RELATIONS} relations`)
  const relations = [...types].map(([name, resource], place): [string, RelationColumn] => {
    if (next(2) === 0) return [name, { resource, column: `related_${place}` }]
    return [
      name,
      { resource, property: `links_${place}`, through: { table: `links_${place}`, from: 'id', to: 'related' } },
    ]
  })
  return {
    tenant: 'org',
    key: 'id',
    attributes: Object.fromEntries(attributes),
    relations: Object.fromEntries(relations),
  }
}

async function fill({ name, put }: PolicyDatabase, asked: readonly Asked[]): Promise<void> {
  const columns = listColumns(name)
  const links: unknown[][][] = Array.from({ length: RELATIONS }, () => [])
  const facts: unknown[][] = []
  for (const [question, { mapping, rows, tenants }] of asked.entries()) {
    for (const [at, row] of rows.entries()) {
      const values = new Map<string, unknown>([
        ['n', facts.length],
        ['question', question],
        ['org', tenants[at]],
        ['id', row.key],
        ...attributeValues(name, mapping, row.attributes),
      ])
      for (const [relation, { resource, ...held }] of Object.entries(mapping.relations!)) {
        const related = Object.hasOwn(row.relations, relation) ? row.relations[relation]! : []
        const keys = related.flatMap((each) =>
          each.startsWith(`${resource}:`) ? [each.slice(resource.length + 1)] : [],
        )
        if ('column' in held) values.set(held.column as string, keys[0])
        else for (const key of keys) if (row.key !== undefined) links[linkPlace(held)]!.push([row.key, key])
      }
      facts.push(columns.map((column) => values.get(column) ?? null))
    }
  }
  await put(facts, links)
}

const linkPlace = ({ property }: { readonly property?: string }) => Number(property!.slice('links_'.length))

/** What the column of each attribute holds of a row: nothing where it cannot hold the value. */
function attributeValues(dialect: DialectName, mapping: Mapping, own: JsonObject): [string, unknown][] {
  return Object.entries(mapping.attributes!).map(([name, { column }]) => {
    const form = FORMS[dialect][String(column).split(' ')[0]!]!
    const value: Json = Object.hasOwn(own, name) ? own[name]! : null
    return [column as string, value === null ? null : form.write(value)]
  })
}

/** The row with the keys that tables which join hold for it. */
function withLinks(
  row: Readonly<Record<string, unknown>>,
  links: readonly (readonly Readonly<Record<string, unknown>>[])[],
): Readonly<Record<string, unknown>> {
  const joined = links.map((each, place) => [
    `links_${place}`,
    each.filter(({ id }) => row.id !== null && id === row.id).map(({ related }) => related),
  ])
  return { ...row, ...Object.fromEntries(joined) }
}

/** The definition of the check of the row, as an application asks it. */
function isAllowed(
  { world, request, mapping }: Asked,
  row: Readonly<Record<string, unknown>>,
  dialect: DialectName,
): boolean {
  const { key, tenant, attributes, relations } = toResource(row, mapping, dialect === 'sqlite' ? { dialect } : {})
  return check(world.policy, {
    ...request,
    resource: {
      type: request.resource.type,
      tenant: tenant!,
      relations,
      isRow: true,
      ...(key === null ? {} : { key }),
    },
    sent: { ...request.sent, resource: attributes },
  })
}
