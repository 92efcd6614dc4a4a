// Query builders, each on a real database, find the rows that `toSql` finds: on PostgreSQL and SQLite.

import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import createKnex, { type Knex } from 'knex'
import {
  DummyDriver,
  Kysely,
  sql as kyselySql,
  PostgresDialect,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import Database from 'libsql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toDrizzle, toKnex, toKysely, toPrismaSql } from '../../src/filters/builders.ts'
import type { Mapping } from '../../src/filters/mapping.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import { scaled } from '../property/seed.ts'
import { endPostgres, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { generator, NOW } from './law.ts'
import { CREATE, rowsSql, TABLE } from './postgres-table.ts'
import { randomFilter } from './random-filters.ts'

const OPTIONS = { table: 'r', now: NOW }

// where PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('query builders on PostgreSQL', () => {
  let pool: pg.Pool
  let knex: Knex
  let kysely: Kysely<{ rows: { n: number } }>

  beforeAll(async () => {
    const server = await startPostgres()
    const connectionString = await server.database()
    pool = new pg.Pool({ connectionString, max: 2 })
    await pool.query(CREATE)
    await pool.query(rowsSql(generator(7), 40))
    knex = createKnex({ client: 'pg', connection: { connectionString }, pool: { min: 0, max: 1 } })
    kysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
  })
  afterAll(async () => {
    await knex?.destroy()
    await kysely?.destroy()
    await endPostgres()
  })

  it('all find the rows that the condition itself finds', async () => {
    const next = generator(3)
    const db = drizzle(pool)
    for (let asked = 0; asked < scaled(60); ) {
      const filter = randomFilter(next, TABLE)
      let statement: ReturnType<typeof toSql>
      try {
        statement = toSql(filter, TABLE.mapping, 'postgres', OPTIONS)
      } catch {
        continue // refused: test/filters/postgres.test.ts says why
      }
      asked++
      const { rows } = await pool.query(`SELECT n FROM rows r WHERE ${statement.text} ORDER BY n`, [
        ...statement.values,
      ])
      const args = [filter, TABLE.mapping, 'postgres', OPTIONS] as const
      const byKysely = await kysely
        .selectFrom('rows as r')
        .select('n')
        .where(toKysely(kyselySql<boolean>, ...args))
        .orderBy('n')
        .execute()
      const byKnex = await knex('rows as r')
        .select('n')
        .where(toKnex(knex, ...args))
        .orderBy('n')
      const byDrizzle = await db.execute(
        drizzleSql`SELECT n FROM rows r WHERE ${toDrizzle(drizzleSql, ...args)} ORDER BY n`,
      )
      expect([byKysely, byKnex, byDrizzle.rows]).toEqual([rows, rows, rows])
    }
  })
})

describe('query builders on SQLite', () => {
  const filter = {
    format: 1,
    revision: 1,
    type: 'row',
    tenant: 'acme',
    kind: 'when',
    where: { op: 'equals', left: { path: ['status'], type: 'string' }, right: { value: "o'pen?" } },
    reads: { attributes: ['status'], relations: [], key: false },
  } as const
  const mapping = { tenant: 'org?id', key: 'id', attributes: { status: { column: 'status', type: 'text' } } } as const
  const found = [{ id: 'b' }]
  const database = new Database(':memory:')
  database.exec(
    "CREATE TABLE docs (id TEXT, `org?id` TEXT, status TEXT, org TEXT AS (`org?id`)); INSERT INTO docs VALUES ('a', 'acme', 'open'), ('b', 'acme', 'o''pen?'), ('c', 'other', 'o''pen?')",
  )
  afterAll(() => void database.close())

  it('Kysely, with a column whose name has a question mark', () => {
    const kysely = new Kysely<{ docs: { id: string } }>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    })
    const condition = toKysely(kyselySql<boolean>, filter, mapping, 'sqlite', { table: 'docs' })
    const { sql, parameters } = kysely.selectFrom('docs').select('id').where(condition).compile()
    expect(database.prepare(sql).all(...parameters)).toEqual(found)
  })

  it('Knex, which refuses a name with a question mark', () => {
    const knex = createKnex({ client: 'mysql2' }) // quotes names as SQLite takes them too
    const query = (of: Mapping) =>
      knex('docs')
        .select('id')
        .where(toKnex(knex, filter, of, 'sqlite'))
        .toSQL()
        .toNative()
    expect(() => query(mapping)).toThrow('Knex takes a question mark in a name for a value')
    const { sql, bindings } = query({ ...mapping, tenant: 'org' })
    expect(database.prepare(sql).all(...bindings)).toEqual(found)
  })

  it('the tag of another builder gets the texts and the values', () => {
    const tag = (texts: TemplateStringsArray, ...values: unknown[]) => ({
      text: texts.join('?'),
      values,
      raw: texts.raw,
    })
    const { text, values } = toPrismaSql(tag, filter, mapping, 'sqlite')
    expect(database.prepare(`SELECT id FROM docs WHERE ${text}`).all(...values)).toEqual(found)
  })
})
