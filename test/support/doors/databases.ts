// The doors of databases: a query with the filter of a question finds, of the rows of an application, those that checks
// allow. Attributes are held as JSON, so that a column holds every value; what columns of other types do to a value is
// asked in test/filters.
import Database from 'libsql'
import { createConnection } from 'mysql2/promise'
import type { Mapping } from '../../../src/filters/meaning/mapping.ts'
import { type DialectName, toSql } from '../../../src/filters/to-sql.ts'
import { isZerohopError } from '../../../src/model/errors.ts'
import type { Filter } from '../../../src/model/filter.ts'
import { startMariaDb, withoutMariaDb } from '../mariadb.ts'
import { openPool, startPostgres, withoutPostgres } from '../postgres.ts'
import { type Row, rowAttribute } from '../rows.ts'
import type { Asked } from './asked.ts'
import { type Door, Lack } from './door.ts'
import { LIBRARY_CLOCK } from './library.ts'
import { filterOrLack, makeFilter, rightOfRows } from './rows.ts'

/** A database with the table `facts`: `n`, `org`, `id`, and a column of JSON for each attribute. */
interface Table {
  readonly dialect: DialectName
  /** types of a column of keys, and of one of JSON */
  readonly types: readonly [key: string, json: string]
  run(text: string, values: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>
  close(): Promise<void>
}

const makeMapping = (names: readonly string[]): Mapping => ({
  tenant: 'org',
  key: 'id',
  attributes: Object.fromEntries(names.map((name, at) => [name, { column: `a${at}`, type: 'json' as const }])),
})

/** The table anew, where rows say something else of themselves than before. */
async function createTable({ run, types: [key, json] }: Table, names: readonly string[]): Promise<void> {
  const columns = [`n INTEGER, org ${key}, id ${key}`, ...names.map((_, at) => `a${at} ${json}`)]
  await run('DROP TABLE IF EXISTS facts', [])
  await run(`CREATE TABLE facts (${columns.join(', ')})`, [])
}

/** Characters that a column of keys has room for in every database. */
const KEY_LENGTH = 600

/** A value that no database holds as it is: a zero character, or a number that its JSON has no room for. */
const isUnheld = (row: Row): boolean =>
  /\\u0000/.test(JSON.stringify(row)) ||
  /\\ud[89a-f]/.test(JSON.stringify(row)) ||
  /\d{16}|e[+-]?\d/.test(JSON.stringify(row))

async function found(
  { dialect, run }: Table,
  { rows, tenant, names, t }: Asked,
  filter: Filter,
  isHeld: boolean,
): Promise<boolean[] | Lack> {
  if (filter.kind === 'when' && filter.reads.relations.length > 0) return new Lack('the database cannot say it')
  if ([tenant, ...rows.map(({ key = '' }) => key)].some(({ length }) => length > KEY_LENGTH))
    return new Lack('the database cannot say it')
  if (rows.some(isUnheld) || /\\u0000|\\ud[89a-f]/.test(JSON.stringify([tenant, filter])))
    return new Lack('the database cannot say it')
  let query: ReturnType<typeof toSql>
  try {
    query = toSql(filter, makeMapping(names), dialect, { table: 'facts', ...(t === undefined ? {} : { now: t }) })
  } catch (error) {
    if (isZerohopError(error, 'FILTER_REFUSED')) return new Lack('the database cannot say it')
    throw error
  }
  if (!isHeld) await run('DELETE FROM facts', [])
  for (const [n, row] of isHeld ? [] : rows.entries()) {
    const attributes = names.map((name) => rowAttribute(row, name)).map((each) => each !== null && JSON.stringify(each))
    const values = [n, tenant, row.key ?? null, ...attributes.map((each) => (each === false ? null : each))]
    const places = values.map((_, at) => (dialect === 'postgres' ? `$${at + 1}` : '?'))
    await run(`INSERT INTO facts VALUES (${places.join(', ')})`, values)
  }
  const numbers = (await run(`SELECT n FROM facts WHERE ${query.text}`, query.values)).map(({ n }) => Number(n))
  return rows.map((_, n) => numbers.includes(n))
}

function makeDoor(name: string, table: Table): Door {
  let columns = ''
  /** the rows that are in the table, in which tenant: they are the same for each way and instant */
  let held: { readonly rows: readonly Row[]; readonly tenant: string } | undefined
  return {
    name,
    async say(place, asked) {
      const filter = await filterOrLack(() => makeFilter(place, asked))
      if (filter instanceof Lack) return filter
      const wanted = JSON.stringify(asked.names)
      if (columns !== wanted) {
        await createTable(table, asked.names)
        held = undefined
      }
      columns = wanted
      const { rows, tenant } = asked
      const isHeld = held?.rows === rows && held.tenant === tenant
      if (!isHeld) held = undefined
      const answer = await found(table, asked, filter, isHeld)
      if (!(answer instanceof Lack)) held = { rows, tenant }
      return answer
    },
    right: rightOfRows(LIBRARY_CLOCK),
  }
}

function sqlite(): Table {
  const database = new Database(':memory:')
  return {
    dialect: 'sqlite',
    types: ['TEXT', 'TEXT'],
    async run(text, values) {
      const statement = database.prepare(text)
      if (text.startsWith('SELECT')) return statement.all(...values) as Record<string, unknown>[]
      statement.run(...values)
      return []
    },
    close: async () => void database.close(),
  }
}

async function postgres(): Promise<Table> {
  const server = await startPostgres()
  const pool = openPool(await server.database())
  return {
    dialect: 'postgres',
    types: ['text', 'jsonb'],
    run: async (text, values) => (await pool.query(text, [...values])).rows,
    async close() {
      await pool.end()
      await server.stop()
    },
  }
}

async function mariadb(): Promise<Table> {
  const server = await startMariaDb()
  const connection = await createConnection({ host: '127.0.0.1', port: server.port, user: 'root', database: 'test' })
  return {
    dialect: 'mysql',
    types: [`VARCHAR(${KEY_LENGTH}) COLLATE utf8mb4_bin`, 'JSON'],
    async run(text, values) {
      const [rows] = await connection.query(text, [...values])
      return text.startsWith('SELECT') ? (rows as Record<string, unknown>[]) : []
    },
    async close() {
      await connection.end()
      await server.stop()
    },
  }
}

export interface DatabaseDoors {
  readonly doors: readonly Door[]
  close(): Promise<void>
}

/** A door for each database that is here; what is left out is said by name. */
export async function openDatabases(): Promise<DatabaseDoors> {
  const tables: [string, Table][] = [['filter in SQLite', sqlite()]]
  if (!withoutPostgres()) tables.push(['filter in PostgreSQL', await postgres()])
  if (!withoutMariaDb()) tables.push(['filter in MariaDB', await mariadb()])
  return {
    doors: tables.map(([name, table]) => makeDoor(name, table)),
    async close() {
      for (const [, table] of tables) await table.close()
    },
  }
}
