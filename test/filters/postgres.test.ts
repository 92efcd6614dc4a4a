// Filters in PostgreSQL find the rows that they mean, on a real server.
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toSql } from '../../src/filters/to-sql.ts'
import { scaled } from '../property/seed.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { conditionOrRefusal, expected, generator, NOW, storedRow } from './law.ts'
import { CREATE, rowsSql, SELECT_ROWS, TABLE } from './postgres-table.ts'
import { randomFilter } from './random-filters.ts'

const ROWS = 50
const PER_STATEMENT = 20

describe.skipIf(withoutPostgres())('filters in PostgreSQL', () => {
  let client: pg.Client

  beforeAll(async () => {
    const server = await startPostgres()
    client = new pg.Client({ connectionString: await server.database() })
    await client.connect()
    await client.query(CREATE)
  })
  afterAll(async () => {
    await client?.end()
    await endPostgres()
  })

  it('the rows found are those for which the filter holds, whatever the filter and the rows', async () => {
    const next = generator(1)
    let refused = 0
    for (let batch = 0; batch < scaled(20); batch++) {
      await client.query(rowsSql(next, ROWS))
      const rows = (await client.query(SELECT_ROWS)).rows.map((row) => storedRow(row, TABLE.mapping))
      const filters = []
      const values: unknown[] = []
      const texts: string[] = []
      while (filters.length < PER_STATEMENT) {
        const filter = randomFilter(next, TABLE)
        const made = conditionOrRefusal(() =>
          toSql(filter, TABLE.mapping, 'postgres', { table: 'r', now: NOW, firstPlaceholder: values.length + 1 }),
        )
        if (typeof made === 'string') refused++
        else {
          filters.push(filter)
          texts.push(made.text)
          values.push(...made.values)
        }
      }
      const columns = texts.map((text, index) => `(${text}) AS "${index}"`)
      const answers = (await client.query(`SELECT n, ${columns.join(', ')} FROM rows r`, values)).rows
      for (const [index, filter] of filters.entries()) {
        const found = answers.filter((answer) => answer[index] === true).map(({ n }) => Number(n))
        const unknown = answers.filter((answer) => typeof answer[index] !== 'boolean')
        expect({ filter: filter.where, text: texts[index], found, unknown }).toEqual({
          filter: filter.where,
          text: texts[index],
          found: expected(filter, rows),
          unknown: [],
        })
      }
    }
    expect(refused).toBeLessThan(scaled(20) * PER_STATEMENT)
  })
})
