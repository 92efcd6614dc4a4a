// The table of the random tests in MariaDB, with columns whose collations take different texts for equal.
import type { ColumnType } from '../../src/filters/meaning/mapping.ts'
import { TENANT } from './random-filters.ts'
import { columnName, type Draw, jsonText, KEYS, makeTable, type Next, NUMBERS, pick, TEXTS } from './random-rows.ts'

const HUGE_NUMBERS = ['1e400', '9007199254740993', '0.10000000000000000001', '-0', '123456789012345678901234567890']
const INTEGERS = ['0', '1', '-1', '2', '9007199254740992', '9007199254740993', '9223372036854775807', '1795132800000']
const DECIMALS = ['0.1', '1', '0.30000000000000004', '9007199254740993', '0.100000000000000000000000000001', '-0']
const TIMES = [
  '2026-11-20 00:00:00',
  '2026-11-20 00:00:00.000999',
  '2026-11-19 23:59:59.9995',
  '2026-11-20 00:00:00.001',
]
const OLD_TIMES = [
  ...TIMES,
  '1970-01-01 00:00:00',
  '1969-12-31 23:59:59.9995',
  '1000-01-01 00:00:00',
  '9999-12-31 23:59:59.999999',
]

const drawn =
  (values: readonly string[]): Draw =>
  (next) =>
    next(6) === 0 ? null : pick(next, values)

const COLUMNS: Record<string, { type: ColumnType; sql: string; draw: Draw }> = {
  status: { type: 'text', sql: 'VARCHAR(20)', draw: drawn(TEXTS) },
  value: { type: 'text', sql: 'TEXT COLLATE utf8mb4_bin', draw: drawn(TEXTS) },
  kind: { type: 'text', sql: 'VARCHAR(20) COLLATE utf8mb4_unicode_ci', draw: drawn(TEXTS) },
  note: { type: 'text', sql: 'VARCHAR(20) COLLATE utf8mb4_nopad_bin', draw: drawn(TEXTS) },
  amount: { type: 'integer', sql: 'BIGINT', draw: drawn(INTEGERS) },
  level: { type: 'integer', sql: 'SMALLINT', draw: drawn(['0', '1', '-1', '2', '3']) },
  score: { type: 'double', sql: 'DOUBLE', draw: drawn(NUMBERS.map(String)) },
  price: { type: 'decimal', sql: 'DECIMAL(65,30)', draw: drawn(DECIMALS) },
  done: { type: 'boolean', sql: 'TINYINT', draw: drawn(['0', '1', '2', '-1']) },
  due: { type: 'timestamptz', sql: 'TIMESTAMP(6) NULL', draw: drawn(TIMES) },
  made: { type: 'timestamp', sql: 'DATETIME(6)', draw: drawn(OLD_TIMES) },
  data: { type: 'json', sql: 'JSON', draw: (next) => (next(8) === 0 ? null : jsonText(next, HUGE_NUMBERS)) },
  more: { type: 'json', sql: 'JSON', draw: (next) => (next(8) === 0 ? null : jsonText(next, HUGE_NUMBERS)) },
}

export const TABLE = makeTable(Object.fromEntries(Object.entries(COLUMNS).map(([name, { type }]) => [name, type])))

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``

export const CREATE = [
  `CREATE TABLE \`rows\` (n INT PRIMARY KEY AUTO_INCREMENT, id VARCHAR(20), ${quoted('org "id`')} VARCHAR(20), folder_id VARCHAR(20),
    ${Object.entries(COLUMNS)
      .map(([name, { sql }]) => `${quoted(columnName(name))} ${sql}`)
      .join(', ')})`,
  'CREATE TABLE links (id VARCHAR(20), `team id` VARCHAR(20))',
]

/** Statements and their values. */
export function inserts(next: Next, count: number): [string, unknown[]][] {
  const keys = drawn(KEYS)
  const rows = Array.from({ length: count }, () => {
    const tenant = [TENANT, TENANT, TENANT, TENANT, 'other', TENANT.toUpperCase(), null][next(7)]!
    return [keys(next), tenant, keys(next), ...Object.values(COLUMNS).map(({ draw }) => draw(next))]
  })
  const links = Array.from({ length: 8 }, () => [keys(next), keys(next)])
  const names = ['id', 'org "id`', 'folder_id', ...Object.keys(COLUMNS).map(columnName)]
  return [
    ['TRUNCATE `rows`', []],
    ['TRUNCATE links', []],
    [`INSERT INTO \`rows\` (${names.map(quoted).join(', ')}) VALUES ?`, [rows]],
    ['INSERT INTO links VALUES ?', [links]],
  ]
}
