// The table of the random tests in PostgreSQL, with every type that a mapping can name.
import type { ColumnType } from '../../src/filters/meaning/mapping.ts'
import { TENANT } from './random-filters.ts'
import {
  columnName,
  type Draw,
  INSTANTS,
  jsonText,
  KEYS,
  makeTable,
  type Next,
  NUMBERS,
  pick,
  type Table,
  TEXTS,
  UUIDS,
} from './random-rows.ts'

const HUGE_NUMBERS = [
  '1e400',
  '9007199254740993',
  '0.10000000000000000001',
  '1e-400',
  '-0',
  '123456789012345678901234567890',
]
const DECIMALS = [
  ...HUGE_NUMBERS,
  'NaN',
  'Infinity',
  '-Infinity',
  '0.1',
  '1',
  '0.30000000000000004',
  '5e-324',
  '1.7976931348623159e308',
]
const INTEGERS = [
  '0',
  '1',
  '-1',
  '2',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '-9007199254740991',
  '1795132800000',
  '-1',
]
const DOUBLES = [...NUMBERS.map(String), 'NaN', 'Infinity', '-Infinity', '-0']
const TIMES = [
  '2026-11-20 00:00:00',
  '2026-11-20 00:00:00.000999',
  '2026-11-19 23:59:59.9995',
  '2026-11-20 00:00:00.001',
  '1970-01-01 00:00:00',
  '1969-12-31 23:59:59.9995',
  '0001-01-01 00:00:00',
  '9999-12-31 23:59:59.999999',
  'infinity',
  '-infinity',
  '275760-09-13 00:00:00.0005',
  '275760-09-14 00:00:00',
]
const ZONES = ['+00', '+01', '-08', '+05:30']

const array =
  (draw: Draw): Draw =>
  (next) => {
    if (next(12) === 0) return '{}'
    const items = Array.from({ length: next(4) }, () => draw(next)).map((each) =>
      each === null ? 'NULL' : JSON.stringify(each),
    )
    return next(12) === 0 && items.length > 0 ? `{{${items.join(',')}}}` : `{${items.join(',')}}`
  }
const drawn =
  (values: readonly string[]): Draw =>
  (next) =>
    next(6) === 0 ? null : pick(next, values)

const COLUMNS: Record<string, { type: ColumnType; sql: string; draw: Draw }> = {
  status: { type: 'text', sql: 'text', draw: drawn(TEXTS) },
  value: { type: 'text', sql: 'varchar(20)', draw: drawn(TEXTS) },
  kind: { type: 'text', sql: 'text COLLATE "ignore_case"', draw: drawn(TEXTS) },
  owner: { type: 'uuid', sql: 'uuid', draw: drawn(UUIDS) },
  amount: { type: 'integer', sql: 'bigint', draw: drawn(INTEGERS) },
  level: { type: 'integer', sql: 'smallint', draw: drawn(['0', '1', '-1', '2', '3']) },
  score: { type: 'double', sql: 'double precision', draw: drawn(DOUBLES) },
  price: { type: 'decimal', sql: 'numeric', draw: drawn(DECIMALS) },
  done: { type: 'boolean', sql: 'boolean', draw: drawn(['true', 'false']) },
  due: { type: 'timestamptz', sql: 'timestamptz', draw: (next) => time(next, true) },
  made: { type: 'timestamp', sql: 'timestamp', draw: (next) => time(next, false) },
  data: { type: 'json', sql: 'jsonb', draw: json },
  more: { type: 'json', sql: 'jsonb', draw: json },
  tags: { type: 'text[]', sql: 'text[]', draw: array(drawn(TEXTS)) },
  owners: { type: 'uuid[]', sql: 'uuid[]', draw: array(drawn(UUIDS)) },
  sizes: { type: 'integer[]', sql: 'bigint[]', draw: array(drawn(INTEGERS)) },
  ratios: { type: 'double[]', sql: 'float8[]', draw: array(drawn(DOUBLES)) },
  flags: { type: 'boolean[]', sql: 'boolean[]', draw: array(drawn(['true', 'false'])) },
}

function json(next: Next): string | null {
  return next(8) === 0 ? null : jsonText(next, HUGE_NUMBERS)
}

function time(next: Next, hasZone: boolean): string | null {
  const text = pick(next, TIMES)
  if (next(6) === 0) return null
  if (next(4) === 0) {
    const ms = pick(
      next,
      INSTANTS.filter((each) => each >= 0 && each < 1e14),
    )
    return new Date(ms).toISOString().slice(0, hasZone ? undefined : -1)
  }
  return hasZone && !text.includes('infinity') ? text + pick(next, ZONES) : text
}

const plain = makeTable(Object.fromEntries(Object.entries(COLUMNS).map(([name, { type }]) => [name, type])))
const { attributes = {} } = plain.mapping

export const TABLE: Table = {
  ...plain,
  mapping: {
    ...plain.mapping,
    attributes: { ...attributes, kind: { ...attributes.kind!, collation: 'nondeterministic' } },
  },
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const literal = (value: string | null) => (value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`)

export const CREATE = `
  CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  CREATE TABLE rows (n serial, id text, "org ""id\`" text, folder_id text,
    ${Object.entries(COLUMNS)
      .map(([name, { sql }]) => `${quoted(columnName(name))} ${sql}`)
      .join(', ')});
  CREATE TABLE links (id text, "team id" text)`

/** Statements that put this many random rows there, in place of others. */
export function rowsSql(next: Next, count: number): string {
  const maybe = (values: readonly string[]) => literal(next(6) === 0 ? null : pick(next, values))
  const rows = Array.from({ length: count }, () => {
    const tenant = literal([TENANT, TENANT, TENANT, TENANT, 'other', TENANT.toUpperCase(), null][next(7)]!)
    const values = Object.values(COLUMNS).map(({ draw }) => literal(draw(next)))
    return `(${[maybe(KEYS), tenant, maybe(KEYS), ...values].join(', ')})`
  })
  const links = Array.from({ length: 8 }, () => `(${maybe(KEYS)}, ${maybe(KEYS)})`)
  const names = ['id', 'org "id`', 'folder_id', ...Object.keys(COLUMNS).map(columnName)]
  return `TRUNCATE rows, links;
    INSERT INTO rows (${names.map(quoted).join(', ')}) VALUES ${rows.join(', ')};
    INSERT INTO links VALUES ${links.join(', ')}`
}

/** Rows with the keys of the teams of each. */
export const SELECT_ROWS = `SELECT r.*, ARRAY(SELECT "team id" FROM links l WHERE l.id = r.id) AS team FROM rows r ORDER BY n`
