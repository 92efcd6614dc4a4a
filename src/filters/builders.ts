// Filters for query builders (docs/filters-in-databases.md). Each function takes the builder's own object, so none of
// them is a dependency, and gives what that builder takes as a condition. The values stay bound.
import type { Filter } from '../model/filter.ts'
import type { Mapping } from './meaning/mapping.ts'
import { type BuilderTable, invalid } from './sql/compile.ts'
import { template } from './sql/fragment.ts'
import { unquotable } from './sql/names.ts'
import {
  type ConditionOptions,
  type DialectName,
  makeCondition,
  requireDialect,
  requireTaken,
  type SqlOptions,
} from './to-sql.ts'

/** The tag of a template with values: `sql` of Kysely and of Drizzle, `Prisma.sql`. */
export type SqlTag<T> = (texts: TemplateStringsArray, ...values: unknown[]) => T

/** What `toKnex` uses of Knex: the object itself, or a transaction. */
export interface KnexRaw<T> {
  raw(text: string, values: never): T
}

/** Placeholders are numbered by the builder. */
export type BuilderOptions = Omit<SqlOptions, 'firstPlaceholder'>

type TagArguments<T, O = BuilderOptions> = [
  tag: SqlTag<T>,
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  dialect: DialectName,
  options?: O,
]

/** For `where` of Kysely: `toKysely(sql<boolean>, filter, mapping, 'postgres')`. @throws as `toSql` */
export function toKysely<T>(...of: TagArguments<T>): T {
  return tagged(...of)
}

export interface DrizzleOptions {
  /**
   * The table of the rows, an alias of it, a view, subquery or CTE that has its columns, or the columns as Drizzle gives
   * them to a `where` of its relational queries.
   * Not a name: Drizzle calls a table otherwise in a nested query, where the name is that of the outer one.
   */
  readonly table: object
  /** as in `SqlOptions` */
  readonly now?: number
}

/**
 * For `where` of Drizzle, with its `sql`: `toDrizzle(sql, filter, mapping, 'postgres', { table: invoices })`.
 * @throws as `toSql`; INPUT_INVALID when the table is not one of Drizzle, or lacks a column of the mapping
 */
export function toDrizzle<T>(
  tag: SqlTag<T>,
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  dialect: DialectName,
  options: DrizzleOptions,
): T {
  return tagged(tag, filter, mapping, dialect, { table: drizzleTable(options?.table), now: options.now })
}

/** What is read of Drizzle's objects. */
interface DrizzleColumn {
  readonly name: string
  /** whether the name is the key that the column has in the program */
  readonly keyAsName?: unknown
  readonly table: Readonly<Record<symbol, unknown>>
}

function drizzleTable(table: unknown): BuilderTable {
  const columns = typeof table === 'object' && table !== null ? columnsIn(table) : []
  if (columns.length === 0)
    throw invalid(
      "`table` must be Drizzle's table object, an alias of it, a view, a subquery, or the columns that its `where` is given",
    )
  const [first, ...others] = columns.map(({ table: of }) => NAMED.map((each) => of[each]))
  if (others.some((each) => each.join('.') !== first!.join('.')))
    throw invalid('`table` has columns of different tables')
  return {
    names: first!.slice(0, 2).filter((each) => typeof each === 'string'),
    column(name) {
      const exact = columns.filter((each) => each.name === name)
      // a name that was written is the one in the database; a key is one in the case that Drizzle is configured with
      const column = exact.find((each) => each.keyAsName !== true) ?? exact[0] ?? byKey(columns, name)
      if (column === undefined) throw invalid(`the table of Drizzle has no column \`${name}\`, which the mapping names`)
      return column
    },
  }
}

/** What a table is called: in the query, in the program, and its schema. */
const NAMED = ['Name', 'OriginalName', 'Schema'].map((each) => Symbol.for(`drizzle:${each}`))
const VIEW = Symbol.for('drizzle:ViewBaseConfig')

interface Selecting {
  readonly selectedFields: Readonly<Record<string, unknown>>
}

/**
 * The columns of a table. A view and a subquery have those that they select, each as the query around calls it;
 * an expression in them is left out, since Drizzle writes its name without that of the subquery.
 */
function columnsIn(table: object): DrizzleColumn[] {
  const of = table as Readonly<Record<string | symbol, Partial<Selecting> | undefined>>
  // Drizzle throws where it is asked for what is not there
  const selected = (VIEW in table ? of[VIEW] : '_' in table ? of._ : undefined)?.selectedFields
  if (selected === undefined) return Object.values(table).filter(isDrizzleColumn)
  return Object.entries(selected)
    .filter(([, field]) => isDrizzleColumn(field))
    .map(([key]) => of[key] as unknown as DrizzleColumn)
}

/** A column that is named by its key: with `casing` Drizzle writes `orgId` as `org_id`. */
function byKey(columns: readonly DrizzleColumn[], name: string): DrizzleColumn | undefined {
  const letters = (of: string) => of.replaceAll('_', '').toLowerCase()
  const same = columns.filter((each) => each.keyAsName === true && letters(each.name) === letters(name))
  return same.length === 1 ? same[0] : undefined
}

const isDrizzleColumn = (value: unknown): value is DrizzleColumn =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'table', 'columnType'].every((part) => part in value) &&
  typeof (value as DrizzleColumn).name === 'string'

/** For `$queryRaw` of Prisma, with `Prisma.sql`. @throws as `toSql` */
export function toPrismaSql<T>(...of: TagArguments<T>): T {
  return tagged(...of)
}

function tagged<T>(...[tag, ...of]: TagArguments<T, ConditionOptions>): T {
  const { texts, values } = pieces(...of)
  return tag(Object.assign([...texts], { raw: texts }), ...values)
}

function pieces(
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  name: DialectName,
  options: ConditionOptions = {},
): ReturnType<typeof template> {
  const dialect = requireDialect(name)
  const made = template(makeCondition(filter, mapping, dialect, options))
  requireTaken(made.values.length, dialect)
  return made
}

/** For `where` of Knex. @throws as `toSql`; FILTER_REFUSED where a name has a question mark */
export function toKnex<T>(
  knex: KnexRaw<T>,
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  dialect: DialectName,
  options: BuilderOptions = {},
): T {
  const { texts, values } = pieces(filter, mapping, dialect, options)
  const named = texts.find((text) => text.includes('?'))
  // what it makes of one differs between its databases
  if (named !== undefined) throw unquotable(named, 'Knex takes a question mark in a name for a value')
  return knex.raw(texts.join('?'), values as never)
}
