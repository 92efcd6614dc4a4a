// Filters in MySQL and MariaDB. A collation there may ignore case and spaces at the end, so a comparison of text that
// an index serves is next to one of the bytes, which decides. Texts are compared as utf8mb4 whatever a column is in.
import { MYSQL_VALUES_MAX } from '../../model/limits.ts'
import {
  columnKind,
  type Dialect,
  isIntegerText as isSignedText,
  type JsonValue,
  type Kind,
  type Order,
  type Scalar,
  wholeBound,
} from './dialect.ts'
import { all, any, Bound, FALSE, isTrue, joined, type Sql, sql, sqlText } from './fragment.ts'
import { unquotable } from './names.ts'
import { subquery } from './operands.ts'

const NAME_CHARACTERS_MAX = 64
/** Up to so many texts are named one by one too, so that an index finds the rows. */
const INDEXED_TEXTS_MAX = 1000
/** Text of a time with a year that DATETIME takes. */
const [FIRST_MS, LAST_MS] = [Date.UTC(1000, 0, 1), Date.UTC(9999, 0, 1)]

export const mysql: Dialect = {
  name: 'MySQL',
  placeholder: 'question',
  valuesMax: MYSQL_VALUES_MAX,

  identifier(name) {
    if (name === '' || /[\0\u{10000}-\u{10ffff}]| $/u.test(name) || !name.isWellFormed())
      throw unquotable(name, 'MySQL has no such names')
    if (name.length > NAME_CHARACTERS_MAX)
      throw unquotable(name, `a name has at most ${NAME_CHARACTERS_MAX} characters`)
    return `\`${name.replaceAll('`', '``')}\``
  },
  refusal(type) {
    if (type === 'uuid') return 'MySQL has no type for it: a column of CHAR(36) is text'
    return type.endsWith('[]') ? 'MySQL has no arrays: hold a list as JSON' : undefined
  },
  canHold: (text) => text.isWellFormed(),
  constant,

  present(held) {
    const { at, column } = held
    if (column.type === 'boolean') return isTrue(sql`${at} IN (0, 1)`)
    return column.type.startsWith('timestamp') ? sql`${mysql.value(held)} IS NOT NULL` : sql`${at} IS NOT NULL`
  },
  value(held) {
    const { at, column } = held
    if (column.isKey && column.type === 'integer') return sql`CAST(${at} AS CHAR)`
    switch (column.type) {
      case 'boolean':
        return sql`CASE WHEN ${at} IN (0, 1) THEN ${at} END`
      // The time of the column itself, whatever the zone of the session is; 0 stands for the zero date.
      case 'timestamptz':
        return sql`CAST(FLOOR(NULLIF(UNIX_TIMESTAMP(${at}), 0) * 1000) AS DOUBLE)`
      case 'timestamp':
        return sql`CAST(FLOOR(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ${at}) / 1000) AS DOUBLE)`
      default:
        return columnKind(column) === 'number' ? sql`CAST(${at} AS DOUBLE)` : at
    }
  },

  equals(held, value) {
    const { at, column } = held
    const present = mysql.present(held)
    if (column.isKey && column.type === 'integer') {
      return isIntegerText(String(value)) ? all([present, sql`${at} = ${signed(value)}`]) : FALSE
    }
    switch (column.type) {
      case 'text': {
        const text = new Bound(value)
        return all([present, sql`${at} = ${text}`, sql`${bytes(at)} = ${bytes(sql`${text}`)}`])
      }
      case 'integer':
        if (Number.isSafeInteger(value)) return all([present, sql`${at} = ${signed(value)}`])
        break
      case 'timestamp': {
        const ms = Number(value)
        if (!Number.isInteger(ms)) return FALSE
        return all([mysql.ordered(held, '>=', ms), mysql.ordered(held, '<=', ms)])
      }
      case 'boolean':
        return all([present, sql`${at} = ${sqlText(value === true ? '1' : '0')}`])
    }
    return isTrue(sql`${mysql.value(held)} = ${constant(value)}`)
  },
  ordered(held, order, value) {
    const { at, column } = held
    const way = sqlText(order)
    const present = mysql.present(held)
    if (typeof value === 'string')
      return all([present, sql`${bytes(mysql.value(held))} ${way} ${bytes(constant(value))}`])
    if (column.type === 'integer') {
      const whole = wholeBound(order, value)
      if (Number.isSafeInteger(whole)) return all([present, sql`${at} ${way} ${signed(whole)}`])
    }
    if (column.type === 'timestamp') {
      const instant = wholeBound(order, value)
      if (instant > FIRST_MS && instant < LAST_MS) return all([present, orderedInstant(at, order, instant)])
    }
    return isTrue(sql`${mysql.value(held)} ${way} ${constant(value)}`)
  },
  isOneOf(held, values) {
    const { at, column } = held
    const present = mysql.present(held)
    if (column.isKey && column.type === 'integer') return oneOfIntegers(at, values)
    switch (column.type) {
      case 'text': {
        const exact = isInList('text', at, values)
        if (values.length > INDEXED_TEXTS_MAX) return all([present, exact])
        const each = values.map((value) => sql`${new Bound(value)}`)
        return all([present, sql`${at} IN (${joined(each, ', ')})`, exact])
      }
      case 'boolean':
        return any(values.map((each) => mysql.equals(held, each)))
      default:
        return isTrue(isInList('number', mysql.value(held), values))
    }
  },

  isIn(key, from, table, where) {
    const condition = all([mysql.present(from), where])
    const keys = subquery(sql`SELECT ${bytes(mysql.value(from))} FROM ${table} WHERE ${condition}`)
    return all([mysql.present(key), sql`${bytes(mysql.value(key))} IN (${keys})`])
  },

  equalTexts: (left, right) => sql`${bytes(left)} = ${bytes(right)}`,
  orderedTexts: (left, order, right) => sql`${bytes(left)} ${sqlText(order)} ${bytes(right)}`,
  testTexts(test, left, right) {
    const [whole, part] = [bytes(left), bytes(right)]
    if (test === 'contains') return sql`LOCATE(${part}, ${whole}) > 0`
    return sql`${sqlText(test === 'starts-with' ? 'LEFT' : 'RIGHT')}(${whole}, LENGTH(${part})) = ${part}`
  },
  isInList,

  constants(kind, values, alias) {
    return { from: table(kind, values, alias), item: sqlText(`\`${alias}\`.v`) }
  },

  json({ at }) {
    // a sum out of range fails: taken for missing, a `not` would find the row of a text that is not JSON
    const fault = sql`18446744073709551615 + (LENGTH(${at}) + 1)`
    return { value: sql`CASE WHEN CASE JSON_VALID(${at}) WHEN 1 THEN 1 WHEN 0 THEN ${fault} END = 1 THEN ${at} END` }
  },
  member: ({ value }, name) => ({ value: sql`JSON_EXTRACT(${value}, ${new Bound(`$.${JSON.stringify(name)}`)})` }),
  isJson: (json, what) => isTrue(isOfType(json, what.toUpperCase())),
  scalar: jsonScalar,
  jsonItems(json, alias) {
    const array = sql`CASE WHEN ${isOfType(json, 'ARRAY')} THEN ${json.value} ELSE '[]' END`
    return {
      from: sql`JSON_TABLE(${array}, '$[*]' COLUMNS (v JSON PATH '$')) AS ${sqlText(`\`${alias}\``)}`,
      item: { value: sqlText(`\`${alias}\`.v`) },
    }
  },

  isArray: () => FALSE,
  arrayItems: () => {
    throw new Error('MySQL has no arrays')
  },
}

function constant(value: Scalar): Sql {
  if (typeof value === 'boolean') return sqlText(value ? '1' : '0')
  return typeof value === 'number' ? sql`CAST(${new Bound(value)} AS DOUBLE)` : sql`${new Bound(value)}`
}

/** The bytes of a text in UTF-8, which are compared without a collation. */
const bytes = (text: Sql): Sql => sql`CAST(CONVERT(${text} USING utf8mb4) AS BINARY)`
const signed = (value: Scalar): Sql =>
  sql`CAST(${new Bound(String(value))} AS ${sqlText(isSignedText(String(value)) ? 'SIGNED' : 'UNSIGNED')})`
/** A column of whole numbers may be UNSIGNED. */
const isIntegerText = (text: string): boolean =>
  isSignedText(text) || (/^[1-9]\d{18,19}$/.test(text) && BigInt.asUintN(64, BigInt(text)) === BigInt(text))

const TYPES = {
  text: 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  number: 'DOUBLE',
  boolean: 'TINYINT',
  integer: 'BIGINT',
} as const

/** MySQL makes no index over a list of longer texts, and then reads all of it for each row. */
const SHORT_CHARACTERS_MAX = 500

/** The values as rows, from one parameter. */
function table(type: keyof typeof TYPES, values: readonly Scalar[], alias: string): Sql {
  const list = new Bound(
    type === 'integer' ? `[${values.join(',')}]` : JSON.stringify(type === 'boolean' ? values.map(Number) : values),
  )
  const longest = values.reduce<number>((most, each) => Math.max(most, String(each).length), 1)
  const text = longest > SHORT_CHARACTERS_MAX ? 'LONGTEXT ' : `VARCHAR(${longest}) `
  const column = sqlText(`v ${type === 'text' ? text : ''}${TYPES[type]} PATH '$'`)
  return sql`JSON_TABLE(${list}, '$[*]' COLUMNS (${column})) AS ${sqlText(`\`${alias}\``)}`
}

function isInList(kind: Kind, of: Sql, values: readonly Scalar[]): Sql {
  const from = table(kind, values, 'zerohop_list')
  return kind === 'text'
    ? sql`${bytes(of)} IN (SELECT CAST(v AS BINARY) FROM ${from})`
    : sql`${of} IN (SELECT v FROM ${from})`
}

function oneOfIntegers(at: Sql, values: readonly Scalar[]): Sql {
  const possible = values.filter((each) => isIntegerText(String(each)))
  if (possible.length === 0) return FALSE
  const [small, large] = [true, false].map((is) => possible.filter((each) => isSignedText(String(each)) === is))
  return all([
    sql`${at} IS NOT NULL`,
    any([
      small!.length === 0 ? FALSE : sql`${at} IN (SELECT v FROM ${table('integer', small!, 'zerohop_list')})`,
      large!.length === 0 ? FALSE : sql`${at} IN (${joined(large!.map(signed), ', ')})`,
    ]),
  ])
}

/** What a column has below the millisecond does not count: up to 5 ms is before 6 ms. */
function orderedInstant(at: Sql, order: Order, ms: number): Sql {
  const isAfterwards = order === '<=' || order === '>'
  const text = new Date(isAfterwards ? ms + 1 : ms).toISOString().slice(0, -1).replace('T', ' ')
  return sql`${at} ${sqlText(order === '<' || order === '<=' ? '<' : '>=')} CAST(${new Bound(text)} AS DATETIME(6))`
}

const LARGEST = sqlText(String(Number.MAX_VALUE))
const isOfType = ({ value }: JsonValue, what: string): Sql => sql`JSON_TYPE(${value}) = ${sqlText(`'${what}'`)}`

function jsonScalar(json: JsonValue, kind: Kind): Sql {
  const { value } = json
  switch (kind) {
    case 'text':
      return sql`CASE WHEN ${isOfType(json, 'STRING')} THEN JSON_UNQUOTE(${value}) END`
    case 'boolean':
      return sql`CASE WHEN ${isOfType(json, 'BOOLEAN')} THEN JSON_UNQUOTE(${value}) = 'true' END`
    case 'number': {
      const number = sql`CAST(${value} AS DOUBLE)`
      const isNumber = sql`JSON_TYPE(${value}) IN ('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL')`
      // what is too large for a double is cast to the largest one, so its text tells that one apart
      const text = sql`TRIM(LEADING '-' FROM LOWER(JSON_UNQUOTE(${value})))`
      const isLargest = sql`${text} IN ('1.7976931348623157e308', '${LARGEST}')`
      const inRange = sql`(ABS(${number}) < ${LARGEST} OR ${isLargest})`
      return sql`CASE WHEN ${isNumber} AND ${inRange} THEN ${number} END`
    }
  }
}
