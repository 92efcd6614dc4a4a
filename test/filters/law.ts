// The law of filters in databases: the rows for which the condition is true are those for which the filter holds, of
// the tenant of the filter; and no condition is ever unknown.
import { holds } from '../../src/filters/evaluate.ts'
import type { Mapping } from '../../src/filters/meaning/mapping.ts'
import { type ResourceOptions, type RowResource, toResource } from '../../src/filters/rows.ts'
import type { Statement } from '../../src/filters/sql/fragment.ts'
import { isZerohopError } from '../../src/model/errors.ts'
import type { ConditionalFilter, Filter } from '../../src/model/filter.ts'
import { randomFilter, TENANT } from './random-filters.ts'
import { MIDNIGHT, type Next, type Table } from './random-rows.ts'

export const NOW = MIDNIGHT

/** A generator of random numbers that is the same everywhere. */
export function generator(seed: number): Next {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

export interface StoredRow {
  /** number of the row in its table */
  readonly n: number
  readonly tenant: string | null
  /** undefined for a row without a tenant */
  readonly resource: RowResource | undefined
}

/** What the driver gave, as rows of the law. */
export function storedRow(
  row: Readonly<Record<string, unknown>>,
  mapping: Mapping,
  options?: ResourceOptions,
): StoredRow {
  const tenant = row[mapping.tenant as string] as string | null
  const n = Number(row.n)
  return { n, tenant, resource: tenant === null ? undefined : toResource(row, mapping, options) }
}

/** Numbers of the rows that the filter means. */
function expected(filter: Filter, rows: readonly StoredRow[]): number[] {
  return rows.filter(({ tenant, resource }) => tenant === TENANT && means(filter, resource!)).map(({ n }) => n)
}

function means(filter: Filter, { key, attributes, relations }: RowResource): boolean {
  if (filter.kind !== 'when') return filter.kind === 'always'
  return holds((filter as ConditionalFilter).where, {
    attribute: (name) => attributes[name]!,
    key: () => key ?? undefined,
    related: (name) => relations[name]!,
    now: () => NOW,
  })
}

/** A database with a table of random rows. */
export interface Engine {
  readonly table: Table
  /** The condition of a filter. */
  readonly compile: (filter: Filter, firstPlaceholder: number) => Statement
  /** Puts random rows there, in place of others, and reads them. */
  readonly fill: (next: Next) => Promise<StoredRow[]>
  /** Rows of a statement: the number of a row, and the answer of each condition under its place. */
  readonly ask: (columns: string, values: unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

export interface Outcome {
  /** filters that were asked, and those of them that mean some rows and not all */
  asked: number
  telling: number
  /** reasons of filters that are refused */
  readonly refused: Map<string, number>
  /** the first filter for which the database does not agree */
  wrong: string | undefined
}

const PER_STATEMENT = 20

/** Asks this many random filters, until one is answered wrongly. */
export async function tryLaw(engine: Engine, filters: number, seed = 1): Promise<Outcome> {
  const next = generator(seed)
  const outcome: Outcome = { asked: 0, telling: 0, refused: new Map(), wrong: undefined }
  while (outcome.asked < filters && outcome.wrong === undefined) {
    const rows = await engine.fill(next)
    const asked = statements(engine, next, outcome)
    const columns = asked.map(({ made }, index) => `(${made.text}) AS a${index}`).join(', ')
    const answers = await engine.ask(
      columns,
      asked.flatMap(({ made }) => [...made.values]),
    )
    for (const [index, { filter, made }] of asked.entries()) {
      const want = expected(filter, rows)
      const found = answers.filter((answer) => isYes(answer[`a${index}`])).map(({ n }) => Number(n))
      const unknown = answers.filter((answer) => answer[`a${index}`] === null).map(({ n }) => Number(n))
      outcome.asked++
      if (want.length > 0 && want.length < rows.filter(({ tenant }) => tenant === TENANT).length) outcome.telling++
      if (unknown.length > 0 || JSON.stringify(found) !== JSON.stringify(want))
        outcome.wrong ??= JSON.stringify(
          { filter, made, found, want, unknown, rows: differing(rows, want, found) },
          null,
          1,
        )
    }
  }
  return outcome
}

const differing = (rows: readonly StoredRow[], want: readonly number[], found: readonly number[]) =>
  rows.filter(({ n }) => want.includes(n) !== found.includes(n)).slice(0, 1)

const isYes = (value: unknown): boolean => value === true || value === 1 || value === 1n

function statements({ table, compile }: Engine, next: Next, { refused }: Outcome) {
  const asked: { filter: Filter; made: Statement }[] = []
  let values = 0
  while (asked.length < PER_STATEMENT) {
    const filter = randomFilter(next, table)
    try {
      const made = compile(filter, values + 1)
      values += made.values.length
      asked.push({ filter, made })
    } catch (error) {
      if (!isZerohopError(error, 'FILTER_REFUSED')) throw error
      const reason = error.message.replaceAll(/`[^`]*`/g, '…')
      refused.set(reason, (refused.get(reason) ?? 0) + 1)
    }
  }
  return asked
}
