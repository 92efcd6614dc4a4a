// Mistakes that the law of filters in databases must find: each makes the condition of a filter in a wrong way.
import type { Mapping } from '../../src/filters/meaning/mapping.ts'
import type { Dialect } from '../../src/filters/sql/dialect.ts'
import { type Statement, sql, TRUE } from '../../src/filters/sql/fragment.ts'
import { type SqlOptions, toSqlWithDialect } from '../../src/filters/to-sql.ts'
import type { Operator } from '../../src/model/condition.ts'
import type { ConditionalFilter, Filter, FilterNode } from '../../src/model/filter.ts'
import type { Table } from './random-rows.ts'

export type Mistake = (filter: Filter, mapping: Mapping, dialect: Dialect, options: SqlOptions) => Statement

/** Texts alone: what the mistakes are about comes sooner. */
export const ofTexts = (table: Table): Table => ({
  ...table,
  types: new Map([...table.types].filter(([, type]) => type === 'text')),
})

export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'no guard against NULL': (filter, mapping, dialect, options) => {
    const present: Dialect['present'] = () => TRUE
    const equals: Dialect['equals'] = (held, value) =>
      held.column.type === 'text' ? sql`${held.at} = ${dialect.constant(value)}` : dialect.equals(held, value)
    return toSqlWithDialect(filter, mapping, { ...dialect, present, equals }, options)
  },
  'LIKE for contains': (filter, mapping, dialect, options) => {
    const testTexts: Dialect['testTexts'] = (test, left, right) =>
      test === 'contains' ? sql`${left} LIKE ${concat(dialect, right)}` : dialect.testTexts(test, left, right)
    return toSqlWithDialect(filter, mapping, { ...dialect, testTexts }, options)
  },
  'no exact comparison of text': (filter, mapping, dialect, options) => {
    const attributes = Object.entries(mapping.attributes!).map(([name, { collation, ...rest }]) => [name, rest])
    const equals: Dialect['equals'] = (held, value) =>
      typeof value === 'string' && dialect.name !== 'PostgreSQL'
        ? sql`(${held.at} IS NOT NULL AND ${held.at} = ${dialect.constant(value)})`
        : dialect.equals(held, value)
    return toSqlWithDialect(
      filter,
      { ...mapping, attributes: Object.fromEntries(attributes) },
      { ...dialect, equals },
      options,
    )
  },
  'no tenant under always': (filter, ...of) =>
    filter.kind === 'always' ? { text: '1 = 1', values: [] } : toSqlWithDialect(filter, ...of),
  'an operator turned into its opposite under not': (filter, ...of) =>
    toSqlWithDialect(filter.kind === 'when' ? inverted(filter as ConditionalFilter) : filter, ...of),
}

const concat = ({ name }: Dialect, part: Parameters<typeof sql>[1]) =>
  name === 'PostgreSQL' || name === 'SQLite'
    ? sql`'%' || ${part!} || '%'`
    : sql`CONCAT('%', ${part!}, '%') COLLATE utf8mb4_bin`

const OPPOSITES: Partial<Record<Operator, Operator>> = {
  'less-than': 'greater-than-equals',
  'less-than-equals': 'greater-than',
  'greater-than': 'less-than-equals',
  'greater-than-equals': 'less-than',
  equals: 'not-equals',
  'not-equals': 'equals',
}

function inverted(filter: ConditionalFilter): ConditionalFilter {
  const turn = (node: FilterNode): FilterNode => {
    if ('and' in node) return { and: node.and.map(turn) }
    if ('or' in node) return { or: node.or.map(turn) }
    if (!('not' in node) || !('op' in node.not)) return node
    const op = OPPOSITES[node.not.op]
    return op === undefined ? node : { ...node.not, op }
  }
  return { ...filter, where: turn(filter.where) }
}
