// The law from end to end: of the rows of a database, a query with the filter of a random policy finds those that a
// check of the row allows, through every way of writing the query. The row that is checked is the one that was read
// back, so that what a column does to a value is part of it.
import fc from 'fast-check'
import { expect } from 'vitest'
import type { AttributeColumn, Mapping, RelationColumn } from '../../src/filters/meaning/mapping.ts'
import { type ResourceOptions, toResource } from '../../src/filters/rows.ts'
import { type DialectName, toSql } from '../../src/filters/to-sql.ts'
import { eachLeaf } from '../../src/image/filter/simplify.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { Filter } from '../../src/model/filter.ts'
import type { Json, JsonObject } from '../../src/model/objects.ts'
import {
  type Drawn,
  makeFilter,
  makeSituation,
  refusedOr,
  rowsFor,
  situations,
  timedSituations,
} from '../property/filter-law.ts'
import { numbers } from '../property/numbers.ts'
import { parameters } from '../property/seed.ts'
import { makeWords } from '../property/set-edits.ts'
import { bordersIn, busiestInstant, instantsAround } from '../property/times.ts'
import { ATTRIBUTES, type Next } from '../property/values.ts'
import { check } from '../reference/check.ts'
import { withoutEverybody } from '../reference/everybody.ts'
import type { Policy } from '../reference/policy.ts'
import { askedAt, type Request, resolveTenant } from '../reference/request.ts'
import { rulesFor } from '../reference/sets.ts'
import { isSuspended } from '../reference/suspensions.ts'
import { type Instant, policyIn } from '../support/instants.ts'
import type { Row } from '../support/rows.ts'
import type { World } from '../support/world.ts'
import { listColumns, RELATIONS, TABLES, type TablesName } from './policy-tables.ts'
import { DECLARED, pick } from './random-rows.ts'

/**
 * Numbers of the rows of a question that a query with the filter finds, in order; `now` is the instant of the query,
 * without one that of the clock.
 */
export type Find = (question: number, filter: Filter, mapping: Mapping, now: Instant) => Promise<number[]>

/** A database with the tables of ./policy-tables.ts. */
export interface PolicyDatabase {
  readonly name: TablesName
  /** Makes what the ways ask by. @throws FILTER_REFUSED for what none of them can say */
  readonly say: (filter: Filter, mapping: Mapping, now: Instant) => unknown
  /** Puts rows there in place of others: for each table values in the order of its columns. */
  readonly put: (facts: unknown[][], links: readonly unknown[][][]) => Promise<void>
  /** All rows of a table, as the driver gives them. */
  readonly all: (table: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly ways: Readonly<Record<string, Find>>
  /** how the driver gives a row */
  readonly resources?: ResourceOptions
}

/** What the law asks of a database by SQL. */
export const saysSql =
  (name: DialectName): PolicyDatabase['say'] =>
  (filter, mapping, now) =>
    toSql(filter, mapping, name, { table: 'facts', ...(now === undefined ? {} : { now }) })

/** A question of a random policy, the rows that it is about, and where these are held. */
interface Asked {
  readonly request: Request
  /** when the rows are asked for, from when the filter was made until before it ends; and what is in force then */
  readonly at: Instant
  readonly policy: Policy
  readonly tenant: string
  readonly filter: Filter
  readonly mapping: Mapping
  readonly rows: readonly Row[]
  readonly tenants: readonly (string | null)[]
}

interface Counts {
  /** questions with their rows, each asked in every way */
  cases: number
  rows: number
  found: number
  /** questions that find some rows of the tenant and not all */
  telling: number
  /** questions at an instant, in policies with times, and those of them whose filter ends */
  timed: number
  ending: number
  /** questions about users who are suspended */
  suspended: number
  /** questions that would find fewer rows without rules for roles on instances, and without what everybody has (D16) */
  byRoleSides: number
  byEverybody: number
  /** questions in policies in which everybody has roles, and those of who is not stored or not signed in */
  everybody: number
  unknown: number
  /** questions whose filter no query of this database can say, by the reason */
  readonly refused: Map<string, number>
}

const noCounts = (): Counts => ({
  ...{ cases: 0, rows: 0, found: 0, telling: 0, timed: 0, ending: 0, suspended: 0, byRoleSides: 0 },
  ...{ byEverybody: 0, everybody: 0, unknown: 0 },
  refused: new Map(),
})

/** Where a way does not find the rows that checks allow. */
class Difference extends Error {
  constructor(what: object) {
    super(JSON.stringify(what, null, 1))
  }
}

/** Asks the questions of so many random policies, half of them with times, and prints how many they were. */
export async function tryPolicies(name: string, database: PolicyDatabase, policies: number): Promise<void> {
  const counts = noCounts()
  const law = fc.asyncProperty(fc.oneof(situations, timedSituations), (drawn) => policyLaw(database, drawn, counts))
  const { seed, numRuns } = parameters(policies)
  // what differs says all that there is to say, and to shrink it takes long
  await fc.assert(law, { seed, numRuns, endOnFailure: true })
  const { cases, rows, found, telling, timed, ending, suspended, byRoleSides, refused } = counts
  process.stdout.write(
    `${name}, seed ${seed}: ${cases} questions of random policies about ${rows} rows agree with checks, by ` +
      `${Object.keys(database.ways).join(', ')}; ${found} rows found, ${telling} questions find some and not all; ` +
      `${timed} at an instant, ${ending} with a filter that ends, ${suspended} about suspended users, ` +
      `${byRoleSides} with rows by a role under a condition; ${[...refused.values()].reduce((sum, each) => sum + each, 0)} refused\n`,
  )
  expect(cases).toBeGreaterThan(numRuns / 2)
  expect(telling).toBeGreaterThan(cases / 10)
  expect(found).toBeGreaterThan(rows / 30)
  for (const share of [timed / 4, ending, suspended, byRoleSides]) expect(share).toBeGreaterThan(cases / 40)
}

/** Asks the questions of one drawn policy. @throws Difference */
async function policyLaw(database: PolicyDatabase, drawn: Drawn, counts: Counts): Promise<void> {
  const next = numbers(drawn.seed)
  const asked = listQuestions(database, drawn, next, counts)
  if (asked.length === 0) return
  await fill(database, asked)
  // a database gives them in any order
  const stored = [...(await database.all('facts'))].sort((one, other) => Number(one.n) - Number(other.n))
  const links = await Promise.all(Array.from({ length: RELATIONS }, (_, place) => database.all(`links_${place}`)))
  for (const [question, each] of asked.entries()) {
    const rows = stored.filter((row) => Number(row.question) === question).map((row) => withLinks(row, links))
    const ofTenant = rows.filter(({ org }) => org === each.tenant)
    const resources = ofTenant.map((row) => toResource(row, each.mapping, database.resources ?? {}))
    const allowedBy = (policy: Policy) =>
      ofTenant.filter((_, at) => isAllowed(policy, each.request, resources[at]!)).map(({ n }) => Number(n))
    const allowed = allowedBy(each.policy)
    const { at, filter, mapping, request } = each
    for (const [way, find] of Object.entries(database.ways)) {
      const found = await find(question, filter, mapping, at)
      if (found.join() !== allowed.join()) {
        const differing = rows.filter(({ n }) => found.includes(Number(n)) !== allowed.includes(Number(n)))
        throw new Difference({ way, found, allowed, request, at, filter, mapping, row: plain(differing[0]!) })
      }
      if (filter.validUntil !== undefined && !(await hasEnded(find(question, filter, mapping, filter.validUntil))))
        throw new Difference({ way, request, at, filter, mapping, after: 'its end' })
    }
    counts.cases++
    counts.rows += rows.length
    counts.found += allowed.length
    if (allowed.length > 0 && allowed.length < ofTenant.length) counts.telling++
    if (at !== undefined) counts.timed++
    if (filter.validUntil !== undefined) counts.ending++
    if (isSuspended(each.policy, request.user)) counts.suspended++
    if (!each.policy.user.has(request.user)) counts.unknown++
    const own = withoutEverybody(each.policy)
    if (own !== each.policy) counts.everybody++
    const isFewerBy = (policy: Policy) => policy !== each.policy && allowedBy(policy).length < allowed.length
    if (allowed.length > 0 && isFewerBy(withoutRoleSides(each))) counts.byRoleSides++
    if (allowed.length > 0 && isFewerBy(own)) counts.byEverybody++
  }
}

/** Whether a query is refused because its filter has ended (D15). */
async function hasEnded(found: Promise<unknown>): Promise<boolean> {
  try {
    await found
    return false
  } catch (error) {
    if (isZerohopError(error, 'FILTER_EXPIRED')) return true
    throw error
  }
}

function withoutRoleSides({ policy, request }: Asked): Policy {
  const ofRoles = rulesFor(policy, request).filter(({ user_set }) => user_set.includes('#'))
  if (ofRoles.length === 0) return policy
  return { ...policy, set_rule: new Map([...policy.set_rule].filter(([, rule]) => !ofRoles.includes(rule))) }
}

const plain = (row: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && `${value}` !== ''))

/** The questions whose filter the database can say. */
function listQuestions({ name, say }: PolicyDatabase, drawn: Drawn, next: Next, { refused }: Counts): Asked[] {
  const { image, world, pool, requests } = makeSituation(drawn, next)
  const times = bordersIn(world.policy).length === 0 ? [] : instantsAround(world.policy)
  const asked: Asked[] = []
  for (const each of requests) {
    const made = times.length === 0 ? undefined : next(3) === 0 ? pick(next, times) : busiestInstant(world.policy, next)
    const request = made === undefined ? each : askedAt(each, made)
    const tenant = resolveTenant(world.policy, request)
    const make = () => makeFilter(image, request, tenant)
    const filter = refusedOr(() => (made === undefined ? make() : image.guardAt(made, make)))
    const rows = [...rowsFor(world, makeWords(world, pool), request, next)]
    if (filter === undefined) continue
    // most that mean all rows or none are left out: they would be more than half
    const isRare = filter.kind === 'when' || isSuspended(policyIn(world.policy, made), request.user)
    if (!isRare && next(4) > 0) continue
    const mapping = makeMapping(name, world, request, filter, rows, next)
    const { validUntil = Number.POSITIVE_INFINITY } = filter
    const at =
      made === undefined
        ? undefined
        : pick(
            next,
            times.filter((time) => made <= time && time < validUntil),
          )
    try {
      say(filter, mapping, at)
    } catch (error) {
      if (!isZerohopError(error, 'FILTER_REFUSED')) throw error
      const reason = error.message.replaceAll(/`[^`]*`/g, '…')
      refused.set(reason, (refused.get(reason) ?? 0) + 1)
      continue
    }
    const other = [...world.policy.tenant.keys()].find((key) => key !== tenant) ?? 'other'
    const others = [other, tenant.toUpperCase(), null]
    const tenants = rows.map(() => (next(3) > 0 ? tenant : pick(next, others)))
    asked.push({ policy: policyIn(world.policy, at), request, at, tenant, filter, mapping, rows, tenants })
  }
  return asked
}

/** A column for each attribute that holds, mostly, what the rows have, and one or a table that joins for relations. */
function makeMapping(
  name: TablesName,
  { policy }: World,
  { resource: { type } }: Request,
  filter: Filter,
  rows: readonly Row[],
  next: Next,
): Mapping {
  const declared = policy.resource.get(type)?.attributes ?? {}
  const { forms: all, columnName, joins } = TABLES[name]
  const forms = Object.entries(all)
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
    if (next(2) === 0 || !joins) return [name, { resource, column: `related_${place}` }]
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
function attributeValues(name: TablesName, mapping: Mapping, own: JsonObject): [string, unknown][] {
  return Object.entries(mapping.attributes!).map(([attribute, { column }]) => {
    const form = TABLES[name].forms[/^[a-z]+/.exec(column as string)![0]]!
    const value: Json = Object.hasOwn(own, attribute) ? own[attribute]! : null
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
  policy: Policy,
  request: Request,
  { key, tenant, attributes, relations }: ReturnType<typeof toResource>,
): boolean {
  const { type } = request.resource
  const resource = { type, tenant: tenant!, relations, isRow: true, ...(key === null ? {} : { key }) }
  return check(policy, { ...request, resource, sent: { ...request.sent, resource: attributes } })
}
