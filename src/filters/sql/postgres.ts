// Filters in PostgreSQL. Text is compared with plain equality where the collation of the column is a deterministic one
// (equal is then the same bytes), and in the order of its bytes by `COLLATE "C"`. JSON is jsonb. Lists are parameters
// in the text form of arrays, which every client can send.
import { POSTGRESQL_VALUES_MAX } from '../../model/limits.ts'
import type { ColumnType } from '../meaning/mapping.ts'
import {
  columnKind,
  type Dialect,
  type Held,
  isExactInteger,
  isIntegerText,
  isUuidText,
  type JsonValue,
  type Kind,
  type Order,
  type Scalar,
  wholeBound,
} from './dialect.ts'
import { all, any, Bound, FALSE, isTrue, type Sql, sql, sqlText } from './fragment.ts'
import { unquotable } from './names.ts'
import { subquery } from './operands.ts'

const NAME_BYTES_MAX = 63
/** From here on a decimal reads as an infinite double, and up to here as 0. */
const TOO_LARGE = '1.797693134862315807937289714053034150799e308'
const TOO_SMALL = '2.470328229206232720882843964341106861826e-324'
/** The last instant that a date of JavaScript can be, and one millisecond more. */
const LAST_DAY = '275760-09-13 00:00:00.001'
/** Times that are written as text with a year of four digits. */
const [FIRST_MS, LAST_MS] = [Date.UTC(1, 0, 1), Date.UTC(9999, 0, 1)]

export const postgres: Dialect = {
  name: 'PostgreSQL',
  placeholder: 'numbered',
  valuesMax: POSTGRESQL_VALUES_MAX,

  identifier(name) {
    if (name === '' || name.includes('\0') || !name.isWellFormed())
      throw unquotable(name, 'PostgreSQL has no such names')
    if (new TextEncoder().encode(name).length > NAME_BYTES_MAX)
      throw unquotable(name, `PostgreSQL cuts names after ${NAME_BYTES_MAX} bytes`)
    return `"${name.replaceAll('"', '""')}"`
  },
  refusal: () => undefined,
  canHold: (text) => text.isWellFormed() && !text.includes('\0'),

  constant(value) {
    return cast(value, typeof value === 'string' ? 'text' : typeof value === 'number' ? 'float8' : 'boolean')
  },

  present(held) {
    const { at, column } = held
    if (columnKind(column) === 'text') return there(held)
    switch (column.type) {
      case 'double':
        return isTrue(sql`${at} > '-Infinity' AND ${at} < 'Infinity'`)
      case 'decimal':
        return sql`${value(held)} IS NOT NULL`
      case 'timestamptz':
        return isTrue(sql`${at} > '-infinity' AND ${at} < ${sqlText(`'${LAST_DAY}+00'`)}`)
      case 'timestamp':
        return isTrue(sql`${at} > '-infinity' AND ${at} < ${sqlText(`'${LAST_DAY}'`)}`)
      default:
        return there(held)
    }
  },
  value,
  equals,
  ordered,

  isOneOf(held, values) {
    const { at, column } = held
    switch (column.type) {
      case 'text':
        return all([
          there(held),
          sql`${at} = ANY(${list(values, 'text')})`,
          ...(column.isNondeterministic ? [sql`${bytes(at)} = ANY(${list(values, 'text')})`] : []),
        ])
      case 'uuid': {
        const possible = values.filter((each) => isUuidText(String(each)))
        return possible.length === 0 ? FALSE : all([there(held), sql`${at} = ANY(${list(possible, 'uuid')})`])
      }
      case 'integer': {
        const whole = values.filter((each) => isWhole(each))
        const large = values.filter((each) => typeof each === 'number' && !isWhole(each) && Number.isInteger(each))
        return any([
          whole.length === 0 ? FALSE : all([there(held), sql`${at} = ANY(${list(whole, 'bigint')})`]),
          large.length === 0 ? FALSE : isTrue(isInList('number', value(held), large)),
        ])
      }
      case 'double':
        return all([there(held), sql`${at} = ANY(${list(values, 'float8')})`])
      case 'boolean':
        return any(values.map((each) => equals(held, each)))
      default:
        return isTrue(isInList('number', value(held), values))
    }
  },

  isIn(key, from, table, where) {
    const same = key.column.type === from.column.type
    const [left, right] = same ? [key.at, from.at] : [value(key), value(from)]
    const keys = subquery(sql`SELECT ${right} FROM ${table} WHERE ${there(from)} AND ${where}`)
    const exact = [key, from].some(({ column }) => column.isNondeterministic)
    return all([there(key), sql`${exact ? bytes(left) : left} IN (${keys})`])
  },

  equalTexts: (left, right) => sql`${bytes(left)} = ${right}`,
  orderedTexts: (left, order, right) => sql`${bytes(left)} ${sqlText(order)} ${right}`,
  testTexts(test, left, right) {
    switch (test) {
      case 'contains':
        return sql`strpos(${bytes(left)}, ${bytes(right)}) > 0`
      case 'starts-with':
        return sql`left(${left}, char_length(${right})) = ${bytes(right)}`
      case 'ends-with':
        return sql`right(${left}, char_length(${right})) = ${bytes(right)}`
    }
  },
  isInList,

  constants(kind, values, alias) {
    const name = sqlText(`"${alias}"`)
    return { from: sql`unnest(${list(values, TYPES[kind])}) AS ${name}(v)`, item: sql`${name}.v` }
  },

  json: ({ at }) => ({ value: at }),
  member: (json, name) => {
    if (!postgres.canHold(name)) return { value: sqlText('NULL::jsonb') }
    return { value: sql`(${json.value} -> ${cast(name, 'text')})` }
  },
  isJson: (json, what) => isTrue(isOfType(json, what)),
  scalar: jsonScalar,
  jsonItems(json, alias) {
    const name = sqlText(`"${alias}"`)
    const array = sql`CASE WHEN ${isOfType(json, 'array')} THEN ${json.value} ELSE '[]'::jsonb END`
    return { from: sql`jsonb_array_elements(${array}) AS ${name}(v)`, item: { value: sql`${name}.v` } }
  },

  // An empty array has no dimension, and one of two or more dimensions is not a list of scalars.
  isArray: ({ at }) => isTrue(sql`cardinality(${at}) = 0 OR array_ndims(${at}) = 1`),
  arrayItems({ at, column }, alias) {
    const name = sqlText(`"${alias}"`)
    const type = column.type.slice(0, -'[]'.length) as ColumnType
    return {
      from: sql`unnest(CASE WHEN array_ndims(${at}) = 1 THEN ${at} END) AS ${name}(v)`,
      item: { column: { ...column, type }, at: sql`${name}.v` },
    }
  },
}

const TYPES = { text: 'text', number: 'float8', boolean: 'boolean' } as const

const there = ({ at }: Held): Sql => sql`${at} IS NOT NULL`
const bytes = (text: Sql): Sql => sql`(${text} COLLATE "C")`
/** In parentheses, so that a cast or an operator next to it cannot take only a part of it. */
const cast = (value: Scalar, type: string): Sql => sql`${new Bound(value)}::${sqlText(type)}`
const isWhole = (value: Scalar): boolean =>
  typeof value === 'number' ? isExactInteger(value) : isIntegerText(String(value))
const integer = (value: Scalar): Sql => cast(String(value), 'bigint')

/** The values as one parameter. */
function list(values: readonly Scalar[], type: string): Sql {
  const items = values.map((each) => `"${String(each).replaceAll(/["\\]/g, '\\$&')}"`)
  return cast(`{${items.join(',')}}`, `${type}[]`)
}

function isInList(kind: Kind, of: Sql, values: readonly Scalar[]): Sql {
  return sql`${kind === 'text' ? bytes(of) : of} = ANY(${list(values, TYPES[kind])})`
}

function value(held: Held): Sql {
  const { at, column } = held
  if (column.type === 'uuid' || (column.isKey && column.type === 'integer')) return sql`${at}::text`
  switch (column.type) {
    case 'integer':
      return sql`${at}::float8`
    case 'double':
      return sql`CASE WHEN ${postgres.present(held)} THEN ${at} END`
    case 'decimal':
      return asDouble(at)
    case 'timestamptz':
    case 'timestamp':
      return sql`CASE WHEN ${postgres.present(held)} THEN ${milliseconds(at)} END`
    default:
      return at
  }
}

/** Cut after the millisecond, also before 1970. */
const milliseconds = (at: Sql): Sql => sql`round(extract(epoch FROM date_trunc('milliseconds', ${at})) * 1000)::float8`

/** A numeric as a double. Without the guards PostgreSQL fails where a double would be infinite or 0. */
function asDouble(numeric: Sql): Sql {
  const [large, small] = [sqlText(TOO_LARGE), sqlText(TOO_SMALL)]
  return sql`CASE WHEN abs(${numeric}) >= ${large} THEN NULL WHEN abs(${numeric}) <= ${small} THEN 0 ELSE ${numeric}::float8 END`
}

function equals(held: Held, wanted: Scalar): Sql {
  const { at, column } = held
  const text = String(wanted)
  switch (column.type) {
    case 'text':
      return all([
        there(held),
        sql`${at} = ${cast(text, 'text')}`,
        ...(column.isNondeterministic ? [sql`${bytes(at)} = ${cast(text, 'text')}`] : []),
      ])
    case 'uuid':
      return isUuidText(text) ? all([there(held), sql`${at} = ${cast(text, 'uuid')}`]) : FALSE
    case 'integer':
      if (isWhole(wanted)) return all([there(held), sql`${at} = ${integer(wanted)}`])
      return column.isKey ? FALSE : isTrue(sql`${value(held)} = ${postgres.constant(wanted)}`)
    case 'double':
    case 'boolean':
      return all([there(held), sql`${at} = ${postgres.constant(wanted)}`])
    case 'timestamptz':
    case 'timestamp': {
      const ms = Number(wanted)
      if (!Number.isInteger(ms)) return FALSE
      return all([ordered(held, '>=', ms), ordered(held, '<=', ms)])
    }
    default:
      return isTrue(sql`${value(held)} = ${postgres.constant(wanted)}`)
  }
}

function ordered(held: Held, order: Order, bound: string | number): Sql {
  const { at, column } = held
  const way = sqlText(order)
  if (typeof bound === 'string')
    return all([there(held), sql`${bytes(value(held))} ${way} ${postgres.constant(bound)}`])
  switch (column.type) {
    case 'integer': {
      const whole = wholeBound(order, bound)
      if (isWhole(whole)) return all([there(held), sql`${at} ${way} ${integer(whole)}`])
      break
    }
    case 'double':
      return all([postgres.present(held), sql`${at} ${way} ${postgres.constant(bound)}`])
    case 'timestamptz':
    case 'timestamp': {
      const instant = wholeBound(order, bound)
      if (instant < FIRST_MS || instant > LAST_MS) break
      return all([postgres.present(held), orderedInstant(at, column.type, order, instant)])
    }
  }
  return isTrue(sql`${value(held)} ${way} ${postgres.constant(bound)}`)
}

/** What a column has below the millisecond does not count: up to 5 ms is before 6 ms. */
function orderedInstant(at: Sql, type: 'timestamptz' | 'timestamp', order: Order, ms: number): Sql {
  const isAfterwards = order === '<=' || order === '>'
  const text = new Date(isAfterwards ? ms + 1 : ms).toISOString()
  const way = order === '<' || order === '<=' ? sqlText('<') : sqlText('>=')
  return sql`${at} ${way} ${cast(type === 'timestamp' ? text.slice(0, -1) : text, type)}`
}

const isOfType = ({ value: of }: JsonValue, what: string): Sql => sql`jsonb_typeof(${of}) = ${sqlText(`'${what}'`)}`

function jsonScalar(json: JsonValue, kind: Kind): Sql {
  switch (kind) {
    case 'text':
      return sql`CASE WHEN ${isOfType(json, 'string')} THEN ${json.value} #>> '{}' END`
    case 'boolean':
      return sql`CASE WHEN ${isOfType(json, 'boolean')} THEN ${json.value}::boolean END`
    case 'number':
      return asDouble(sql`(CASE WHEN ${isOfType(json, 'number')} THEN ${json.value}::numeric END)`)
  }
}
