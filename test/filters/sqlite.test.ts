// Filters in SQLite find the rows that they mean.
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sqlite } from '../../src/filters/sql/sqlite.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import type { Filter } from '../../src/model/filter.ts'
import { scaled } from '../property/seed.ts'
import { MISTAKES } from './canaries.ts'
import { type Engine, NOW, storedRow, tryLaw } from './law.ts'
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

  beforeAll(() => void database.exec(CREATE))
  afterAll(() => void database.close())

  it('the rows found are those for which the filter holds, whatever the filter and the rows', async () => {
    const { wrong, asked, telling, refused } = await tryLaw(engine, scaled(400))
    expect(wrong).toBeUndefined()
    expect(telling).toBeGreaterThan(asked / 5)
    expect([...refused.keys()].filter((reason) => !reason.includes('held as text or JSON'))).toEqual([])
  })

  it.each(Object.entries(MISTAKES))('the law finds a mistake: %s', async (_, mistake) => {
    const { wrong } = await tryLaw({ ...engine, compile: (filter) => mistake(filter, mapping, sqlite, OPTIONS) }, 5_000)
    expect(wrong).toBeDefined()
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
})
