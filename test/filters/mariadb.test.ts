// Filters in MySQL's dialect find the rows that they mean, on a real MariaDB server.
import { createPool, type Pool } from 'mysql2'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Mapping } from '../../src/filters/meaning/mapping.ts'
import { mysql } from '../../src/filters/sql/mysql.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import { type MariaDb, startMariaDb, withoutMariaDb } from '../support/mariadb.ts'
import { storedRow } from './law.ts'
import { CREATE_LINKS } from './links.ts'
import { CREATE, inserts, TABLE } from './mariadb-table.ts'
import { CREATE_DOCUMENTS, CREATE_PAGES, makeFilter, NOT_SECRET, WITH_DATA } from './plans.ts'
import { saysSql } from './policy-law.ts'
import { createTables } from './policy-tables.ts'
import { filterTests } from './suite.ts'
import { type Ways, waysOfMariaDb } from './ways.ts'

// where MariaDB is not installed: the reason is printed
describe.skipIf(withoutMariaDb())('filters in MariaDB', () => {
  let server: MariaDb
  let connection: Connection
  let pool: Pool
  let of: Ways
  const find = async (text: string, values: readonly unknown[] = []) =>
    (await connection.execute<RowDataPacket[]>(text, values as string[]))[0]

  beforeAll(async () => {
    server = await startMariaDb()
    const options = { host: '127.0.0.1', port: server.port, user: 'root', database: 'test', timezone: 'Z' }
    connection = await createConnection({ ...options, supportBigNumbers: true })
    await connection.query("SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'")
    pool = createPool({ ...options, connectionLimit: 1 })
    of = waysOfMariaDb(pool, options)
    for (const statement of [
      ...CREATE,
      ...CREATE_DOCUMENTS,
      ...CREATE_PAGES,
      ...CREATE_LINKS,
      ...createTables('mysql'),
    ])
      await connection.query(statement)
  })
  afterAll(async () => {
    await of?.end()
    await pool?.promise().end()
    await connection?.end()
    await server?.stop()
  })

  filterTests('mysql', mysql, TABLE, () => ({
    find,
    explain: async (text, values) => (await find(`EXPLAIN ${text}`, values)).map(({ key }) => String(key)).join(' '),
    fill: async (next) => {
      for (const [statement, values] of inserts(next, 40)) await connection.query(statement, values)
      const links = await find('SELECT id, `team id` AS team FROM links')
      return (await find('SELECT * FROM `rows` ORDER BY n')).map((row) => {
        const team = links.filter(({ id }) => id !== null && id === row.id).map((each) => each.team)
        return storedRow({ ...row, team }, TABLE.mapping)
      })
    },
    ask: (columns, values) => find(`SELECT n, ${columns} FROM \`rows\` r ORDER BY n`, values),
    policies: {
      name: 'mysql',
      say: saysSql('mysql'),
      ways: of.ways,
      all: (table) => find(`SELECT * FROM ${table}`),
      async put(tables) {
        for (const [table, rows] of tables) {
          await connection.query(`DELETE FROM ${table}`)
          if (rows.length > 0) await connection.query(`INSERT INTO ${table} VALUES ?`, [rows])
        }
      },
    },
  }))

  it('a row whose JSON it cannot read fails the query', async () => {
    const { text, values } = toSql(NOT_SECRET, WITH_DATA, 'mysql', { table: 'r' })
    const query = `SELECT 1 FROM (SELECT CAST(? AS CHAR) AS data) AS r WHERE ${text}`
    for (const data of ['{', '', `${'['.repeat(200)}${']'.repeat(200)}`])
      await expect(find(query, [data, ...values])).rejects.toThrow('out of range')
    expect(await find(query, ['{"a":"b"}', ...values])).toHaveLength(1)
    expect(await find(query, ['{"a":"secret"}', ...values])).toHaveLength(0)
    expect(await find(query, [null, ...values])).toHaveLength(1)
  })

  it('keys of whole numbers up to 2^64, signed or not', async () => {
    const mapping: Mapping = { tenant: null, key: { column: 'id', type: 'integer' } }
    const large = ['9223372036854775808', '18446744073709551615']
    const small = ['-1', '0', '5', '9223372036854775807']
    await connection.query('CREATE TABLE signed_keys (id BIGINT PRIMARY KEY)')
    await connection.query('CREATE TABLE unsigned_keys (id BIGINT UNSIGNED PRIMARY KEY)')
    await connection.query('INSERT INTO signed_keys VALUES (-1), (0), (5), (9223372036854775807)')
    await connection.query(
      'INSERT INTO unsigned_keys VALUES (0), (5), (9223372036854775807), (9223372036854775808), (18446744073709551615)',
    )
    const stored = { signed_keys: small, unsigned_keys: ['0', '5', '9223372036854775807', ...large] }
    for (const keys of [
      ['18446744073709551616'],
      ...[...large, ...small].map((key) => [key]),
      small,
      large,
      [...small, ...large],
    ])
      for (const [table, all] of Object.entries(stored))
        for (const where of [{ key: { in: keys } }, { not: { key: { in: keys } } }]) {
          const { text, values } = toSql(makeFilter(where), mapping, 'mysql', { table })
          const rows = await find(
            `SELECT CAST(id AS CHAR) AS id FROM ${table} WHERE ${text} ORDER BY ${table}.id`,
            values,
          )
          expect(rows.map(({ id }) => id)).toEqual(all.filter((key) => keys.includes(key) === 'key' in where))
        }
  })

  it('the largest number of JSON is accepted, and a larger one is not a number', async () => {
    const where = { op: 'greater-than', left: { path: ['data', 'a'], type: 'json' }, right: { value: 1 } } as const
    const { text, values } = toSql(makeFilter(where), WITH_DATA, 'mysql', { table: 'r' })
    const query = `SELECT 1 FROM (SELECT CAST(? AS CHAR) AS data) AS r WHERE ${text}`
    const count = async (number: string) => (await find(query, [`{"a":${number}}`, ...values])).length
    expect(
      await Promise.all(['1.7976931348623157e+308', '1.7976931348623157E308', '1.8e308', '1e400'].map(count)),
    ).toEqual([1, 1, 0, 0])
  })
})
