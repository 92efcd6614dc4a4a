// Filters in PostgreSQL find the rows that they mean, on a real server.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgres } from '../../src/filters/sql/postgres.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import { scaled } from '../property/seed.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { MISTAKES, ofTexts } from './canaries.ts'
import { type Engine, NOW, storedRow, tryLaw } from './law.ts'
import { CREATE_DOCUMENTS, DOCUMENTS, INDEXED, MANY_KEYS } from './plans.ts'
import { CREATE, rowsSql, SELECT_ROWS, TABLE } from './postgres-table.ts'

const { mapping } = TABLE
const OPTIONS = { table: 'r', now: NOW }

// where PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('filters in PostgreSQL', () => {
  let client: pg.Client
  let engine: Engine

  beforeAll(async () => {
    const server = await startPostgres()
    client = new pg.Client({ connectionString: await server.database() })
    await client.connect()
    await client.query([CREATE, ...CREATE_DOCUMENTS, 'ANALYZE documents'].join(';'))
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
    expect([...refused.keys()].filter((reason) => !/held as text or JSON|nested this deeply/.test(reason))).toEqual([])
  })

  it.each(Object.entries(MISTAKES))('the law finds a mistake: %s', async (_, mistake) => {
    const { wrong } = await tryLaw(
      {
        ...engine,
        table: ofTexts(TABLE),
        compile: (filter, firstPlaceholder) => mistake(filter, mapping, postgres, { ...OPTIONS, firstPlaceholder }),
      },
      5_000,
    )
    expect(wrong).toBeDefined()
  })

  it.each(INDEXED)('an index finds the rows: %s', async (index, filter, count) => {
    const { text, values } = toSql(filter, DOCUMENTS, 'postgres')
    const plan = await explain(`SELECT id FROM documents WHERE ${text}`, values)
    expect(plan).toContain(index)
    expect(await find(`SELECT id FROM documents WHERE ${text}`, values)).toHaveLength(count)
  })

  it('10,000 keys are one parameter beside the tenant', async () => {
    const { text, values } = toSql(MANY_KEYS, DOCUMENTS, 'postgres')
    expect(values).toHaveLength(2)
    expect(await find(`SELECT id FROM documents WHERE ${text}`, values)).toHaveLength(5000)
  })

  const find = async (text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rows
  const explain = async (text: string, values: readonly unknown[]) =>
    (await find(`EXPLAIN ${text}`, values)).map((row) => row['QUERY PLAN']).join('\n')
})
