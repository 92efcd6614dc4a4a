// The law from end to end: of the rows of a database, a query with the filter of a random policy finds those that a
// check of the row allows, through every way of writing the query. The row that is checked is the one that was read
// back, so that what a column does to a value is part of it.
import { writeFileSync } from 'node:fs'
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
import { linkTable, listColumns, POLICIES_IN_TABLES, RELATIONS, TABLES, type TablesName } from './policy-tables.ts'
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
  /** Puts rows there in place of others, of each table that is named: values in the order of its columns. */
  readonly put: (tables: ReadonlyMap<string, readonly unknown[][]>) => Promise<void>
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

type StoredRow = Readonly<Record<string, unknown>>

/** A question of a random policy, the rows that it is about, and where these are held. */
interface Asked {
  readonly drawn: Drawn
  /** its place among the policies whose rows are in the tables: each has tables of its own that join */
  readonly slot: number
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

/** What was asked: questions with their rows, each in every way. */
const noCounts = () => ({
  questions: 0,
  rows: 0,
  found: 0,
  /** find some rows of the tenant and not all */
  telling: 0,
  /** in policies with times (D15), at an instant; and those of them whose filter ends */
  timed: 0,
  ending: 0,
  /** about users who are suspended (D16) */
  suspended: 0,
  /** would find fewer rows without rules for roles on instances (D17), and without what everybody has (D16) */
  byRoleSides: 0,
  byEverybody: 0,
  /** in policies in which everybody has roles; of who is not stored, or not signed in */
  everybody: 0,
  unknown: 0,
  /** no query of this database can say their filter */
  refused: 0,
})
type Counts = ReturnType<typeof noCounts>

/** Where a way does not find the rows that checks allow. */
class Difference extends Error {
  constructor(what: object) {
    super(JSON.stringify(what, null, 1))
  }
}

const drawn = fc.oneof(situations, timedSituations)
/** Policies that are drawn from one seed, and those whose rows are in the tables at once. */
const POLICIES_AT_A_TIME = 40
/** After so many differences a run ends: they mostly are one. */
const DIFFERENCES_MAX = 5
const PROGRESS_MS = 5_000

/** What scripts/test-filters.mjs wants of a long run: how many questions, for how long, and where it reads the counts. */
const { FILTERS_QUESTIONS: wanted, FILTERS_MS: most = 'Infinity', FILTERS_SUMMARY: summary } = process.env

/**
 * Asks the questions of so many random policies, half of them with times, and prints how many they were; in a long run as
 * many questions as that says.
 */
export async function tryPolicies(name: string, database: PolicyDatabase, policies: number): Promise<void> {
  const counts = noCounts()
  const { seed, numRuns } = parameters(policies)
  const differences: Difference[] = []
  const end = performance.now() + Number(most)
  const isEnough = (asked: number) =>
    wanted === undefined ? asked >= numRuns : counts.questions >= Number(wanted) || performance.now() >= end
  const tables = new Tables(database)
  let printed = performance.now()
  for (let asked = 0; !isEnough(asked) && differences.length < DIFFERENCES_MAX; asked += POLICIES_AT_A_TIME) {
    const more = wanted === undefined ? Math.min(POLICIES_AT_A_TIME, numRuns - asked) : POLICIES_AT_A_TIME
    const policies = fc.sample(drawn, { seed: seed + asked, numRuns: more })
    for (let at = 0; at < more; at += POLICIES_IN_TABLES) {
      const each = policies.slice(at, at + POLICIES_IN_TABLES)
      differences.push(...(await findDifferences(tables, each, counts)))
    }
    if (wanted === undefined || performance.now() - printed < PROGRESS_MS) continue
    printed = performance.now()
    process.stdout.write(`${name}: ${counts.questions} questions, ${differences.length} differences\n`)
  }
  const text = tellCounts(counts)
  process.stdout.write(`${name}, seed ${seed}, by ${Object.keys(database.ways).join(', ')}: ${text}\n`)
  if (summary !== undefined)
    writeFileSync(summary, JSON.stringify({ name, questions: counts.questions, differences: differences.length, text }))
  for (const each of differences) throw each
  if (wanted !== undefined) return
  const { questions, rows, found, telling, timed, ending, suspended, byRoleSides, byEverybody, everybody, unknown } =
    counts
  expect(questions).toBeGreaterThan(numRuns / 2)
  expect(telling).toBeGreaterThan(questions / 10)
  expect(found).toBeGreaterThan(rows / 30)
  const shares = [timed / 4, ending, suspended, byRoleSides, byEverybody, everybody / 4, unknown]
  for (const share of shares) expect(share).toBeGreaterThan(questions / 50)
}

const tellCounts = (counts: Counts): string =>
  `${counts.questions} questions of random policies about ${counts.rows} rows; ${counts.found} rows are found; ` +
  `${counts.telling} questions find some and not all, ${counts.timed} are at an instant, ${counts.ending} have a filter that ends, ` +
  `${counts.suspended} are about suspended users, ${counts.byRoleSides} find rows by a role under a condition; in ${counts.everybody} ` +
  `everyone has roles, ${counts.byEverybody} find rows by them, ${counts.unknown} are of who is not stored; ${counts.refused} more are refused`

/** Asks the questions of drawn policies, whose rows are in the tables together. */
async function findDifferences(tables: Tables, policies: readonly Drawn[], counts: Counts): Promise<Difference[]> {
  const { database } = tables
  const asked = policies.flatMap((each, slot) => listQuestions(database, each, slot, counts))
  if (asked.length === 0) return []
  const rows = await tables.fill(asked)
  const outcomes = await Promise.allSettled(
    asked.map((each, question) => askQuestion(database, question, each, rows[question]!)),
  )
  const differences: Difference[] = []
  for (const [question, outcome] of outcomes.entries()) {
    counts.questions++
    if (outcome.status === 'fulfilled') count(counts, asked[question]!, outcome.value)
    else if (outcome.reason instanceof Difference) differences.push(outcome.reason)
    else differences.push(new Difference({ ...asked[question]!, policy: undefined, error: String(outcome.reason) }))
  }
  return differences
}

/** What is known of a question that every way answered as checks do. */
interface Answered {
  readonly rows: number
  readonly ofTenant: number
  readonly allowed: number
  /** how many of the rows of the tenant another policy allows */
  readonly allowedBy: (policy: Policy) => number
}

/** @throws Difference */
async function askQuestion(
  { ways, resources: options = {} }: PolicyDatabase,
  question: number,
  { drawn, policy, request, tenant, at, filter, mapping }: Asked,
  rows: readonly StoredRow[],
): Promise<Answered> {
  const ofTenant = rows.filter(({ org }) => org === tenant)
  const resources = ofTenant.map((row) => toResource(row, mapping, options))
  const allowedBy = (by: Policy) =>
    ofTenant.filter((_, place) => isAllowed(by, request, resources[place]!)).map(({ n }) => Number(n))
  const allowed = allowedBy(policy)
  const ask = async ([way, find]: readonly [string, Find]) => {
    const found = await find(question, filter, mapping, at)
    if (found.join() !== allowed.join()) {
      const differing = rows.filter(({ n }) => found.includes(Number(n)) !== allowed.includes(Number(n)))
      throw new Difference({ drawn, way, found, allowed, request, at, filter, mapping, row: plain(differing[0]!) })
    }
    if (filter.validUntil !== undefined && !(await hasEnded(find(question, filter, mapping, filter.validUntil))))
      throw new Difference({ drawn, way, request, at, filter, mapping, after: 'its end' })
  }
  await Promise.all(Object.entries(ways).map(ask))
  return {
    rows: rows.length,
    ofTenant: ofTenant.length,
    allowed: allowed.length,
    allowedBy: (by) => allowedBy(by).length,
  }
}

function count(counts: Counts, asked: Asked, { rows, ofTenant, allowed, allowedBy }: Answered): void {
  const { policy, request, at, filter } = asked
  const own = withoutEverybody(policy)
  const isFewerBy = (by: Policy) => allowed > 0 && by !== policy && allowedBy(by) < allowed
  counts.rows += rows
  counts.found += allowed
  if (allowed > 0 && allowed < ofTenant) counts.telling++
  if (at !== undefined) counts.timed++
  if (filter.validUntil !== undefined) counts.ending++
  if (isSuspended(policy, request.user)) counts.suspended++
  if (!policy.user.has(request.user)) counts.unknown++
  if (own !== policy) counts.everybody++
  if (isFewerBy(withoutRoleSides(asked))) counts.byRoleSides++
  if (isFewerBy(own)) counts.byEverybody++
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
function listQuestions({ name, say }: PolicyDatabase, drawn: Drawn, slot: number, counts: Counts): Asked[] {
  const next = numbers(drawn.seed)
  const { image, world, pool, requests } = makeSituation(drawn, next)
  const times = bordersIn(world.policy).length === 0 ? [] : instantsAround(world.policy)
  const asked: Asked[] = []
  for (const each of requests) {
    const made = times.length === 0 ? undefined : next(3) === 0 ? pick(next, times) : busiestInstant(world.policy, next)
    const request = made === undefined ? each : askedAt(each, made)
    const tenant = resolveTenant(world.policy, request)
    const make = () => makeFilter(image, request, tenant)
    const filter = refusedOr(() => (made === undefined ? make() : image.guardAt(made, make)))
    if (filter === undefined) continue
    // most that mean all rows or none are left out: they would be more than half
    const isRare = filter.kind === 'when' || isSuspended(policyIn(world.policy, made), request.user)
    if (!isRare && next(4) > 0) continue
    const rows = [...rowsFor(world, makeWords(world, pool), request, next)]
    const mapping = makeMapping(name, slot, world, request, filter, rows, next)
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
      counts.refused++
      continue
    }
    const other = [...world.policy.tenant.keys()].find((key) => key !== tenant) ?? 'other'
    const others = [other, tenant.toUpperCase(), null]
    const tenants = rows.map(() => (next(3) > 0 ? tenant : pick(next, others)))
    asked.push({ drawn, slot, policy: policyIn(world.policy, at), request, at, tenant, filter, mapping, rows, tenants })
  }
  return asked
}

/** A column for each attribute that holds, mostly, what the rows have, and one or a table that joins for relations. */
function makeMapping(
  name: TablesName,
  slot: number,
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
      {
        resource,
        property: `links_${place}`,
        through: { table: linkTable(slot, place), from: 'id', to: 'related' },
      },
    ]
  })
  return {
    tenant: 'org',
    key: 'id',
    attributes: Object.fromEntries(attributes),
    relations: Object.fromEntries(relations),
  }
}

/** The tables of a database, and which of them have rows. */
class Tables {
  readonly database: PolicyDatabase
  #filled: readonly string[] = []

  constructor(database: PolicyDatabase) {
    this.database = database
  }

  /** Puts the rows of questions there, and gives those of each as the database has them. */
  async fill(asked: readonly Asked[]): Promise<readonly StoredRow[][]> {
    const { name, put, all } = this.database
    const tables = rowsByTable(name, asked)
    const emptied = this.#filled
      .filter((table) => !tables.has(table))
      .map((table): [string, unknown[][]] => [table, []])
    await put(new Map([...emptied, ...tables]))
    this.#filled = [...tables.keys()]
    const stored = new Map<string, readonly StoredRow[]>()
    for (const table of tables.keys()) stored.set(table, await all(table))
    const rows: StoredRow[][] = asked.map(() => [])
    for (const row of stored.get('facts')!) {
      const question = Number(row.question)
      const places = Array.from(
        { length: RELATIONS },
        (_, place) => stored.get(linkTable(asked[question]!.slot, place)) ?? [],
      )
      rows[question]!.push(withLinks(row, places))
    }
    // a database gives them in any order
    return rows.map((each) => each.sort((one, other) => Number(one.n) - Number(other.n)))
  }
}

function rowsByTable(name: TablesName, asked: readonly Asked[]): Map<string, unknown[][]> {
  const columns = listColumns(name)
  const facts: unknown[][] = []
  const tables = new Map([['facts', facts]])
  for (const [question, { mapping, rows, tenants }] of asked.entries()) {
    for (const [at, row] of rows.entries()) {
      const values = new Map<string, unknown>([
        ['n', facts.length],
        ['question', question],
        ['org', tenants[at]],
        ['id', row.key],
        ...attributeValues(name, mapping, row.attributes),
      ])
      for (const [relation, held] of Object.entries(mapping.relations!)) {
        const related = Object.hasOwn(row.relations, relation) ? row.relations[relation]! : []
        const prefix = `${held.resource}:`
        const keys = related.flatMap((each) => (each.startsWith(prefix) ? [each.slice(prefix.length)] : []))
        if ('column' in held) values.set(held.column as string, keys[0])
        else if (row.key !== undefined && keys.length > 0) {
          const table = held.through.table as string
          const links = tables.get(table) ?? []
          tables.set(table, links)
          links.push(...keys.map((key) => [row.key, key]))
        }
      }
      facts.push(columns.map((column) => values.get(column) ?? null))
    }
  }
  return tables
}

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
