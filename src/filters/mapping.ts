// Where the rows of an application hold what filters read (docs/filters-in-databases.md): the columns of a table, and
// what each of them is. May come from JSON, except for expressions, which only code can write.
import { ZerohopError } from '../model/errors.ts'

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

/** An expression in place of the name of a column. It is not checked, and never read from JSON. */
export class SqlExpression {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An expression in place of the name of a column, as SQL: `sql('lower(email)')`. Never make one from input. */
export const sql = (text: string): SqlExpression => new SqlExpression(text)

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
      readonly through: {
        readonly table: string | SqlExpression
        /** its column with the key of the row */
        readonly from: KeyColumn
        /** its column with the key of the related instance */
        readonly to: KeyColumn
      }
      /** what the row calls the list of keys in the program, for `toResource`; default the name of the relation */
      readonly property?: string
    }

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
  readonly from: Column
  readonly to: Column
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

/** @throws INPUT_INVALID with the place where the mapping is not one */
export function columnsOf(mapping: Mapping): Columns {
  const { tenant, key, attributes, relations } = partOf(mapping, 'mapping', [
    'tenant',
    'key',
    'attributes',
    'relations',
  ])
  if (tenant === undefined)
    throw invalid('mapping.tenant', 'is missing: name the column, or `null` for a table of one tenant')
  return {
    tenant: tenant === null ? null : keyColumn(tenant, 'tenant', 'mapping.tenant'),
    key: keyColumn(key, 'key', 'mapping.key'),
    attributes: mapOf(attributes, 'mapping.attributes', attributeColumn),
    relations: mapOf(relations, 'mapping.relations', relationOf),
  }
}

function mapOf<T>(value: unknown, at: string, read: (value: unknown, name: string, at: string) => T): Map<string, T> {
  if (value === undefined) return new Map()
  return new Map(Object.entries(partOf(value, at)).map(([name, each]) => [name, read(each, name, `${at}.${name}`)]))
}

function attributeColumn(value: unknown, name: string, at: string): Column {
  const part = partOf(value, at, ['column', 'type', 'collation', 'property'])
  return columnOf(part, name, at, COLUMN_TYPES)
}

function keyColumn(value: unknown, name: string, at: string): Column {
  const isShort = typeof value === 'string' || value instanceof SqlExpression
  const part = isShort ? { column: value } : partOf(value, at, ['column', 'type', 'collation', 'property'])
  return { ...columnOf({ ...part, type: part.type ?? 'text' }, name, at, KEY_TYPES), isKey: true }
}

function relationOf(value: unknown, name: string, at: string): Relation {
  const part = partOf(value, at, ['resource', 'column', 'type', 'collation', 'property', 'through'])
  const { resource, through, property = name, ...column } = part
  if (typeof resource !== 'string')
    throw invalid(`${at}.resource`, 'must be the resource type of the related instances')
  if (typeof property !== 'string') throw invalid(`${at}.property`, 'must be text')
  if (through === undefined) {
    const held = keyColumn({ ...column, ...(part.property === undefined ? {} : { property }) }, name, at)
    return { resource, property: held.property, held }
  }
  if (part.column !== undefined) throw invalid(at, 'has `column` and `through`: name one')
  const { table, from, to } = partOf(through, `${at}.through`, ['table', 'from', 'to'])
  const held = {
    table: nameOf(table, `${at}.through.table`),
    from: keyColumn(from, name, `${at}.through.from`),
    to: keyColumn(to, name, `${at}.through.to`),
  }
  return { resource, property, held }
}

function columnOf(part: Part, name: string, at: string, types: readonly ColumnType[]): Column {
  const { type, collation } = part
  const column = nameOf(part.column, `${at}.column`)
  if (!types.some((each) => each === type)) throw invalid(`${at}.type`, `must be one of ${types.join(', ')}`)
  if (collation !== undefined && collation !== 'nondeterministic')
    throw invalid(`${at}.collation`, 'can only be `nondeterministic`')
  const { property = typeof column === 'string' ? column : name } = part
  if (typeof property !== 'string') throw invalid(`${at}.property`, 'must be text')
  const isNondeterministic = collation !== undefined
  return { name, column, type: type as ColumnType, isKey: false, isNondeterministic, property }
}

function nameOf(value: unknown, at: string): string | SqlExpression {
  if (value instanceof SqlExpression || (typeof value === 'string' && value !== '')) return value
  throw invalid(at, "must be a name, or an expression made by sql('…') in code")
}

function partOf(value: unknown, at: string, members?: readonly string[]): Part {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(at, 'must be an object')
  const other = members === undefined ? undefined : Object.keys(value).find((name) => !members.includes(name))
  if (other !== undefined) throw invalid(`${at}.${other}`, 'is not known')
  return value as Part
}

function invalid(at: string, reason: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason: `\`${at}\` ${reason}` })
}
