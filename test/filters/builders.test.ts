// Query builders, each on a real database, find the rows that `toSql` finds: on PostgreSQL and SQLite.

import { type AnyColumn, sql as drizzleSql, eq, relations, type SQL, type Table } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { alias, pgTable, text } from 'drizzle-orm/pg-core'
import { alias as sqliteAlias, sqliteTable, text as sqliteText, sqliteView } from 'drizzle-orm/sqlite-core'
import { drizzle as drizzleOnSqlite } from 'drizzle-orm/sqlite-proxy'
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
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { toDrizzle, toKnex, toKysely, toPrismaSql } from '../../src/filters/builders.ts'
import { type Mapping, sql } from '../../src/filters/meaning/mapping.ts'
import { toSql } from '../../src/filters/to-sql.ts'
import { FILTER_FORMAT, type Filter, type FilterNode } from '../../src/model/filter.ts'
import { FILTER_NODES_MAX } from '../../src/model/limits.ts'
import { scaled } from '../property/seed.ts'
import { endPostgres, openPool, startPostgres, withoutPostgres } from '../support/postgres.ts'
import { generator, NOW } from './law.ts'
import { CREATE, rowsSql, TABLE } from './postgres-table.ts'
import { randomFilter } from './random-filters.ts'
import { drizzleColumns } from './ways.ts'

/** A table of Drizzle for either database. */
type Files = Table & Record<'id' | 'org' | 'status' | 'parentId', AnyColumn>

/** What the tests ask of Drizzle, whatever the database. */
interface Queries {
  readonly query: {
    readonly files: { findMany(config: object): Promise<{ id: string; children: { id: string }[] }[]> }
  }
  select(fields: object): {
    from(table: object): { innerJoin(table: object, on: SQL): { where(condition: SQL): Promise<{ id: string }[]> } }
  }
}

const OPTIONS = { table: 'r', now: NOW }

// where PostgreSQL cannot run: the reason is printed
describe.skipIf(withoutPostgres())('query builders on PostgreSQL', () => {
  let pool: pg.Pool
  let knex: Knex
  let kysely: Kysely<{ rows: { n: number } }>

  beforeAll(async () => {
    const server = await startPostgres()
    const connectionString = await server.database()
    pool = openPool(connectionString, 2)
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
    const table = alias(
      pgTable(
        'rows',
        drizzleColumns(TABLE.mapping, (name) => text(name)),
      ),
      'r',
    )
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
        drizzleSql`SELECT n FROM rows r WHERE ${toDrizzle(drizzleSql, filter, TABLE.mapping, 'postgres', { ...OPTIONS, table })} ORDER BY n`,
      )
      expect([byKysely, byKnex, byDrizzle.rows]).toEqual([rows, rows, rows])
    }
  })
})

describe('query builders on SQLite', () => {
  const filter = {
    format: 2,
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

const FILES: Mapping = {
  tenant: 'org',
  key: 'id',
  attributes: { status: { column: sql((column) => `lower(${column('status')})`), type: 'text' } },
  relations: { folder: { resource: 'folder', through: { table: 'file_links', from: 'file_id', to: 'folder' } } },
}
const CREATE_FILES = [
  'CREATE TABLE files (id TEXT, org TEXT, status TEXT, parent_id TEXT)',
  'CREATE TABLE file_links (file_id TEXT, folder TEXT)',
  `INSERT INTO files VALUES ('root', 'acme', 'Open', NULL), ('a', 'acme', 'open', 'root'), ('b', 'acme', 'secret', 'root'),
    ('c', 'other', 'open', 'root'), ('d', 'acme', 'OPEN', 'hidden'), ('hidden', 'acme', 'secret', NULL),
    ('e', 'acme', 'new', 'root')`,
  "INSERT INTO file_links VALUES ('root', 'f2'), ('e', 'f1'), ('c', 'f1'), ('b', 'f2')",
]
/** Means root, a, d and e. */
const OPEN_OR_LINKED: Filter = {
  ...{ format: FILTER_FORMAT, revision: 1, type: 'file', tenant: 'acme', kind: 'when' },
  where: {
    or: [
      { op: 'equals', left: { path: ['status'], type: 'string' }, right: { value: 'open' } },
      { related: 'folder', type: 'folder', in: ['f1'] },
    ],
  },
  reads: { attributes: ['status'], relations: ['folder'], key: false },
}

it.each<['Kysely' | 'Knex']>([['Kysely'], ['Knex']])(
  'a condition in a nested query of the same table is about its rows: by the name there, or by none, in %s',
  (builder) => {
    const database = new Database(':memory:')
    for (const statement of CREATE_FILES) database.exec(statement)
    const status = { column: 'status', type: 'text' } as const
    const mapping: Mapping = { ...FILES, attributes: { status } }
    const kysely = new Kysely<{ files: { id: string; parent_id: string } }>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (db) => new SqliteIntrospector(db),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    })
    const knex = createKnex({ client: 'mysql2' }) // quotes names as SQLite takes them too
    for (const options of [{ table: 'child' }, {}]) {
      const of = [OPEN_OR_LINKED, mapping, 'sqlite', options] as const
      const nested = kysely
        .selectFrom('files as child')
        .select('child.id')
        .where('child.parent_id', '=', kyselySql.ref('files.id') as never)
        .where(toKysely(kyselySql<boolean>, ...of))
      const children = knex('files as child')
        .select('child.id')
        .where('child.parent_id', knex.ref('files.id'))
        .where(toKnex(knex, ...of))
      const inKysely = kysely
        .selectFrom('files')
        .select(['files.id', nested.limit(1).as('child')])
        .compile()
      const inKnex = knex('files').select('files.id', children.limit(1).as('child')).toSQL().toNative()
      const [text, values] = builder === 'Kysely' ? [inKysely.sql, inKysely.parameters] : [inKnex.sql, inKnex.bindings]
      const found = database.prepare(text).all(...values) as { id: string; child: string | null }[]
      expect(Object.fromEntries(found.map(({ id, child }) => [id, child]))).toMatchObject({
        root: 'a',
        hidden: null,
        a: null,
      })
    }
    database.close()
  },
)

it('Drizzle names columns by their keys, in the configured case', async () => {
  const database = new Database(':memory:')
  database.exec("CREATE TABLE files (id TEXT, org_id TEXT); INSERT INTO files VALUES ('a', 'acme'), ('b', 'other')")
  const run = async (query: string, values: unknown[]) => ({
    rows: database
      .prepare(query)
      .raw()
      .all(...values),
  })
  const db = drizzleOnSqlite(run as never, undefined, { casing: 'snake_case' })
  const files = sqliteTable('files', { id: sqliteText(), orgId: sqliteText() })
  const always: Filter = { format: FILTER_FORMAT, revision: 1, type: 'file', tenant: 'acme', kind: 'always' }
  const mapping: Mapping = { tenant: 'org_id', key: 'id' }
  const found = await db
    .select({ id: files.id })
    .from(files)
    .where(toDrizzle(drizzleSql, always, mapping, 'sqlite', { table: files }))
  expect(found).toEqual([{ id: 'a' }])
  database.close()
  // a name that was written is the one in the database, whatever a key says
  const legacy = sqliteTable('legacy', { id: sqliteText(), org_id: sqliteText(), other: sqliteText('org_id') })
  const tag = (texts: TemplateStringsArray, ...values: unknown[]) => [texts, values] as const
  expect(toDrizzle(tag, always, mapping, 'sqlite', { table: legacy })[1]).toContain(legacy.other)
  const twice = { ...sqliteTable('twice', { id: sqliteText(), orgId: sqliteText(), orgid: sqliteText() }) }
  expect(() => toDrizzle(drizzleSql, always, mapping, 'sqlite', { table: twice })).toThrow('has no column `org_id`')
})

it('SQLite takes as many comparisons as a filter can have, also in a subquery', () => {
  const database = new Database(':memory:')
  onTestFinished(() => void database.close())
  for (const statement of CREATE_FILES) database.exec(statement)
  const mapping: Mapping = { ...FILES, attributes: { status: { column: 'status', type: 'text' } } }
  const leaf = (value: string) =>
    ({ op: 'equals', left: { path: ['status'], type: 'string' }, right: { value } }) as const
  const tests = Array.from({ length: FILTER_NODES_MAX }, (_, at) => leaf(at === 1_500 ? 'open' : `none ${at}`))
  const nodes: readonly [FilterNode, string[]][] = [
    [{ or: tests }, ['a']],
    [{ and: tests.map((test) => ({ not: test })) }, ['b', 'd', 'e', 'hidden', 'root']],
  ]
  for (const [where, wanted] of nodes) {
    const { text, values } = toSql({ ...OPEN_OR_LINKED, where } as Filter, mapping, 'sqlite', { table: 'f' })
    for (const condition of [
      text,
      `EXISTS (SELECT 1 FROM files AS other WHERE other.id = f.id AND NOT (NOT ${text}))`,
    ]) {
      const found = database.prepare(`SELECT id FROM files AS f WHERE ${condition} ORDER BY id`).all(...values)
      expect(found.map((row) => (row as { id: string }).id)).toEqual(wanted)
    }
  }
})

it('Drizzle takes a view, a subquery and a common table expression, by the columns that they select', async () => {
  const database = new Database(':memory:')
  for (const statement of [...CREATE_FILES, 'CREATE VIEW seen AS SELECT * FROM files']) database.exec(statement)
  onTestFinished(() => void database.close())
  const run = async (query: string, values: unknown[]) => ({
    rows: database
      .prepare(query)
      .raw()
      .all(...values),
  })
  const db = drizzleOnSqlite(run as never)
  const columns = { id: sqliteText('id'), org: sqliteText('org'), status: sqliteText('status') }
  const files = sqliteTable('files', columns)
  const makeCondition = (table: object) => toDrizzle(drizzleSql, OPEN_OR_LINKED, FILES, 'sqlite', { table })
  const subquery = db.select().from(files).as('some_files')
  const common = db.$with('common').as(db.select().from(files))
  const view = sqliteView('seen', columns).existing()
  const made = sqliteView('seen').as((builder) => builder.select().from(files))
  const found = [
    await db.select({ id: subquery.id }).from(subquery).where(makeCondition(subquery)),
    await db.with(common).select({ id: common.id }).from(common).where(makeCondition(common)),
    await db.select({ id: view.id }).from(view).where(makeCondition(view)),
    await db.select({ id: made.id }).from(made).where(makeCondition(made)),
  ]
  const ids = found.map((rows) => rows.map(({ id }) => id).toSorted())
  expect(ids).toEqual(Array.from({ length: 4 }, () => ['a', 'd', 'e', 'root']))
  // an expression of a subquery has no name of its own in the query around it
  const lower = drizzleSql<string>`lower(${files.status})`.as('status')
  const lowered = db.select({ id: files.id, org: files.org, status: lower }).from(files).as('lowered')
  expect(() => makeCondition(lowered)).toThrow('the table of Drizzle has no column `status`')
  const child = sqliteAlias(files, 'child')
  expect(() => makeCondition({ id: files.id, org: child.org, status: files.status })).toThrow(
    'columns of different tables',
  )
})

describe.each<['postgres' | 'sqlite', boolean]>([
  ['postgres', withoutPostgres()],
  ['sqlite', false],
])('Drizzle calls a table by another name in a nested query, on %s', (dialect, isMissing) => {
  const isPostgres = dialect === 'postgres'
  const columns = <C>(column: (name: string) => C) => ({
    ...{ id: column('id'), org: column('org'), status: column('status'), parentId: column('parent_id') },
  })
  const files = (isPostgres
    ? pgTable(
        'files',
        columns((name) => text(name)),
      )
    : sqliteTable(
        'files',
        columns((name) => sqliteText(name)),
      )) as unknown as Files
  const aliased = (name: string) =>
    (isPostgres ? alias(files as never, name) : sqliteAlias(files as never, name)) as Files
  const tree = relations(files, ({ one, many }) => ({
    parent: one(files, { fields: [files.parentId], references: [files.id], relationName: 'tree' }),
    children: many(files, { relationName: 'tree' }),
  }))
  const makeCondition = (table: object, mapping = FILES) =>
    toDrizzle(drizzleSql, OPEN_OR_LINKED, mapping, dialect, { table })
  let db: Queries
  let end = async () => {}

  beforeAll(async () => {
    if (isMissing) return
    const schema = { files, tree }
    if (isPostgres) {
      const pool = openPool(await (await startPostgres()).database())
      for (const statement of CREATE_FILES) await pool.query(statement)
      db = drizzle(pool, { schema }) as unknown as Queries
      end = async () => {
        await pool.end()
        await endPostgres()
      }
    } else {
      const database = new Database(':memory:')
      for (const statement of CREATE_FILES) database.exec(statement)
      const run = async (query: string, values: unknown[]) => ({
        rows: database
          .prepare(query)
          .raw()
          .all(...values),
      })
      db = drizzleOnSqlite(run as never, { schema }) as unknown as Queries
      end = async () => void database.close()
    }
  })
  afterAll(() => end())

  // where PostgreSQL cannot run: the reason is printed
  it.skipIf(isMissing)('the condition of a relation is about the related rows', async () => {
    const own = makeCondition(files)
    const ofColumns = (table: object) => makeCondition(table)
    for (const where of [own, ofColumns]) {
      const found = await db.query.files.findMany({
        columns: { id: true },
        with: { children: { columns: { id: true }, where } },
      })
      const children = found.map(({ id, children: each }) => [id, each.map((child) => child.id).toSorted()])
      // with a name in place of the table, root, which the user may read, had b and c
      expect(Object.fromEntries(children)).toMatchObject({ root: ['a', 'e'], hidden: ['d'], a: [] })
    }
    const listed = await db.query.files.findMany({ columns: { id: true }, where: own })
    expect(listed.map(({ id }) => id).toSorted()).toEqual(['a', 'd', 'e', 'root'])
  })

  // where PostgreSQL cannot run: the reason is printed
  it.skipIf(isMissing)('the condition of one table of a self join is about its rows', async () => {
    const child = aliased('child')
    const joined = db.select({ id: child.id }).from(files).innerJoin(child, eq(child.parentId, files.id))
    const found = await joined.where(makeCondition(child))
    expect(found.map(({ id }) => id).toSorted()).toEqual(['a', 'd', 'e'])
  })

  it('a name is refused, and so is a table that is another one', () => {
    for (const table of ['files', undefined, {}, { id: 'id' }])
      expect(() => makeCondition(table as never)).toThrow("`table` must be Drizzle's table object")
    expect(() => toDrizzle(drizzleSql, OPEN_OR_LINKED, FILES, dialect, undefined as never)).toThrow(
      "Drizzle's table object",
    )
    expect(() => makeCondition(files, { ...FILES, tenant: 'organization' })).toThrow(
      'the table of Drizzle has no column `organization`, which the mapping names',
    )
  })

  it.each(['lower(files.status)', 'lower("files"."status")', 'lower(child . status)', 'lower(public.`Files`.status)'])(
    'a text of SQL that names the table is refused: %s',
    (expression) => {
      const mapping: Mapping = { ...FILES, attributes: { status: { column: sql(expression), type: 'text' } } }
      expect(() => makeCondition(aliased('child'), mapping)).toThrow(
        'which could be another table there: write it as sql((column) =>',
      )
      expect(() =>
        makeCondition(aliased('child'), {
          ...mapping,
          attributes: { status: { column: sql('lower(my_files.status)'), type: 'text' } },
        }),
      ).not.toThrow()
    },
  )
})
