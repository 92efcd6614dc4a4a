// Filters in PostgreSQL find the rows that they mean, on a real server.
import type pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgres } from '../../src/filters/sql/postgres.ts'
import { endPostgres, openPool, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { storedRow } from './law.ts'
import { CREATE_LINKS } from './links.ts'
import { CREATE_DOCUMENTS, CREATE_PAGES } from './plans.ts'
import { saysSql } from './policy-law.ts'
import { createTables } from './policy-tables.ts'
import { CREATE, rowsSql, SELECT_ROWS, TABLE } from './postgres-table.ts'
import { filterTests } from './suite.ts'
import { type Ways, waysOfPostgres } from './ways.ts'

// where PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('filters in PostgreSQL', () => {
  let pool: pg.Pool
  let of: Ways
  const find = async (text: string, values: readonly unknown[] = []) => (await pool.query(text, [...values])).rows

  beforeAll(async () => {
    const server = await startPostgres()
    pool = openPool(await server.database())
    of = waysOfPostgres(pool)
    await pool.query(
      [
        CREATE,
        ...CREATE_DOCUMENTS,
        ...CREATE_PAGES,
        ...CREATE_LINKS,
        'ANALYZE documents',
        ...createTables('postgres'),
      ].join(';'),
    )
  })
  afterAll(async () => {
    await of?.end()
    await pool?.end()
    await endPostgres()
  })

  filterTests('postgres', postgres, TABLE, () => ({
    find,
    explain: async (text, values) => (await find(`EXPLAIN ${text}`, values)).map((row) => row['QUERY PLAN']).join('\n'),
    fill: async (next) => {
      await pool.query(rowsSql(next, 40))
      return (await find(SELECT_ROWS)).map((row) => storedRow(row, TABLE.mapping))
    },
    ask: (columns, values) => find(`SELECT n, ${columns} FROM rows r ORDER BY n`, values),
    policies: {
      name: 'postgres',
      say: saysSql('postgres'),
      ways: of.ways,
      all: (table) => find(`SELECT * FROM ${table}`),
      async put(tables) {
        await find([...tables.keys()].map((table) => `DELETE FROM ${table}`).join(';'))
        for (const [table, rows] of tables) {
          if (rows.length === 0) continue
          const width = rows[0]!.length
          const values = rows.map((row, at) => `(${row.map((_, column) => `$${at * width + column + 1}`).join(', ')})`)
          await find(`INSERT INTO ${table} VALUES ${values.join(', ')}`, rows.flat())
        }
      },
    },
  }))
})
