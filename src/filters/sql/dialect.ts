// What the databases say differently. A dialect writes conditions about values of known types; which values are
// compared, and what a missing one means, is src/filters/sql/compile.ts.
import type { Order, TextTest } from '../../model/operators.ts'
import type { Column, ColumnType } from '../meaning/mapping.ts'
import type { Sql } from './fragment.ts'

export type { Order, TextTest } from '../../model/operators.ts'
export type Scalar = string | number | boolean
/** A column that holds times counts as one of numbers: milliseconds since 1970. */
export type Kind = 'text' | 'number' | 'boolean'

/** A value inside JSON, with its type where the value alone does not show it. */
export interface JsonValue {
  readonly value: Sql
  readonly type?: Sql
  /** the text of it when it is an object, else NULL; where a dialect needs it */
  readonly object?: Sql
}

/** Rows of one column. */
export interface Source<T> {
  readonly from: Sql
  readonly item: T
}

/** A column, or an item of a list of one type, and how it is written. */
export interface Held {
  readonly column: Column
  readonly at: Sql
}

/**
 * Conditions are true or false, never unknown, unless it says otherwise. A value is NULL when it is missing, also when
 * it is NaN or infinite.
 */
export interface Dialect {
  readonly name: string
  readonly placeholder: 'numbered' | 'question'
  /** levels of parentheses in a condition that its parser takes, where that is few */
  readonly nestingMax?: number
  /** values that one statement takes */
  readonly valuesMax: number
  /** @throws FILTER_REFUSED when it cannot be a name */
  identifier(name: string): string
  /** Why columns of the type cannot be read; undefined when they can. */
  refusal(type: ColumnType): string | undefined
  /** Whether a text of the database can be this one. */
  canHold(text: string): boolean
  constant(value: Scalar): Sql

  present(held: Held): Sql
  value(held: Held): Sql
  /** The column has exactly this value, which is of its kind. Uses an index of the column. */
  equals(held: Held, value: Scalar): Sql
  /** Present, and before or after the value. */
  ordered(held: Held, order: Order, value: string | number): Sql
  /** The column has one of the values, which are of its kind and at least one. */
  isOneOf(held: Held, values: readonly Scalar[]): Sql

  /** The key is in a column of the rows of another table for which the condition holds. */
  isIn(key: Held, from: Held, table: Sql, where: Sql): Sql

  /** Unknown when a side is missing, as are the next three. */
  equalTexts(left: Sql, right: Sql): Sql
  orderedTexts(left: Sql, order: Order, right: Sql): Sql
  testTexts(test: TextTest, left: Sql, right: Sql): Sql
  isInList(kind: Kind, value: Sql, values: readonly Scalar[]): Sql

  /** The values as rows. All are of the kind. */
  constants(kind: Kind, values: readonly Scalar[], alias: string): Source<Sql>

  json(held: Held): JsonValue
  /** The alias is one that no other part of the statement has. */
  member(json: JsonValue, name: string, alias: string): JsonValue
  isJson(json: JsonValue, what: 'object' | 'array'): Sql
  /** NULL when it is of another type. */
  scalar(json: JsonValue, kind: Kind): Sql
  /** No rows when it is not a list. */
  jsonItems(json: JsonValue, alias: string): Source<JsonValue>

  /** Of a column that is an array. */
  isArray(held: Held): Sql
  arrayItems(held: Held, alias: string): Source<Held>
}

/** The kind of what a column holds; undefined for JSON and arrays. */
export function columnKind({ type, isKey }: Column): Kind | undefined {
  if (isKey) return 'text'
  switch (type) {
    case 'text':
    case 'uuid':
      return 'text'
    case 'integer':
    case 'double':
    case 'decimal':
    case 'timestamptz':
    case 'timestamp':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return undefined
  }
}

export const isArrayType = (type: ColumnType): boolean => type.endsWith('[]')

/** A whole number that is itself in a column of whole numbers and as a double. */
export const isExactInteger = (value: number): boolean => Number.isSafeInteger(value)

/** The same order for whole numbers, told by a whole number: a < 1.5 is a < 2. */
export const wholeBound = (order: Order, value: number): number =>
  order === '<' || order === '>=' ? Math.ceil(value) : Math.floor(value)

const INTEGER = /^(0|-?[1-9]\d{0,18})$/
/** Whether a column of whole numbers of 64 bits can be the one that this text says. */
export const isIntegerText = (text: string): boolean =>
  INTEGER.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const isUuidText = (text: string): boolean => UUID.test(text)
