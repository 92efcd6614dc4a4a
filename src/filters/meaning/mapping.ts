// Where the rows of an application hold what filters read (docs/filters-in-databases.md): the columns of a table, and
// what each of them is. May come from JSON, except for expressions, which only code can write.
import { ZerohopError } from '../../model/errors.ts'

/** What a column holds, as the filter sees it. */
export const COLUMN_TYPES = [
  'text',
  'uuid',
  'integer',
  'double',
  'decimal',
  'boolean',
  'timestamptz',
  'timestamp',
  'json',
  'text[]',
  'uuid[]',
  'integer[]',
  'double[]',
  'boolean[]',
] as const
export type ColumnType = (typeof COLUMN_TYPES)[number]

/** What a key may be held as. */
const KEY_TYPES = ['text', 'uuid', 'integer'] as const

/**
 * Writes an expression as SQL. `column` gives a column of the table that the expression is about, as the condition
 * calls it where it stands.
 */
export type ExpressionWriter = (column: (name: string) => string) => string

/** An expression in place of the name of a column. It is not checked, and never read from JSON. */
export class SqlExpression {
  readonly text: string | ExpressionWriter

  constructor(text: string | ExpressionWriter) {
    this.text = text
  }
}

/**
 * An expression in place of the name of a column, as SQL: `` sql((column) => `lower(${column('email')})`) ``. In a text,
 * such as `sql('lower(email)')`, a name means what it means where the condition stands. Never make one from input.
 */
export const sql = (text: string | ExpressionWriter): SqlExpression => new SqlExpression(text)

/** Where a value of an attribute is. */
export interface AttributeColumn {
  readonly column: string | SqlExpression
  readonly type: ColumnType
  /** text whose collation calls different texts equal (in PostgreSQL: a nondeterministic one) */
  readonly collation?: 'nondeterministic'
  /** what the row calls it in the program, for `toResource`; default the column, or the attribute of an expression */
  readonly property?: string
}

/** Where a key is: a column of text, or one that is more. */
export type KeyColumn =
  | string
  | SqlExpression
  | {
      readonly column: string | SqlExpression
      readonly type?: (typeof KEY_TYPES)[number]
      readonly collation?: 'nondeterministic'
      readonly property?: string
    }

/** Where the keys of related instances are, all of one resource type: in a column of the row, or in another table. */
export type RelationColumn =
  | {
      readonly resource: string
      readonly column: string | SqlExpression
      readonly type?: (typeof KEY_TYPES)[number]
      readonly collation?: 'nondeterministic'
      readonly property?: string
    }
  | {
      readonly resource: string
      readonly through: LinkTable
      /** what the row calls the list of keys or link rows in the program, for `toResource`; default the name of the relation */
      readonly property?: string
    }

/** A table whose rows relate the rows of the application to instances. */
export interface LinkTable {
  readonly table: string | SqlExpression
  /** its column with the key of the row; for a composite key each of its columns, and the row's that it is equal to */
  readonly from: KeyColumn | readonly LinkPair[]
  /** its column with the key of the related instance */
  readonly to: KeyColumn
  /** its column with the key of the tenant: a link of another tenant than the row's does not count */
  readonly tenant?: KeyColumn
  /** which links count: what their columns hold, or an expression that is true for them */
  readonly where?: Readonly<Record<string, LinkTest>> | SqlExpression
}

/** A column of a link table that is equal to a column of the row. */
export interface LinkPair {
  readonly column: string | SqlExpression
  /** the column of the row */
  readonly row: string
  /** of both columns; default text */
  readonly type?: (typeof KEY_TYPES)[number]
  readonly collation?: 'nondeterministic'
  /** what a link row calls its column in the program, for `toResource` */
  readonly property?: string
  /** what the row calls its column in the program, for `toResource` */
  readonly rowProperty?: string
}

type LinkScalar = string | number | boolean
/** What a column of a link holds: nothing, a value, one of some, or anything (`{ not: null }`). */
export type LinkTest =
  | null
  | LinkScalar
  | readonly LinkScalar[]
  | { readonly not: null; readonly property?: string }
  | { readonly is: null | LinkScalar | readonly LinkScalar[]; readonly property?: string }

export interface Mapping {
  /** the column with the key of the tenant; `null` says that the table has rows of one tenant only */
  readonly tenant: KeyColumn | null
  readonly key: KeyColumn
  readonly attributes?: Readonly<Record<string, AttributeColumn>>
  readonly relations?: Readonly<Record<string, RelationColumn>>
}

/** A column as the adapters see it. */
export interface Column {
  /** what errors call it: the attribute, `key`, `tenant` or the relation */
  readonly name: string
  readonly column: string | SqlExpression
  readonly type: ColumnType
  /** a key is text, whatever holds it */
  readonly isKey: boolean
  readonly isNondeterministic: boolean
  readonly property: string
}

export interface ThroughTable {
  readonly table: string | SqlExpression
  /** columns of the table, each with the column of the row that it is equal to; at least one */
  readonly from: readonly { readonly link: Column; readonly row: Column }[]
  readonly to: Column
  readonly tenant: Column | undefined
  readonly where: SqlExpression | readonly LinkCondition[]
}

/** A condition on one column of a link. */
export interface LinkCondition {
  readonly column: Column
  readonly test: 'null' | 'not null' | { readonly oneOf: readonly LinkScalar[] }
}

export interface Relation {
  readonly resource: string
  readonly property: string
  readonly held: Column | ThroughTable
}

export interface Columns {
  readonly tenant: Column | null
  readonly key: Column
  readonly attributes: ReadonlyMap<string, Column>
  readonly relations: ReadonlyMap<string, Relation>
}

type Part = Readonly<Record<string, unknown>>

/**
 * The mapping, as it is now and will stay: define it once, where the program starts.
 * @throws INPUT_INVALID with the place where it is not one
 */
export function defineMapping<const M extends Mapping>(mapping: M): M {
  readColumns(mapping)
  return frozen(mapping)
}

/** A copy that cannot be changed. Expressions are what they are. */
function frozen<T>(part: T): T {
  if (typeof part !== 'object' || part === null || part instanceof SqlExpression) return part
  if (Array.isArray(part)) return Object.freeze(part.map(frozen)) as T
  return Object.freeze(Object.fromEntries(Object.entries(part).map(([name, each]) => [name, frozen(each)]))) as T
}

/** @throws INPUT_INVALID with the place where the mapping is not one */
export function readColumns(mapping: Mapping): Columns {
  const { tenant, key, attributes, relations } = requirePart(mapping, 'mapping', [
    'tenant',
    'key',
    'attributes',
    'relations',
  ])
  if (tenant === undefined)
    throw invalid('mapping.tenant', 'is missing: name the column, or `null` for a table of one tenant')
  const row = {
    tenant: tenant === null ? null : keyColumn(tenant, 'tenant', 'mapping.tenant'),
    key: keyColumn(key, 'key', 'mapping.key'),
  }
  return {
    ...row,
    attributes: readMap(attributes, 'mapping.attributes', attributeColumn),
    relations: readMap(relations, 'mapping.relations', (...of) => readRelation(row, ...of)),
  }
}

function readMap<T>(value: unknown, at: string, read: (value: unknown, name: string, at: string) => T): Map<string, T> {
  if (value === undefined) return new Map()
  return new Map(
    Object.entries(requirePart(value, at)).map(([name, each]) => [name, read(each, name, `${at}.${name}`)]),
  )
}

function attributeColumn(value: unknown, name: string, at: string): Column {
  const part = requirePart(value, at, ['column', 'type', 'collation', 'property'])
  return readColumn(part, name, at, COLUMN_TYPES)
}

function keyColumn(value: unknown, name: string, at: string): Column {
  const isShort = typeof value === 'string' || value instanceof SqlExpression
  const part = isShort ? { column: value } : requirePart(value, at, ['column', 'type', 'collation', 'property'])
  return { ...readColumn({ ...part, type: part.type ?? 'text' }, name, at, KEY_TYPES), isKey: true }
}

function readRelation(row: RowColumns, value: unknown, name: string, at: string): Relation {
  const part = requirePart(value, at, ['resource', 'column', 'type', 'collation', 'property', 'through'])
  const { resource, through, property = name, ...column } = part
  if (typeof resource !== 'string')
    throw invalid(`${at}.resource`, 'must be the resource type of the related instances')
  if (typeof property !== 'string') throw invalid(`${at}.property`, 'must be text')
  if (through === undefined) {
    const held = keyColumn({ ...column, ...(part.property === undefined ? {} : { property }) }, name, at)
    return { resource, property: held.property, held }
  }
  if (part.column !== undefined) throw invalid(at, 'has `column` and `through`: name one')
  return { resource, property, held: throughTable(row, through, name, `${at}.through`) }
}

type RowColumns = Pick<Columns, 'tenant' | 'key'>

function throughTable(row: RowColumns, through: unknown, name: string, at: string): ThroughTable {
  const { table, from, to, tenant, where = {} } = requirePart(through, at, ['table', 'from', 'to', 'tenant', 'where'])
  if (tenant !== undefined && row.tenant === null)
    throw invalid(`${at}.tenant`, 'cannot be compared: `mapping.tenant` is null')
  return {
    table: readName(table, `${at}.table`),
    from: Array.isArray(from)
      ? readPairs(from, `${at}.from`)
      : [{ link: keyColumn(from, name, `${at}.from`), row: row.key }],
    to: keyColumn(to, name, `${at}.to`),
    tenant: tenant === undefined ? undefined : keyColumn(tenant, name, `${at}.tenant`),
    where:
      where instanceof SqlExpression
        ? where
        : Object.entries(requirePlainObject(where, `${at}.where`)).map(([column, test]) =>
            linkCondition(column, test, `${at}.where.${column}`),
          ),
  }
}

function readPairs(from: readonly unknown[], at: string): ThroughTable['from'] {
  if (from.length === 0) throw invalid(at, 'must name a column')
  return from.map((each, index) => {
    const place = `${at}[${index}]`
    const { row, rowProperty, ...link } = requirePart(each, place, [
      ...['column', 'row', 'type', 'collation', 'property', 'rowProperty'],
    ])
    if (typeof row !== 'string') throw invalid(`${place}.row`, 'must be the name of the column of the row')
    const ofRow = { ...link, column: row, property: rowProperty ?? row }
    return { link: keyColumn(link, row, place), row: keyColumn(ofRow, row, place) }
  })
}

function linkCondition(name: string, test: unknown, at: string): LinkCondition {
  const isPlain = typeof test !== 'object' || test === null || Array.isArray(test)
  const { not, is, property } = isPlain ? { is: test } : requirePart(test, at, ['not', 'is', 'property'])
  const of = (type: ColumnType) => readColumn({ column: name, type, property }, name, at, COLUMN_TYPES)
  if (not === null && is === undefined) return { column: of('text'), test: 'not null' }
  if (not !== undefined) throw invalid(at, 'can be negated with null only: { not: null }')
  if (is === null) return { column: of('text'), test: 'null' }
  const values: readonly unknown[] = Array.isArray(is) ? is : [is]
  const [first] = values
  if (!values.every((each) => typeof each === typeof first)) throw invalid(at, 'has values of different types')
  if (typeof first === 'string') return { column: of('text'), test: { oneOf: values as string[] } }
  if (typeof first === 'boolean') return { column: of('boolean'), test: { oneOf: values as boolean[] } }
  if (values.length > 0 && values.every((each) => Number.isSafeInteger(each)))
    return { column: of('integer'), test: { oneOf: values as number[] } }
  throw invalid(at, 'must be null, a text, a whole number, a boolean, a list of them, or { not: null }')
}

function readColumn(part: Part, name: string, at: string, types: readonly ColumnType[]): Column {
  const { type, collation } = part
  const column = readName(part.column, `${at}.column`)
  if (!types.some((each) => each === type)) throw invalid(`${at}.type`, `must be one of ${types.join(', ')}`)
  if (collation !== undefined && collation !== 'nondeterministic')
    throw invalid(`${at}.collation`, 'can only be `nondeterministic`')
  const { property = typeof column === 'string' ? column : name } = part
  if (typeof property !== 'string') throw invalid(`${at}.property`, 'must be text')
  const isNondeterministic = collation !== undefined
  return { name, column, type: type as ColumnType, isKey: false, isNondeterministic, property }
}

function readName(value: unknown, at: string): string | SqlExpression {
  if (value instanceof SqlExpression) {
    if (typeof value.text === 'string' || typeof value.text === 'function') return value
  } else if (typeof value === 'string' && value !== '') return value
  throw invalid(at, "must be a name, or an expression made by sql('…') in code")
}

function requirePart(value: unknown, at: string, members?: readonly string[]): Part {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(at, 'must be an object')
  const other = members === undefined ? undefined : Object.keys(value).find((name) => !members.includes(name))
  if (other !== undefined) throw invalid(`${at}.${other}`, 'is not known')
  return value as Part
}

/** Refuses a Map and an object with inherited members: nothing of these would be read, and every link would count. */
function requirePlainObject(value: unknown, at: string): Part {
  const part = requirePart(value, at)
  const above: unknown = Object.getPrototypeOf(part)
  if (above === null || Object.getPrototypeOf(above) === null) return part
  throw invalid(at, 'must be a plain object')
}

function invalid(at: string, reason: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason: `\`${at}\` ${reason}` })
}
