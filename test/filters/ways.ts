// The ways in which an application can write a query with a filter, for each database: SQL of its own, and the query
// builders on the connection that the test has.
import { createRequire } from 'node:module'
import { and, sql as drizzleSql, eq, type SQL } from 'drizzle-orm'
import { int, mysqlTable, text as mysqlText } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleOnMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleOnPostgres } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text as pgText } from 'drizzle-orm/pg-core'
import { integer as sqliteInteger, sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core'
import { drizzle as drizzleOnSqlite } from 'drizzle-orm/sqlite-proxy'
import createKnex, { type Knex } from 'knex'
import {
  type Dialect,
  Kysely,
  sql as kyselySql,
  MysqlDialect,
  type MysqlPool,
  PostgresDialect,
  SqliteDialect,
} from 'kysely'
import type Database from 'libsql'
import type { Pool as MysqlConnections } from 'mysql2'
import type pg from 'pg'
import { toDrizzle, toKnex, toKysely } from '../../src/filters/builders.ts'
import type { Mapping } from '../../src/filters/meaning/mapping.ts'
import { type DialectName, toSql } from '../../src/filters/to-sql.ts'
import type { Instant } from '../support/instants.ts'
import type { Find } from './policy-law.ts'

const options = (now: Instant) => ({ table: 'facts', ...at(now) })
const at = (now: Instant) => (now === undefined ? {} : { now })

/** The columns that a mapping names, for a table of Drizzle. Conditions do not ask for their types. */
export function drizzleColumns<C>(
  { tenant, key, attributes = {}, relations = {} }: Mapping,
  make: (name: string) => C,
) {
  const held = [tenant, key, ...Object.values(attributes), ...Object.values(relations)].map((each) =>
    typeof each === 'object' && each !== null && 'column' in each ? each.column : each,
  )
  return Object.fromEntries(held.filter((each) => typeof each === 'string').map((name) => [name, make(name)]))
}

export interface Ways {
  readonly ways: Readonly<Record<string, Find>>
  /** Closes what the builders have opened. The connection that they were given stays open. */
  readonly end: () => Promise<void>
}

type Query = (text: string, values: readonly unknown[]) => Promise<readonly unknown[]>
/** Drizzle: the numbers of the rows of a question under a condition. */
interface Drizzled {
  readonly find: (question: number, condition: SQL) => Promise<{ n: number }[]>
  /** the table with the columns of a mapping */
  readonly table: (mapping: Mapping) => object
}

function makeWays(name: DialectName, query: Query, dialect: Dialect, knex: Knex, drizzled: Drizzled): Ways {
  const kysely = new Kysely<{ facts: { n: number; question: number } }>({ dialect })
  const ns = (rows: readonly unknown[]) => rows.map((row) => Number((row as { n: number }).n))
  const first = name === 'postgres' ? '$1' : '?'
  return {
    ways: {
      SQL: async (question, filter, mapping, now) => {
        const { text, values } = toSql(filter, mapping, name, { ...options(now), firstPlaceholder: 2 })
        const where = `question = ${first} AND ${text}`
        return ns(await query(`SELECT n FROM facts WHERE ${where} ORDER BY n`, [question, ...values]))
      },
      Kysely: async (question, filter, mapping, now) => {
        const condition = toKysely(kyselySql<boolean>, filter, mapping, name, options(now))
        const found = kysely.selectFrom('facts').select('n').where('question', '=', question).where(condition)
        return ns(await found.orderBy('n').execute())
      },
      Drizzle: async (question, filter, mapping, now) =>
        ns(
          await drizzled.find(
            question,
            toDrizzle(drizzleSql, filter, mapping, name, { table: drizzled.table(mapping), ...at(now) }),
          ),
        ),
      Knex: async (question, filter, mapping, now) => {
        const condition = toKnex(knex, filter, mapping, name, options(now))
        return ns(await knex('facts').select('n').where({ question }).where(condition).orderBy('n'))
      },
    },
    end: () => knex.destroy(),
  }
}

export function waysOfPostgres(pool: pg.Pool): Ways {
  const facts = pgTable('facts', { n: integer(), question: integer() })
  const drizzle = drizzleOnPostgres(pool)
  const connection = { connectionString: pool.options.connectionString! }
  const knex = createKnex({ client: 'pg', connection, pool: { min: 0, max: 1 } })
  return makeWays(
    'postgres',
    async (text, values) => (await pool.query(text, [...values])).rows,
    new PostgresDialect({ pool }),
    knex,
    {
      find: async (question, condition) =>
        (await drizzle
          .select({ n: facts.n })
          .from(facts)
          .where(and(eq(facts.question, question), condition))
          .orderBy(facts.n)) as { n: number }[],
      table: (mapping) =>
        pgTable(
          'facts',
          drizzleColumns(mapping, (name) => pgText(name)),
        ),
    },
  )
}

/** @param connection what Knex connects with */
export function waysOfMariaDb(pool: MysqlConnections, connection: Knex.MySql2ConnectionConfig): Ways {
  const facts = mysqlTable('facts', { n: int(), question: int() })
  const drizzle = drizzleOnMysql(pool)
  return makeWays(
    'mysql',
    async (text, values) => (await pool.promise().execute(text, values as string[]))[0] as unknown[],
    new MysqlDialect({ pool: pool as unknown as MysqlPool }),
    createKnex({ client: 'mysql2', connection, pool: { min: 0, max: 1 } }),
    {
      find: async (question, condition) =>
        (await drizzle
          .select({ n: facts.n })
          .from(facts)
          .where(and(eq(facts.question, question), condition))
          .orderBy(facts.n)) as { n: number }[],
      table: (mapping) =>
        mysqlTable(
          'facts',
          drizzleColumns(mapping, (name) => mysqlText(name)),
        ),
    },
  )
}

/** Knex with the connection of the test, by a driver that has the same interface as the one that it would load. */
function knexOn(database: Database.Database): Knex {
  const require = createRequire(import.meta.url)
  const path = 'knex/lib/dialects/better-sqlite3/index.js'
  const Client = require(path) as new (config: Knex.Config) => Knex.Client
  class OnDatabase extends Client {
    _driver() {
      return {}
    }
    override async acquireRawConnection() {
      return database
    }
    override async destroyRawConnection() {}
  }
  return createKnex({
    client: OnDatabase as unknown as typeof Knex.Client,
    connection: { filename: ':memory:' },
    useNullAsDefault: true,
  })
}

export function waysOfSqlite(database: Database.Database): Ways {
  const facts = sqliteTable('facts', { n: sqliteInteger(), question: sqliteInteger() })
  const drizzle = drizzleOnSqlite(async (text, values) => ({
    rows: database
      .prepare(text)
      .raw()
      .all(...values),
  }))
  return makeWays(
    'sqlite',
    async (text, values) => database.prepare(text).all(...values),
    new SqliteDialect({ database: database as never }),
    knexOn(database),
    {
      find: async (question, condition) =>
        (await drizzle
          .select({ n: facts.n })
          .from(facts)
          .where(and(eq(facts.question, question), condition))
          .orderBy(facts.n)) as { n: number }[],
      table: (mapping) =>
        sqliteTable(
          'facts',
          drizzleColumns(mapping, (name) => sqliteText(name)),
        ),
    },
  )
}
