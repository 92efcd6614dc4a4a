// Filters in SQLite find the rows that they mean.
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../../src/filters/sql/sqlite.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import type { Filter } from '../../src/model/filter.ts'
import { scaled } from '../property/seed.ts'
import { MISTAKES, ofTexts } from './canaries.ts'
import { type Engine, NOW, storedRow, tryLaw } from './law.ts'
import { CREATE_DOCUMENTS, DOCUMENTS, filterOf, INDEXED, MANY_KEYS } from './plans.ts'
import { CREATE, insertSql, TABLE } from './sqlite-table.ts'

const { mapping } = TABLE
const OPTIONS = { table: 'r', now: NOW }

describe('filters in SQLite', () => {
  const database = new Database(':memory:')
  const engine: Engine = {
    table: TABLE,
    compile: (filter) => toSql(filter, mapping, 'sqlite', OPTIONS),
    fill: async (next) => {
      database.exec(insertSql(next, 40))
      const links = database.prepare('SELECT id, "team id" AS team FROM links').all() as { id: string; team: string }[]
      const rows = database.prepare('SELECT * FROM rows ORDER BY n').all() as Record<string, unknown>[]
      return rows.map((row) => {
        const team = links.filter(({ id }) => id !== null && id === row.id).map((each) => each.team)
        return storedRow({ ...row, team }, mapping, { json: 'text' })
      })
    },
    ask: async (columns, values) =>
      database.prepare(`SELECT n, ${columns} FROM rows r ORDER BY n`).all(...values) as Record<string, unknown>[],
  }

  beforeAll(() => void database.exec([CREATE, ...CREATE_DOCUMENTS].join(';')))
  afterAll(() => void database.close())

  it('the rows found are those for which the filter holds, whatever the filter and the rows', async () => {
    const { wrong, asked, telling, refused } = await tryLaw(engine, scaled(400))
    expect(wrong).toBeUndefined()
    expect(telling).toBeGreaterThan(asked / 5)
    expect([...refused.keys()].filter((reason) => !/held as text or JSON|nested this deeply/.test(reason))).toEqual([])
  })

  it.each(Object.entries(MISTAKES))('the law finds a mistake: %s', async (_, mistake) => {
    const { wrong } = await tryLaw(
      { ...engine, table: ofTexts(TABLE), compile: (filter) => mistake(filter, mapping, sqlite, OPTIONS) },
      5_000,
    )
    expect(wrong).toBeDefined()
  })

  it.each(['starts-with', 'ends-with', 'contains'] as const)('the empty text %s the empty text', (op) => {
    const where = { op, left: { path: ['status'], type: 'string' as const }, right: { value: '' } }
    const { text, values } = toSql(filterOf(where), DOCUMENTS, 'sqlite')
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
        format: 1,
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

  it.each(INDEXED)('an index finds the rows: %s', (index, filter, count) => {
    const { text, values } = toSql(filter, DOCUMENTS, 'sqlite')
    const plan = explain(`SELECT id FROM documents WHERE ${text}`, values)
    expect(plan).toContain(index)
    expect(find(`SELECT id FROM documents WHERE ${text}`, values)).toHaveLength(count)
  })

  it('10,000 keys are one parameter beside the tenant', () => {
    const { text, values } = toSql(MANY_KEYS, DOCUMENTS, 'sqlite')
    expect(values).toHaveLength(2)
    expect(find(`SELECT id FROM documents WHERE ${text}`, values)).toHaveLength(5000)
  })

  const find = (text: string, values: readonly unknown[]) => database.prepare(text).all(...values)
  const explain = (text: string, values: readonly unknown[]) =>
    JSON.stringify(find(`EXPLAIN QUERY PLAN ${text}`, values))
})
