// Filters in PostgreSQL find the rows that they mean, on a real server.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgres } from '../../src/filters/sql/postgres.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import { scaled } from '../property/seed.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { MISTAKES } from './canaries.ts'
import { type Engine, NOW, storedRow, tryLaw } from './law.ts'
import { CREATE, rowsSql, SELECT_ROWS, TABLE } from './postgres-table.ts'

const { mapping } = TABLE
const OPTIONS = { table: 'r', now: NOW }

describe.skipIf(withoutPostgres())('filters in PostgreSQL', () => {
  let client: pg.Client
  let engine: Engine

  beforeAll(async () => {
    const server = await startPostgres()
    client = new pg.Client({ connectionString: await server.database() })
    await client.connect()
    await client.query(CREATE)
    engine = {
      table: TABLE,
      compile: (filter, firstPlaceholder) => toSql(filter, mapping, 'postgres', { ...OPTIONS, firstPlaceholder }),
      fill: async (next) => {
        await client.query(rowsSql(next, 40))
        return (await client.query(SELECT_ROWS)).rows.map((row) => storedRow(row, mapping))
      },
      ask: async (columns, values) => (await client.query(`SELECT n, ${columns} FROM rows r ORDER BY n`, values)).rows,
    }
  })
  afterAll(async () => {
    await client?.end()
    await endPostgres()
  })

  it('the rows found are those for which the filter holds, whatever the filter and the rows', async () => {
    const { wrong, asked, telling, refused } = await tryLaw(engine, scaled(400))
    expect(wrong).toBeUndefined()
    expect(telling).toBeGreaterThan(asked / 5)
    expect([...refused.keys()].filter((reason) => !reason.includes('held as text or JSON'))).toEqual([])
  })

  it.each(Object.entries(MISTAKES))('the law finds a mistake: %s', async (_, mistake) => {
    const { wrong } = await tryLaw(
      {
        ...engine,
        compile: (filter, firstPlaceholder) => mistake(filter, mapping, postgres, { ...OPTIONS, firstPlaceholder }),
      },
      5_000,
    )
    expect(wrong).toBeDefined()
  })
})
