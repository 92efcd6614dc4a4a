// Filters in MySQL's dialect find the rows that they mean, on a real MariaDB server.
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mysql } from '../../src/filters/sql/mysql.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import { scaled } from '../property/seed.ts'
import { type MariaDb, startMariaDb, withoutMariaDb } from '../support/mariadb.ts'
import { MISTAKES, ofTexts } from './canaries.ts'
import { type Engine, NOW, storedRow, tryLaw } from './law.ts'
import { CREATE, inserts, TABLE } from './mariadb-table.ts'
import { CREATE_DOCUMENTS, DOCUMENTS, INDEXED, MANY_KEYS } from './plans.ts'

const { mapping } = TABLE
const OPTIONS = { table: 'r', now: NOW }

// where MariaDB is not installed: the reason is printed
describe.skipIf(withoutMariaDb())('filters in MariaDB', () => {
  let server: MariaDb
  let connection: Connection
  let engine: Engine

  beforeAll(async () => {
    server = await startMariaDb()
    const options = { host: '127.0.0.1', port: server.port, user: 'root', database: 'test', timezone: 'Z' }
    connection = await createConnection({ ...options, supportBigNumbers: true })
    await connection.query("SET time_zone = '+00:00', sql_mode = 'STRICT_ALL_TABLES'")
    for (const statement of [...CREATE, ...CREATE_DOCUMENTS]) await connection.query(statement)
    engine = {
      table: TABLE,
      compile: (filter) => toSql(filter, mapping, 'mysql', OPTIONS),
      fill: async (next) => {
        for (const [statement, values] of inserts(next, 40)) await connection.query(statement, values)
        const [links] = await connection.query<RowDataPacket[]>('SELECT id, `team id` AS team FROM links')
        const [rows] = await connection.query<RowDataPacket[]>('SELECT * FROM `rows` ORDER BY n')
        return rows.map((row) => {
          const team = links.filter(({ id }) => id !== null && id === row.id).map((each) => each.team)
          return storedRow({ ...row, team }, mapping)
        })
      },
      ask: async (columns, values) => {
        const text = `SELECT n, ${columns} FROM \`rows\` r ORDER BY n`
        return (await connection.execute<RowDataPacket[]>(text, values as string[]))[0]
      },
    }
  })
  afterAll(async () => {
    await connection?.end()
    await server?.stop()
  })

  it('the rows found are those for which the filter holds, whatever the filter and the rows', async () => {
    const { wrong, asked, telling, refused } = await tryLaw(engine, scaled(400))
    expect(wrong).toBeUndefined()
    expect(telling).toBeGreaterThan(asked / 5)
    expect([...refused.keys()].filter((reason) => !/held as text or JSON|nested this deeply/.test(reason))).toEqual([])
  })

  it.each(Object.entries(MISTAKES))('the law finds a mistake: %s', async (_, mistake) => {
    const { wrong } = await tryLaw(
      { ...engine, table: ofTexts(TABLE), compile: (filter) => mistake(filter, mapping, mysql, OPTIONS) },
      5_000,
    )
    expect(wrong).toBeDefined()
  })

  it.each(INDEXED)('an index finds the rows: %s', async (index, filter, count) => {
    const { text, values } = toSql(filter, DOCUMENTS, 'mysql')
    const plan = await explain(`SELECT id FROM documents WHERE ${text}`, values)
    expect(plan).toContain(index)
    expect(await find(`SELECT id FROM documents WHERE ${text}`, values)).toHaveLength(count)
  })

  it('10,000 keys are one parameter, or two', async () => {
    const { text, values } = toSql(MANY_KEYS, DOCUMENTS, 'mysql')
    expect(values.length).toBeLessThan(4)
    expect(await find(`SELECT id FROM documents WHERE ${text}`, values)).toHaveLength(5000)
  })

  const find = async (text: string, values: readonly unknown[]) =>
    (await connection.execute<RowDataPacket[]>(text, values as string[]))[0]
  const explain = async (text: string, values: readonly unknown[]) =>
    (await find(`EXPLAIN ${text}`, values)).map(({ key }) => String(key)).join(' ')
})
