// `zerohop/filters`: filters outside of the engine. Conditions for databases and query builders, a row in memory, the
// question for one row, the form. Loads no engine and no dependency.

export type { BuilderOptions, DrizzleOptions, KnexRaw, SqlTag } from './filters/builders.ts'
export { toDrizzle, toKnex, toKysely, toPrismaSql } from './filters/builders.ts'
export type {
  AttributeColumn,
  ColumnType,
  ExpressionWriter,
  KeyColumn,
  LinkPair,
  LinkTable,
  LinkTest,
  Mapping,
  RelationColumn,
  SqlExpression,
} from './filters/meaning/mapping.ts'
export { defineMapping, sql } from './filters/meaning/mapping.ts'
export type { PrismaOptions, PrismaWhere } from './filters/prisma.ts'
export { toPrismaWhere } from './filters/prisma.ts'
export type { MatchOptions, ResourceOptions, Row, RowResource } from './filters/rows.ts'
export { matches, toResource } from './filters/rows.ts'
export type { Statement } from './filters/sql/fragment.ts'
export type { DialectName, SqlOptions } from './filters/to-sql.ts'
export { toSql } from './filters/to-sql.ts'
export { isZerohopError, ZerohopError } from './model/errors.ts'
export type { ConditionalFilter, DecidedFilter, Filter, FilterNode, Leaf, Reads, Term } from './model/filter.ts'
export { FILTER_FORMAT } from './model/filter.ts'
export { FilterSchema } from './model/filter-schema.ts'
