// Filters for query builders (docs/filters-in-databases.md). Each function takes the builder's own object, so none of
// them is a dependency, and gives what that builder takes as a condition. The values stay bound.
import type { Filter } from '../model/filter.ts'
import type { Mapping } from './mapping.ts'
import { template } from './sql/fragment.ts'
import { unquotable } from './sql/names.ts'
import { conditionOf, type DialectName, dialectOf, type SqlOptions } from './to-sql.ts'

/** The tag of a template with values: `sql` of Kysely and of Drizzle, `Prisma.sql`. */
export type SqlTag<T> = (texts: TemplateStringsArray, ...values: unknown[]) => T

/** What `toKnex` uses of Knex: the object itself, or a transaction. */
export interface KnexRaw<T> {
  raw(text: string, values: never): T
}

/** Placeholders are numbered by the builder. */
export type BuilderOptions = Omit<SqlOptions, 'firstPlaceholder'>

type TagArguments<T> = [
  tag: SqlTag<T>,
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  dialect: DialectName,
  options?: BuilderOptions,
]

/** For `where` of Kysely: `toKysely(sql<boolean>, filter, mapping, 'postgres')`. @throws as `toSql` */
export function toKysely<T>(...of: TagArguments<T>): T {
  return tagged(...of)
}

/** For `where` of Drizzle, with its `sql`. @throws as `toSql` */
export function toDrizzle<T>(...of: TagArguments<T>): T {
  return tagged(...of)
}

/** For `$queryRaw` of Prisma, with `Prisma.sql`. @throws as `toSql` */
export function toPrismaSql<T>(...of: TagArguments<T>): T {
  return tagged(...of)
}

function tagged<T>(...[tag, filter, mapping, dialect, options = {}]: TagArguments<T>): T {
  const { texts, values } = template(conditionOf(filter, mapping, dialectOf(dialect), options))
  return tag(Object.assign([...texts], { raw: texts }), ...values)
}

/** For `where` of Knex. @throws as `toSql`; FILTER_REFUSED where a name has a question mark */
export function toKnex<T>(
  knex: KnexRaw<T>,
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  dialect: DialectName,
  options: BuilderOptions = {},
): T {
  const { texts, values } = template(conditionOf(filter, mapping, dialectOf(dialect), options))
  const named = texts.find((text) => text.includes('?'))
  // what it makes of one differs between its databases
  if (named !== undefined) throw unquotable(named, 'Knex takes a question mark in a name for a value')
  return knex.raw(texts.join('?'), values as never)
}
