// The tables of the law of ./policy-law.ts, one for each database: each attribute in a column of every type that the
// database has, so that one random policy meets them all. Rows of many questions lie in one table.
import type { ColumnType } from '../../src/filters/meaning/mapping.ts'
import type { DialectName } from '../../src/filters/to-sql.ts'
import { parseInstant } from '../../src/model/instant.ts'
import type { Json } from '../../src/model/objects.ts'
import { ATTRIBUTES } from '../property/values.ts'

/** A form in which a column can hold an attribute. */
export interface ColumnForm {
  readonly type: ColumnType
  readonly collation?: 'nondeterministic'
  /** its type in SQL */
  readonly sql: string
  /** what the driver is given for a value; undefined when the column cannot hold it */
  readonly write: (value: Json) => unknown
}

/** 1980 to 2037, which every type of time has */
const [FIRST_MS, LAST_MS] = [315_532_800_000, 2_114_380_800_000]
/** MariaDB's decimal has 65 digits, 30 of them behind the point. */
const DECIMAL_BOUND = 1e34

const hasNul = (value: Json): boolean => JSON.stringify(value).includes('\\u0000')
const text = (value: Json) => (typeof value === 'string' && !hasNul(value) ? value : undefined)
const json = (value: Json) => (hasNul(value) ? undefined : JSON.stringify(value))
const double = (value: Json) => (typeof value === 'number' ? value : undefined)
const integer = (value: Json) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined)
const decimal = (value: Json) =>
  typeof value === 'number' && Math.abs(value) < DECIMAL_BOUND ? String(value) : undefined
const boolean = (value: Json) => (typeof value === 'boolean' ? value : undefined)
const bit = (value: Json) => (typeof value === 'boolean' ? Number(value) : undefined)
const texts = (value: Json) =>
  Array.isArray(value) && value.every((each) => text(each) !== undefined) ? value : undefined

function time(value: Json): Date | undefined {
  const ms = typeof value === 'number' ? value : typeof value === 'string' ? parseInstant(value) : undefined
  return ms !== undefined && Number.isInteger(ms) && ms >= FIRST_MS && ms < LAST_MS ? new Date(ms) : undefined
}

/** By database; the names are those of the columns. */
const FORMS: Readonly<Record<DialectName, Readonly<Record<string, ColumnForm>>>> = {
  postgres: {
    json: { type: 'json', sql: 'jsonb', write: json },
    text: { type: 'text', sql: 'text', write: text },
    fold: { type: 'text', sql: 'text COLLATE "ignore_case"', collation: 'nondeterministic', write: text },
    double: { type: 'double', sql: 'double precision', write: double },
    integer: { type: 'integer', sql: 'bigint', write: integer },
    decimal: { type: 'decimal', sql: 'numeric', write: decimal },
    boolean: { type: 'boolean', sql: 'boolean', write: boolean },
    time: { type: 'timestamptz', sql: 'timestamptz', write: time },
    texts: { type: 'text[]', sql: 'text[]', write: texts },
  },
  mysql: {
    json: { type: 'json', sql: 'JSON', write: json },
    text: { type: 'text', sql: 'VARCHAR(600)', write: text },
    exact: { type: 'text', sql: 'VARCHAR(600) COLLATE utf8mb4_bin', write: text },
    double: { type: 'double', sql: 'DOUBLE', write: double },
    integer: { type: 'integer', sql: 'BIGINT', write: integer },
    decimal: { type: 'decimal', sql: 'DECIMAL(65,30)', write: decimal },
    boolean: { type: 'boolean', sql: 'TINYINT', write: bit },
    time: { type: 'timestamptz', sql: 'TIMESTAMP(6) NULL', write: time },
    made: { type: 'timestamp', sql: 'DATETIME(6)', write: time },
  },
  sqlite: {
    json: { type: 'json', sql: 'TEXT', write: json },
    text: { type: 'text', sql: 'TEXT', write: text },
    fold: { type: 'text', sql: 'TEXT COLLATE NOCASE', write: text },
    trim: { type: 'text', sql: 'TEXT COLLATE RTRIM', write: text },
    double: { type: 'double', sql: 'REAL', write: double },
    integer: { type: 'integer', sql: 'INTEGER', write: integer },
    boolean: { type: 'boolean', sql: 'BOOLEAN', write: bit },
  },
}

/** A number that Prisma sends: it rounds the largest ones to infinity. */
const isSent = (value: Json) => typeof value === 'number' && Math.abs(value) <= PRISMA_NUMBER_MAX
const PRISMA_NUMBER_MAX = 1.7976931348623e308

/** What a model of Prisma has; its fields of JSON no where object reads. */
const prismaForms = (types: {
  readonly double: string
  readonly time: string
}): Readonly<Record<string, ColumnForm>> => ({
  text: { type: 'text', sql: 'TEXT', write: text },
  double: { type: 'double', sql: types.double, write: (value) => (isSent(value) ? value : undefined) },
  integer: { type: 'integer', sql: 'BIGINT', write: integer },
  boolean: { type: 'boolean', sql: 'BOOLEAN', write: boolean },
  time: { type: 'timestamptz', sql: types.time, write: time },
  json: { type: 'json', sql: 'TEXT', write: () => undefined },
})

/** Tables of a database. */
interface Tables {
  readonly dialect: DialectName
  readonly forms: Readonly<Record<string, ColumnForm>>
  /** Where an attribute is held. */
  readonly columnName: (attribute: string, form: string) => string
  /** whether a relation may be in a table that joins */
  readonly joins: boolean
}

const place = (attribute: string) => ATTRIBUTES.indexOf(attribute as never)
/** A name that has to be quoted, and is in no column of a subquery. */
const quotedName: Tables['columnName'] = (attribute, form) => `${form} ${place(attribute)}"`
const ofDialect = (dialect: DialectName): Tables => ({
  ...{ dialect, forms: FORMS[dialect], columnName: quotedName, joins: true },
})
const ofPrisma = (dialect: DialectName, forms: Tables['forms']): Tables => ({
  ...{ dialect, forms, columnName: (attribute, form) => `${form}_${place(attribute)}`, joins: false },
})

export const TABLES = {
  postgres: ofDialect('postgres'),
  mysql: ofDialect('mysql'),
  sqlite: ofDialect('sqlite'),
  prismaPostgres: ofPrisma('postgres', prismaForms({ double: 'double precision', time: 'timestamptz' })),
  prismaSqlite: ofPrisma('sqlite', prismaForms({ double: 'REAL', time: 'DATETIME' })),
} as const satisfies Record<string, Tables>
export type TablesName = keyof typeof TABLES

/** How many relations a question may read: each has a column of the rows, and a table that joins. */
export const RELATIONS = 3
/** How many policies may have rows in the tables at once: each has tables of its own that join. */
export const POLICIES_IN_TABLES = 8
export const linkTable = (slot: number, place: number): string => `links_${slot}_${place}`
const PLACES = Array.from({ length: RELATIONS }, (_, place) => place)

/** What every row has beside its attributes. */
const COLUMNS = ['n', 'question', 'org', 'id', ...PLACES.map((place) => `related_${place}`)]

/** Every column of the table `facts`, in order. */
export function listColumns(name: TablesName): string[] {
  const { forms, columnName } = TABLES[name]
  return [
    ...COLUMNS,
    ...ATTRIBUTES.flatMap((attribute) => Object.keys(forms).map((form) => columnName(attribute, form))),
  ]
}

const isMysql = (dialect: DialectName) => dialect === 'mysql'

function quoted(dialect: DialectName, name: string): string {
  return isMysql(dialect) ? `\`${name}\`` : `"${name.replaceAll('"', '""')}"`
}

/** Statements that make the tables. PostgreSQL has the collation `ignore_case` before. */
export function createTables(name: TablesName): string[] {
  const { dialect, forms, columnName } = TABLES[name]
  const key = isMysql(dialect) ? 'VARCHAR(600)' : 'TEXT'
  const attributes = ATTRIBUTES.flatMap((attribute) =>
    Object.entries(forms).map(([form, { sql }]) => `${quoted(dialect, columnName(attribute, form))} ${sql}`),
  )
  const keys = COLUMNS.slice(2).map((name) => `${name} ${key}`)
  return [
    `CREATE TABLE facts (n INTEGER PRIMARY KEY, question INTEGER, ${[...keys, ...attributes].join(', ')})`,
    ...Array.from({ length: POLICIES_IN_TABLES }, (_, slot) =>
      PLACES.map((place) => `CREATE TABLE ${linkTable(slot, place)} (id ${key}, related ${key})`),
    ).flat(),
  ]
}
