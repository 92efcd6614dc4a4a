// Filters in SQLite find the rows that they mean.
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Mapping } from '../../src/filters/meaning/mapping.ts'
import { sqlite } from '../../src/filters/sql/sqlite.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import type { Filter } from '../../src/model/filter.ts'
import { storedRow } from './law.ts'
import { CREATE_LINKS } from './links.ts'
import { CREATE_DOCUMENTS, CREATE_PAGES, DOCUMENTS, makeFilter, NOT_SECRET, WITH_DATA } from './plans.ts'
import { saysSql } from './policy-law.ts'
import { createTables } from './policy-tables.ts'
import { CREATE, insertSql, TABLE } from './sqlite-table.ts'
import { filterTests } from './suite.ts'
import { waysOfSqlite } from './ways.ts'

describe('filters in SQLite', () => {
  const database = new Database(':memory:')
  const find = async (text: string, values: readonly unknown[] = []) =>
    database.prepare(text).all(...values) as Record<string, unknown>[]

  const { ways, end } = waysOfSqlite(database)

  beforeAll(
    () =>
      void database.exec(
        [CREATE, ...CREATE_DOCUMENTS, ...CREATE_PAGES, ...CREATE_LINKS, ...createTables('sqlite')].join(';'),
      ),
  )
  afterAll(async () => {
    await end()
    database.close()
  })

  const putInto = (table: string, rows: readonly unknown[][]) => {
    database.exec(`DELETE FROM ${table}`)
    if (rows.length === 0) return
    const insert = database.prepare(`INSERT INTO ${table} VALUES (${rows[0]!.map(() => '?').join(', ')})`)
    for (const row of rows) insert.run(...row)
  }

  filterTests('sqlite', sqlite, TABLE, () => ({
    find,
    explain: async (text, values) => JSON.stringify(await find(`EXPLAIN QUERY PLAN ${text}`, values)),
    fill: async (next) => {
      database.exec(insertSql(next, 40))
      const links = await find('SELECT id, "team id" AS team FROM links')
      return (await find('SELECT * FROM rows ORDER BY n')).map((row) => {
        const team = links.filter(({ id }) => id !== null && id === row.id).map((each) => each.team)
        return storedRow({ ...row, team }, TABLE.mapping, { dialect: 'sqlite' })
      })
    },
    ask: (columns, values) => find(`SELECT n, ${columns} FROM rows r ORDER BY n`, values),
    policies: {
      name: 'sqlite',
      say: saysSql('sqlite'),
      resources: { dialect: 'sqlite' },
      ways,
      all: (table) => find(`SELECT * FROM ${table}`),
      put: async (tables) => {
        database.exec('BEGIN')
        for (const [table, rows] of tables) putInto(table, rows)
        database.exec('COMMIT')
      },
    },
  }))

  it.each(['m', 'json_each', 'r'])('a JSON column has the name of one of json_each, in a table called %s', (name) => {
    const mapping: Mapping = {
      tenant: 'org',
      key: 'id',
      attributes: { meta: { column: 'value', type: 'json' }, more: { column: 'key', type: 'json' } },
    }
    const isSecret = (attribute: string) => ({
      not: { op: 'equals' as const, left: { path: [attribute, 'a', 'b'], type: 'json' as const }, right: { value: 1 } },
    })
    for (const attribute of ['meta', 'more']) {
      const { text, values } = toSql(makeFilter(isSecret(attribute)), mapping, 'sqlite', { table: name })
      const rows = `(SELECT '{"a":{"b":1}}' AS value, '{"a":{"b":1}}' AS key, 'acme' AS org)`
      expect(database.prepare(`SELECT 1 AS found FROM ${rows} AS ${name} WHERE ${text}`).all(...values)).toEqual([])
    }
  })

  it.each(['{', '', "{a:'secret'}", '1 //', `${'['.repeat(2000)}${']'.repeat(2000)}`])(
    'a row whose JSON it cannot read fails the query: %s',
    (data) => {
      const { text, values } = toSql(NOT_SECRET, WITH_DATA, 'sqlite', { table: 'r' })
      const find = database.prepare(`SELECT 1 AS found FROM (SELECT ? AS data) AS r WHERE ${text}`)
      expect(() => find.all(data, ...values)).toThrow('malformed JSON')
      expect(find.all('{"a":"b"}', ...values)).toHaveLength(1)
      expect(find.all('{"a":"secret"}', ...values)).toHaveLength(0)
    },
  )

  it('fractions in a list are those of the filter', () => {
    const mapping: Mapping = { tenant: null, key: 'id', attributes: { x: { column: 'x', type: 'double' } } }
    const fraction = 0.00575884965377405
    const x = { path: ['x'], type: 'number' } as const
    const isIn = { op: 'in', left: x, right: { value: [1, fraction] } } as const
    const isInConstants = { op: 'array_contains', left: { value: [1, fraction, 2 ** 70] }, right: x } as const
    for (const where of [isIn, isInConstants]) {
      const { text, values } = toSql(makeFilter(where), mapping, 'sqlite', { table: 'r' })
      const find = database.prepare(`SELECT 1 AS found FROM (SELECT ? AS x) AS r WHERE ${text}`)
      expect([fraction, 1, 2].map((each) => find.all(each, ...values).length)).toEqual([1, 1, 0])
    }
    const subset = { op: 'in', left: { path: ['data', 'a'], type: 'json' }, right: { value: [fraction, 1] } } as const
    const { text, values } = toSql(makeFilter(subset), WITH_DATA, 'sqlite', { table: 'r' })
    const find = database.prepare(`SELECT 1 AS found FROM (SELECT ? AS data) AS r WHERE ${text}`)
    expect(find.all('{"a":1}', ...values)).toHaveLength(1)
  })

  it.each(['starts-with', 'ends-with', 'contains'] as const)('the empty text %s the empty text', (op) => {
    const where = { op, left: { path: ['status'], type: 'string' as const }, right: { value: '' } }
    const { text, values } = toSql(makeFilter(where), DOCUMENTS, 'sqlite')
    const empty = "WITH documents AS (SELECT '' AS status, 'acme' AS org)"
    expect(database.prepare(`${empty} SELECT 1 AS found FROM documents WHERE ${text}`).all(...values)).toHaveLength(1)
  })

  it('a database in UTF-16 fails where text is ordered, and answers where it is not', () => {
    const other = new Database(':memory:')
    other.exec(
      "PRAGMA encoding = 'UTF-16le'; CREATE TABLE rows (id TEXT, org TEXT); INSERT INTO rows VALUES ('b', 'acme')",
    )
    const find = (op: 'equals' | 'less-than') => {
      const where = { op, left: { key: true as const }, right: { value: op === 'equals' ? 'b' : 'c' } }
      const filter: Filter = {
        format: 2,
        revision: 1,
        type: 'row',
        tenant: 'acme',
        kind: 'when',
        where,
        reads: { attributes: [], relations: [], key: true },
      }
      const { text, values } = toSql(filter, { tenant: 'org', key: 'id' }, 'sqlite')
      return other.prepare(`SELECT id FROM rows WHERE ${text}`).all(...values)
    }
    expect(find('equals')).toEqual([{ id: 'b' }])
    expect(() => find('less-than')).toThrow('malformed JSON')
    other.close()
  })
})
