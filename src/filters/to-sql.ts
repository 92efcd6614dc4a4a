// A filter as a condition to put after WHERE (docs/filters-in-databases.md). The tenant of the row is always part of
// it, also where every row of the tenant is meant.
import { ZerohopError } from '../model/errors.ts'
import type { ConditionalFilter, Filter, FilterNode, Term } from '../model/filter.ts'
import { requireFilter } from './form.ts'
import { type Columns, type Mapping, readColumns } from './meaning/mapping.ts'
import { type BuilderTable, Compiler, invalid } from './sql/compile.ts'
import type { Dialect } from './sql/dialect.ts'
import { all, any, countNesting, FALSE, type Sql, type Statement, statement } from './sql/fragment.ts'
import { mysql } from './sql/mysql.ts'
import { postgres } from './sql/postgres.ts'
import { sqlite } from './sql/sqlite.ts'

export type DialectName = 'postgres' | 'mysql' | 'sqlite'

export interface SqlOptions {
  /**
   * How the query calls the table of the rows, in the innermost query around the condition that has the name; needed
   * where the filter looks into lists.
   */
  readonly table?: string
  /** number of the first placeholder in PostgreSQL; default 1 */
  readonly firstPlaceholder?: number
  /** the instant of the question, in milliseconds since 1970; default: that of the clock, which a filter cannot read */
  readonly now?: number
}

/** What a condition in pieces needs: the table may be one of a query builder. */
export interface ConditionOptions {
  readonly table?: string | BuilderTable | undefined
  readonly now?: number | undefined
}

const DIALECTS: Readonly<Record<DialectName, Dialect>> = { postgres, mysql, sqlite }

/**
 * A condition that is true for the rows that the filter means, and false for all others: never unknown. Several filters
 * of one type, each of another tenant, are an OR.
 * @throws INPUT_INVALID for names that the mapping has not; FILTER_REFUSED for what the database cannot say exactly;
 *   FILTER_EXPIRED from the `validUntil` of a filter on
 */
export function toSql(
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  dialect: DialectName,
  options: SqlOptions = {},
): Statement {
  return toSqlWithDialect(filter, mapping, requireDialect(dialect), options)
}

/** `toSql` with a dialect of the caller. */
export function toSqlWithDialect(
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  dialect: Dialect,
  options: SqlOptions,
): Statement {
  const { firstPlaceholder = 1 } = options
  if (!Number.isSafeInteger(firstPlaceholder) || firstPlaceholder < 1)
    throw invalid('`firstPlaceholder` must be a whole number above 0')
  const made = statement(makeCondition(filter, mapping, dialect, options), dialect.placeholder, firstPlaceholder)
  requireTaken(firstPlaceholder - 1 + made.values.length, dialect)
  return made
}

/** @throws FILTER_REFUSED when no statement of the database has so many values: drivers do not all say so */
export function requireTaken(count: number, { name, valuesMax }: Dialect): void {
  if (count > valuesMax)
    throw new ZerohopError('FILTER_REFUSED', {
      what: `a condition of ${count} values`,
      reason: `a statement of ${name} has at most ${valuesMax}`,
    })
}

/** The condition in pieces. */
export function makeCondition(
  filter: Filter | readonly Filter[],
  mapping: Mapping,
  dialect: Dialect,
  { table, now }: ConditionOptions,
): Sql {
  if (typeof table === 'string' && /^zerohop_/i.test(table))
    throw invalid('`table` begins with `zerohop_`, as the names of the condition itself do')
  const filters = (Array.isArray(filter) ? filter : [filter]) as readonly Filter[]
  for (const each of filters) requireFilter(each, now)
  const columns = readColumns(mapping)
  requireOneTable(filters, columns)
  const condition = any(
    filters.map((each) => {
      if (each.kind === 'never') return FALSE
      const compiler = new Compiler(dialect, columns, { table, now, tenant: each.tenant })
      const tenant = compiler.tenant()
      if (each.kind === 'always') return tenant
      const { where } = each as ConditionalFilter
      requireMapped(where, columns)
      return all([tenant, compiler.node(where)])
    }),
  )
  if (dialect.nestingMax !== undefined && countNesting(condition) > dialect.nestingMax)
    throw new ZerohopError('FILTER_REFUSED', {
      what: 'what is nested this deeply',
      reason: `the parser of ${dialect.name} ends at so many levels`,
    })
  return condition
}

/** @throws INPUT_INVALID when no dialect has the name */
export function requireDialect(name: DialectName): Dialect {
  const dialect = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined
  if (dialect === undefined) throw invalid(`\`${name}\` is no dialect: there are ${Object.keys(DIALECTS).join(', ')}`)
  return dialect
}

/**
 * @throws INPUT_INVALID when the filters are not about rows of one table, or are made for rows that name their tenant
 * and the table has no column of it: its rows are not marked, so their checks would deny what the filters mean (D2)
 */
export function requireOneTable(filters: readonly Filter[], columns: Columns): void {
  const [first] = filters
  for (const { type, tenant, kind, tenantColumnIsAuthoritative } of filters) {
    if (columns.tenant === null && kind === 'when' && tenantColumnIsAuthoritative === true)
      throw invalid('`mapping.tenant` is null: make the filter with `tenantColumnIsAuthoritative: false`')
    if (type !== first?.type) throw invalid(`filters of \`${first?.type}\` and of \`${type}\` are about different rows`)
    if (columns.tenant === null && tenant !== first.tenant)
      throw invalid('`mapping.tenant` is null: a table of one tenant has rows of one tenant')
  }
}

/** @throws INPUT_INVALID naming all that the filter reads and the mapping has not */
export function requireMapped(where: FilterNode, { attributes, relations }: Columns): void {
  const missing = new Set<string>()
  for (const { path, related } of reads(where)) {
    if (path !== undefined && !attributes.has(path)) missing.add(`attribute \`${path}\``)
    if (related !== undefined && !relations.has(related)) missing.add(`relation \`${related}\``)
  }
  if (missing.size > 0)
    throw new ZerohopError('INPUT_INVALID', { reason: `the mapping has no ${[...missing].join(', no ')}` })
}

interface Read {
  readonly path?: string
  readonly related?: string
}

/** Attributes and relations that a filter reads. */
function reads(node: FilterNode): readonly Read[] {
  if ('and' in node) return node.and.flatMap(reads)
  if ('or' in node) return node.or.flatMap(reads)
  if ('not' in node) return reads(node.not)
  if ('op' in node) return [...listReads(node.left), ...listReads(node.right)]
  if ('match' in node) return [...listReads(node.left), ...reads(node.where)]
  return 'related' in node ? [{ related: node.related }] : []
}

const listReads = (term: Term): readonly Read[] => ('path' in term ? [{ path: term.path[0] ?? '' }] : [])
