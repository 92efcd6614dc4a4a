// Rows in the memory of an application: the question that a check of one row asks, from the same mapping that the
// query uses, and whether a filter means a row. No dependency on a database.
import { ZerohopError } from '../model/errors.ts'
import type { ConditionalFilter, Filter } from '../model/filter.ts'
import { parseInstant } from '../model/instant.ts'
import { isJsonValue } from '../model/json-value.ts'
import { markRow } from '../model/marked-row.ts'
import type { Json } from '../model/objects.ts'
import { holds } from './evaluate.ts'
import { requireFilter } from './form.ts'
import {
  type Column,
  type ColumnType,
  type LinkCondition,
  type Mapping,
  readColumns,
  SqlExpression,
  type ThroughTable,
} from './meaning/mapping.ts'
import type { DialectName } from './to-sql.ts'

/**
 * A row as a filter sees it. Every attribute and relation that the filter reads is there; without a value it is null.
 */
export interface Row {
  /** null while it has none */
  readonly key?: string | null
  readonly tenant: string
  readonly attributes?: Readonly<Record<string, Json>>
  /** what it is related to, as `type:key` */
  readonly relations?: Readonly<Record<string, readonly string[]>>
}

export interface MatchOptions {
  /** the instant of the question, in milliseconds since 1970; default: that of the clock, which a filter cannot read */
  readonly now?: number
}

/**
 * Whether the filter matches the row. It never matches a row of another tenant.
 * @throws INPUT_INVALID when the row lacks what the filter reads, or has a value there that JSON does not have, such as
 * NaN or a date: taken for missing, it could match more rows; FILTER_EXPIRED from its `validUntil` on
 */
export function matches(filter: Filter, row: Row, { now }: MatchOptions = {}): boolean {
  requireFilter(filter, now)
  if (typeof row.tenant !== 'string') throw absent('its tenant')
  if (row.tenant !== filter.tenant || filter.kind === 'never') return false
  if (filter.kind === 'always') return true
  const { where, reads } = filter as ConditionalFilter
  const reader = {
    attribute(name: string): Json {
      const value = own(row.attributes, name)
      if (value === undefined) throw absent(`attribute \`${name}\``)
      return value
    },
    related(relation: string): readonly string[] {
      const value = own(row.relations, relation)
      if (value === undefined) throw absent(`relation \`${relation}\``)
      return value
    },
    key(): string | undefined {
      if (row.key === undefined) throw absent('its key')
      return row.key ?? undefined
    },
    now(): number {
      if (now === undefined) throw invalid('this filter reads the time of asking: give `now`')
      return now
    },
  }
  for (const name of reads.attributes) {
    if (!isJsonValue(reader.attribute(name))) throw invalid(`attribute \`${name}\` of the row is not a JSON value`)
  }
  for (const name of reads.relations) {
    const related: unknown = reader.related(name)
    if (!Array.isArray(related) || !related.every((each) => typeof each === 'string'))
      throw invalid(`relation \`${name}\` of the row is not a list of \`type:key\``)
  }
  if (reads.key && typeof (reader.key() ?? '') !== 'string') throw invalid('the key of the row is not text')
  return holds(where, reader)
}

function own<T>(map: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined
}

function absent(what: string): ZerohopError {
  return invalid(`the row does not say ${what}: say null where it has none`)
}

function invalid(reason: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason })
}

export interface ResourceOptions {
  /** How the driver gives JSON: `parsed` (default), or as `text`, as those of SQLite (its default) and MariaDB do. */
  readonly json?: 'parsed' | 'text'
  /** Say `sqlite` for one: text never counts as a number there. Drivers of the others give large numbers as text. */
  readonly dialect?: DialectName
  /** the resource type of the rows: what is made is then the resource of a check as it is */
  readonly type?: string
}

/** What a row says about itself: with its type it is the resource of a check. Frozen. */
export interface RowResource {
  /** null while the row has no key */
  readonly key: string | null
  /** absent for a table of one tenant */
  readonly tenant?: string
  readonly attributes: Readonly<Record<string, Json>>
  readonly relations: Readonly<Record<string, readonly string[]>>
}

/**
 * The row that a query found, as it was asked for: `check(user, action, toResource(row, mapping, { type }))`. Where the
 * mapping has a tenant column, the row is marked: its own tenant decides whether it is the instance that is stored under
 * its key (D2). Pass it on as it is: a copy, such as `{ ...resource }`, is not marked.
 * @throws INPUT_INVALID when the row lacks a property of the mapping: it has to be selected; when it has no tenant,
 *   which a check would take for one that is not named; when its JSON cannot be parsed, or a key is not of the type of
 *   its column
 */
export function toResource<const T extends string>(
  row: Readonly<Record<string, unknown>>,
  mapping: Mapping,
  options: ResourceOptions & { readonly type: T },
): RowResource & { readonly type: T }
export function toResource(
  row: Readonly<Record<string, unknown>>,
  mapping: Mapping,
  options?: ResourceOptions,
): RowResource
export function toResource(
  row: Readonly<Record<string, unknown>>,
  mapping: Mapping,
  { dialect, json = dialect === 'sqlite' ? 'text' : 'parsed', type }: ResourceOptions = {},
): RowResource {
  const columns = readColumns(mapping)
  const read = (property: string): unknown => requireProperty(row, property, 'the row')
  const form: Form = { json, hasNumbersAsText: dialect !== 'sqlite', tenant: columns.tenant }
  const readKey = (column: Column) => asKey(read(column.property), column, form)
  const tenant = columns.tenant === null ? undefined : readKey(columns.tenant)
  if (tenant === null) throw invalid('the row has no tenant: no filter means it')
  const attributes = [...columns.attributes].map(([name, column]) => {
    return [name, toJson(read(column.property), column.type, form)] as const
  })
  const relations = [...columns.relations].map(([name, { resource, property, held }]) => {
    const found = read(property)
    const keys = 'table' in held ? linkedKeys(found, property, held, row, form) : [asKey(found, held, form)]
    return [name, keys.filter((key) => key !== null).map((key) => `${resource}:${key}`)] as const
  })
  const resource = {
    ...(type === undefined ? {} : { type }),
    key: readKey(columns.key),
    ...(tenant === undefined ? {} : { tenant }),
    attributes: Object.freeze(Object.fromEntries(attributes)),
    relations: Object.freeze(Object.fromEntries(relations)),
  }
  return tenant === undefined ? Object.freeze(resource) : markRow(resource)
}

type Loaded = Readonly<Record<string, unknown>>

function requireProperty(row: Loaded, property: string, what: string): unknown {
  const value = Object.hasOwn(row, property) ? row[property] : undefined
  if (value !== undefined) return value
  throw invalid(`${what} has no \`${property}\`: select it`)
}

/** The related keys of a row: given as keys, or by the links of the row as they were loaded. */
function linkedKeys(found: unknown, property: string, held: ThroughTable, row: Loaded, form: Form): (string | null)[] {
  if (!Array.isArray(found)) throw invalid(`\`${property}\` must be a list of keys, or of links`)
  return (found as readonly unknown[]).map((each) => {
    if (!isLoaded(each)) return asKey(each, { ...held.to, property }, form)
    return countsFor(row, each, held, form) ? keyIn(each, held.to, form) : null
  })
}

const isLoaded = (value: unknown): value is Loaded =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value)

const keyIn = (row: Loaded, column: Column, form: Form, what = 'a link of the row'): string | null =>
  asKey(requireProperty(row, column.property, what), column, form)

/** Whether the query would count the link for the row. */
function countsFor(row: Loaded, link: Loaded, { from, tenant, where }: ThroughTable, form: Form): boolean {
  if (where instanceof SqlExpression)
    throw invalid(
      '`where` of a link is an expression, which only a database reads: give the keys of the links that count',
    )
  const pairs = tenant === undefined ? from : [...from, { link: tenant, row: form.tenant! }]
  const isSame = pairs.every((pair) => {
    const key = keyIn(link, pair.link, form)
    return key !== null && key === keyIn(row, pair.row, form, 'the row')
  })
  return (
    isSame &&
    where.every(({ column, test }) =>
      passes(requireProperty(link, column.property, 'a link of the row'), column, test, form),
    )
  )
}

function passes(value: unknown, { type }: Column, test: LinkCondition['test'], form: Form): boolean {
  if (test === 'null') return value === null
  if (test === 'not null') return value !== null
  return test.oneOf.some((each) => each === toJson(value, type, form))
}

/** How a driver gives values. */
interface Form {
  readonly json: 'parsed' | 'text'
  readonly hasNumbersAsText: boolean
  /** of the row */
  readonly tenant: Column | null
}

/** A key of another type than the mapping says cannot be in the database: the list and the check would disagree. */
function asKey(value: unknown, { type, property }: Column, { hasNumbersAsText }: Form): string | null {
  if (value === null) return null
  if (type !== 'integer') {
    if (typeof value === 'string') return value
    throw invalid(`\`${property}\` is not text, as the mapping says: a key held as a number has \`type: 'integer'\``)
  }
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value)
  if (typeof value === 'string' && hasNumbersAsText && WHOLE_TEXT.test(value)) return value
  throw invalid(
    `\`${property}\` is not a whole number of the database: beyond 2^53 the driver must give text or bigint`,
  )
}

/** What a driver gives, as the filter sees it; `null` where it has no value, also for NaN. */
function toJson(value: unknown, type: ColumnType, form: Form): Json {
  if (value === null) return null
  switch (type) {
    case 'text':
    case 'uuid':
      return typeof value === 'string' ? value : null
    case 'double':
      return typeof value === 'number' ? toNumber(value) : null
    case 'integer':
    case 'decimal':
      return toNumber(form.hasNumbersAsText ? fromText(value) : value)
    case 'boolean':
      return toBoolean(value)
    case 'timestamptz':
    case 'timestamp':
      return toMilliseconds(value)
    case 'json':
      return form.json === 'text' ? parseJson(value) : finite(value as Json)
    default: {
      if (!Array.isArray(value) || value.some((each) => Array.isArray(each))) return null
      const inner = type.slice(0, -'[]'.length) as ColumnType
      return value.map((each) => toJson(each, inner, form))
    }
  }
}

/** Databases without a type for them hold 1 and 0. */
function toBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'number' && typeof value !== 'bigint') return null
  const number = Number(value)
  return number === 1 ? true : number === 0 ? false : null
}

const WHOLE_TEXT = /^-?\d+$/
const NUMBER_TEXT = /^-?\d+(\.\d+)?$/

/** Drivers give whole numbers of 64 bits and decimals as text. */
const fromText = (value: unknown): unknown =>
  typeof value === 'string' && NUMBER_TEXT.test(value) ? Number(value) : value

function toNumber(value: unknown): number | null {
  const number = typeof value === 'bigint' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

const WITH_SPACE = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d(?::?\d\d)?)?$/

/** Milliseconds of a date, or of a time as databases print it; without a zone it is UTC. */
function toMilliseconds(value: unknown): number | null {
  if (value instanceof Date) return toNumber(value.getTime())
  if (typeof value !== 'string') return null
  const [, day, time, zone = 'Z'] = WITH_SPACE.exec(value) ?? []
  if (day === undefined) return null
  const offset = zone === 'Z' ? zone : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  return parseInstant(`${day}T${time}${offset}`) ?? null
}

function parseJson(value: unknown): Json {
  if (typeof value !== 'string') return null
  try {
    return finite(JSON.parse(value) as Json)
  } catch {
    throw invalid('the row has text that is not JSON in a column of JSON')
  }
}

/** Numbers beyond the range of doubles are missing, wherever they stand. */
function finite(value: Json): Json {
  if (typeof value === 'number') return toNumber(value)
  if (Array.isArray(value)) return value.map(finite)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, finite(each)]))
}
