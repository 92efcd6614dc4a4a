// Filters in PostgreSQL find the rows that they mean, on a real server.
import pg from 'pg'
import { afterAll, beforeAll, describe } from 'vitest'
import { postgres } from '../../src/filters/sql/postgres.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { storedRow } from './law.ts'
import { CREATE_DOCUMENTS } from './plans.ts'
import { CREATE, rowsSql, SELECT_ROWS, TABLE } from './postgres-table.ts'
import { filterTests } from './suite.ts'

// where PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('filters in PostgreSQL', () => {
  let client: pg.Client
  const find = async (text: string, values: readonly unknown[] = []) => (await client.query(text, [...values])).rows

  beforeAll(async () => {
    const server = await startPostgres()
    client = new pg.Client({ connectionString: await server.database() })
    await client.connect()
    await client.query([CREATE, ...CREATE_DOCUMENTS, 'ANALYZE documents'].join(';'))
  })
  afterAll(async () => {
    await client?.end()
    await endPostgres()
  })

  filterTests('postgres', postgres, TABLE, () => ({
    find,
    explain: async (text, values) => (await find(`EXPLAIN ${text}`, values)).map((row) => row['QUERY PLAN']).join('\n'),
    fill: async (next) => {
      await client.query(rowsSql(next, 40))
      return (await find(SELECT_ROWS)).map((row) => storedRow(row, TABLE.mapping))
    },
    ask: (columns, values) => find(`SELECT n, ${columns} FROM rows r ORDER BY n`, values),
  }))
})
