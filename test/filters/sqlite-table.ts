// The table of the random tests in SQLite. Columns hold values that are not of their type, as SQLite lets them.
import type { ColumnType } from '../../src/filters/meaning/mapping.ts'
import { TENANT } from './random-filters.ts'
import {
  columnName,
  type Draw,
  jsonText,
  KEYS,
  makeTable,
  type Next,
  NUMBERS,
  pick,
  TEXTS,
  UUIDS,
} from './random-rows.ts'

const HUGE_NUMBERS = ['1e400', '9007199254740993', '0.10000000000000000001', '-0', '9223372036854775808', '-0.0']
const INTEGERS = [
  '0',
  '1',
  '-1',
  '2',
  '1.5',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '1795132800000',
]
const DOUBLES = [...NUMBERS.map((each) => each.toExponential()), '9e999', '-9e999']

const literal = (value: string | null) => (value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`)
const texts =
  (values: readonly string[]): Draw =>
  (next) =>
    literal(next(6) === 0 ? null : pick(next, values))
const raw =
  (values: readonly string[]): Draw =>
  (next) =>
    next(6) === 0 ? 'NULL' : pick(next, values)

const COLUMNS: Record<string, { type: ColumnType; sql: string; draw: Draw }> = {
  status: { type: 'text', sql: 'TEXT', draw: texts(TEXTS) },
  value: { type: 'text', sql: 'TEXT', draw: texts(TEXTS) },
  kind: { type: 'text', sql: 'TEXT COLLATE NOCASE', draw: texts(TEXTS) },
  note: { type: 'text', sql: 'TEXT COLLATE RTRIM', draw: texts(TEXTS) },
  any: {
    type: 'text',
    sql: '',
    draw: (next) => (next(2) === 0 ? texts(TEXTS)(next) : pick(next, ["x'61'", '1', '1.5', 'NULL'])),
  },
  owner: { type: 'uuid', sql: 'TEXT', draw: texts(UUIDS) },
  amount: { type: 'integer', sql: 'INTEGER', draw: (next) => (next(8) === 0 ? "'a'" : raw(INTEGERS)(next)) },
  score: { type: 'double', sql: 'REAL', draw: raw(DOUBLES) },
  loose: { type: 'double', sql: '', draw: raw([...DOUBLES, "'1'", "x'31'", '1']) },
  mixed: { type: 'integer', sql: '', draw: raw([...INTEGERS, "'1'", "'2'"]) },
  done: { type: 'boolean', sql: 'BOOLEAN', draw: raw(['1', '0', 'TRUE', 'FALSE', '2', "'x'"]) },
  data: { type: 'json', sql: 'TEXT', draw: json },
  more: { type: 'json', sql: 'JSON', draw: json },
}

function json(next: Next): string {
  const kind = next(16)
  if (kind === 0) return pick(next, ['1', "x'5b315d'"])
  if (kind === 1) return literal('{"a":1,"a":"a","b":{"a":2,"a":[]},"\\u0061":"b"}')
  return kind < 4 ? 'NULL' : literal(jsonText(next, HUGE_NUMBERS))
}

export const TABLE = makeTable(Object.fromEntries(Object.entries(COLUMNS).map(([name, { type }]) => [name, type])))

const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``

export const CREATE = `
  CREATE TABLE rows (n INTEGER PRIMARY KEY, id TEXT, ${quoted('org "id`')} TEXT, folder_id TEXT,
    ${Object.entries(COLUMNS)
      .map(([name, { sql }]) => `${quoted(columnName(name))} ${sql}`)
      .join(', ')});
  CREATE TABLE links (id TEXT, "team id" TEXT);`

export function insertSql(next: Next, count: number): string {
  const rows = Array.from({ length: count }, () => {
    const tenant = literal([TENANT, TENANT, TENANT, TENANT, 'other', TENANT.toUpperCase(), null][next(7)]!)
    const values = Object.values(COLUMNS).map(({ draw }) => draw(next))
    return `(${[texts(KEYS)(next), tenant, texts(KEYS)(next), ...values].join(', ')})`
  })
  const links = Array.from({ length: 8 }, () => `(${texts(KEYS)(next)}, ${texts(KEYS)(next)})`)
  const names = ['id', 'org "id`', 'folder_id', ...Object.keys(COLUMNS).map(columnName)]
  return `DELETE FROM rows; DELETE FROM links;
    INSERT INTO rows (${names.map(quoted).join(', ')}) VALUES ${rows.join(', ')};
    INSERT INTO links VALUES ${links.join(', ')};`
}
