// Filters in SQLite. A column may hold values of any type there, so each is asked for its type. Text is compared by the
// bytes of UTF-8: a database in UTF-16 fails where text is ordered. JSON is text; the last of two members of one name
// counts, as in JavaScript. Names are quoted as `name`: a "name" that is not a column would be read as text.
import { FILTER_SQLITE_NESTING_MAX, SQLITE_VALUES_MAX } from '../../model/limits.ts'
import { columnKind, type Dialect, isIntegerText, type JsonValue, type Kind, type Scalar } from './dialect.ts'
import { all, any, Bound, FALSE, isTrue, joined, type Sql, sql, sqlText } from './fragment.ts'
import { unquotable } from './names.ts'
import { subquery } from './operands.ts'

const NO_TYPE = 'SQLite has no type for it'

export const sqlite: Dialect = {
  name: 'SQLite',
  placeholder: 'question',
  nestingMax: FILTER_SQLITE_NESTING_MAX,
  valuesMax: SQLITE_VALUES_MAX,

  identifier(name) {
    if (name === '' || name.includes('\0') || !name.isWellFormed()) throw unquotable(name, 'SQLite has no such names')
    return `\`${name.replaceAll('`', '``')}\``
  },
  refusal(type) {
    if (type.startsWith('timestamp')) return `${NO_TYPE}: hold milliseconds since 1970 as integer`
    return type === 'decimal' || type.endsWith('[]') ? NO_TYPE : undefined
  },
  canHold: (text) => text.isWellFormed(),
  constant: (value) => sql`${new Bound(typeof value === 'boolean' ? Number(value) : value)}`,

  present(held) {
    const { at, column } = held
    if (column.isKey && column.type === 'integer') return sql`typeof(${at}) = 'integer'`
    switch (columnKind(column)) {
      case 'text':
        return sql`typeof(${at}) = 'text'`
      case 'boolean':
        return sql`(${isNumber(at)} AND ${at} IN (0, 1))`
      default:
        return sql`(${isNumber(at)} AND ${inRange(at)})`
    }
  },
  value(held) {
    const { at, column } = held
    const present = sqlite.present(held)
    if (column.isKey && column.type === 'integer') return sql`CASE WHEN ${present} THEN CAST(${at} AS TEXT) END`
    if (columnKind(column) === 'number') return sql`CASE WHEN ${present} THEN CAST(${at} AS REAL) END`
    return sql`CASE WHEN ${present} THEN ${at} END`
  },

  equals(held, value) {
    const { at, column } = held
    const present = sqlite.present(held)
    if (column.isKey && column.type === 'integer') {
      if (!isIntegerText(String(value))) return FALSE
      return all([present, sql`${at} = CAST(${new Bound(value)} AS INTEGER)`])
    }
    if (typeof value === 'string') return all([present, sql`${at} = ${binary(new Bound(value))}`])
    if (typeof value === 'number' && !isExact(value))
      return isTrue(sql`${sqlite.value(held)} = ${sqlite.constant(value)}`)
    return all([present, sql`${at} = ${sqlite.constant(value)}`])
  },
  ordered(held, order, value) {
    const way = sqlText(order)
    const present = sqlite.present(held)
    if (typeof value === 'string' && held.column.type === 'text')
      return all([present, ...ordersBytes, sql`${held.at} ${way} ${binary(new Bound(value))}`])
    if (typeof value === 'string')
      return all([present, ...ordersBytes, isTrue(sql`${sqlite.value(held)} ${way} ${binary(new Bound(value))}`)])
    if (isExact(value)) return all([present, sql`${held.at} ${way} ${sqlite.constant(value)}`])
    return isTrue(sql`${sqlite.value(held)} ${way} ${sqlite.constant(value)}`)
  },
  isOneOf(held, values) {
    const { at, column } = held
    const present = sqlite.present(held)
    if (column.isKey && column.type === 'integer') {
      const possible = values.filter((each) => isIntegerText(String(each)))
      if (possible.length === 0) return FALSE
      return all([present, sql`${at} IN (SELECT value FROM json_each(${new Bound(`[${possible.join(',')}]`)}))`])
    }
    const kind = columnKind(column)!
    if (kind === 'text') return all([present, sqlite.isInList(kind, at, values)])
    if (kind === 'boolean') return any(values.map((each) => sqlite.equals(held, each)))
    const exact = values.filter((each) => isExact(Number(each)))
    const large = values.filter((each) => !isExact(Number(each)))
    return any([
      exact.length === 0 ? FALSE : all([present, sqlite.isInList(kind, at, exact)]),
      large.length === 0 ? FALSE : isTrue(sqlite.isInList(kind, sqlite.value(held), large)),
    ])
  },

  isIn(key, from, table, where) {
    const present = all([sqlite.present(from), where])
    const keys = subquery(sql`SELECT ${sqlite.value(from)} FROM ${table} WHERE ${present}`)
    const same = key.column.type === 'text' ? key.at : sqlite.value(key)
    return all([sqlite.present(key), sql`(${same} COLLATE BINARY) IN (${keys})`])
  },

  equalTexts: (left, right) => sql`${left} = ${right} COLLATE BINARY`,
  orderedTexts: (left, order, right) => all([...ordersBytes, sql`${left} ${sqlText(order)} ${right} COLLATE BINARY`]),
  testTexts(test, left, right) {
    if (test === 'contains') return sql`instr(${left}, ${right}) > 0`
    const [whole, part] = [sql`CAST(${left} AS BLOB)`, sql`CAST(${right} AS BLOB)`]
    const first = test === 'starts-with' ? sqlText('1') : sql`length(${whole}) - length(${part}) + 1`
    // no part of an empty blob is a blob: it is NULL
    const found = sql`(length(${part}) = 0 OR substr(${whole}, ${first}, length(${part})) = ${part})`
    return sql`(length(${whole}) >= length(${part}) AND ${found})`
  },
  isInList(kind, of, values) {
    const list = sql`(${rows(kind, values)})`
    return kind === 'text' ? sql`(${of} COLLATE BINARY) IN ${list}` : sql`${of} IN ${list}`
  },

  constants(kind, values, alias) {
    const name = sqlText(`\`${alias}\``)
    return { from: sql`(${rows(kind, values)}) AS ${name}`, item: sql`${name}.value` }
  },

  json({ at }) {
    // json() of such a text fails, whatever follows: taken for missing, a `not` would find its row
    const fault = sql`json('not JSON: ' || ${at})`
    const document = sql`CASE WHEN typeof(${at}) = 'text' THEN CASE WHEN json_valid(${at}) THEN ${at} ELSE ${fault} END END`
    return {
      type: sql`json_type(${document})`,
      value: sql`json_extract(${document}, '$')`,
      object: document,
    }
  },
  member({ object }, name, alias) {
    const member = sqlText(`\`${alias}\``)
    const read = (what: Sql): Sql => {
      const found = sql`${member}.key = ${new Bound(name)} ORDER BY ${member}.id DESC LIMIT 1`
      return subquery(sql`(SELECT ${what} FROM json_each(${object!}) AS ${member} WHERE ${found})`)
    }
    const [type, value] = [sql`${member}.type`, sql`${member}.value`]
    return { type: read(type), value: read(value), object: read(ifObject(type, value)) }
  },
  isJson: (value, what) => isTrue(sql`${value.type!} = ${sqlText(`'${what}'`)}`),
  scalar: jsonScalar,
  jsonItems({ type, value }, alias) {
    const name = sqlText(`\`${alias}\``)
    const [itemType, itemValue] = [sql`${name}.type`, sql`${name}.value`]
    const array = sql`CASE WHEN ${type!} = 'array' THEN ${value} END`
    return {
      from: sql`json_each(${array}) AS ${name}`,
      item: { type: itemType, value: itemValue, object: ifObject(itemType, itemValue) },
    }
  },

  isArray: () => FALSE,
  arrayItems: () => {
    throw new Error('SQLite has no arrays')
  },
}

/** Fails in a database whose texts are not in UTF-8: the order of their bytes would be another one. */
const ordersBytes: readonly Sql[] = [
  sqlText(
    "(SELECT CASE encoding WHEN 'UTF-8' THEN 1 ELSE json('a filter orders text: the database is in UTF-16') END FROM pragma_encoding)",
  ),
]

const isNumber = (at: Sql): Sql => sql`typeof(${at}) IN ('integer', 'real')`
const inRange = (at: Sql): Sql => sql`${at} > -9e999 AND ${at} < 9e999`
const binary = (text: Bound): Sql => sql`${text} COLLATE BINARY`
/** A whole number beyond 2^53 is compared as the double that it is read as; up to there the two are the same. */
const isExact = (value: number): boolean => Math.abs(value) < 2 ** 53
const ifObject = (type: Sql, value: Sql): Sql => sql`CASE WHEN ${type} = 'object' THEN ${value} END`

/** The values as rows with a column `value`. Of numbers in JSON only whole ones are read exactly. */
function rows(kind: Kind, values: readonly Scalar[]): Sql {
  const isListed = (each: Scalar): boolean => typeof each !== 'number' || Number.isSafeInteger(each)
  const listed = values.filter(isListed)
  const json = new Bound(JSON.stringify(kind === 'boolean' ? listed.map(Number) : listed))
  const others = values.filter((each) => !isListed(each)).map((each) => sql`(${new Bound(each)})`)
  const list = sql`SELECT value FROM json_each(${json})`
  return others.length === 0 ? list : sql`${list} UNION ALL VALUES ${joined(others, ', ')}`
}

function jsonScalar({ type, value }: JsonValue, kind: Kind): Sql {
  switch (kind) {
    case 'text':
      return sql`CASE WHEN ${type!} = 'text' THEN ${value} END`
    case 'boolean':
      return sql`CASE ${type!} WHEN 'true' THEN 1 WHEN 'false' THEN 0 END`
    case 'number':
      return sql`CASE WHEN ${type!} IN ('integer', 'real') AND ${inRange(value)} THEN CAST(${value} AS REAL) END`
  }
}
