// A real Prisma client for the tests of this folder, with the table of its models: scripts/install-prisma.mjs makes the client.
import { existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { memoryFolder } from '../support/folders.ts'
import { connectTo, endPostgres, startPostgres } from '../support/postgres.ts'

const MODULES = join(import.meta.dirname, 'node_modules')
/** Columns of the table `rows` that are not of the same type in both databases have theirs in place of `%`. */
const COLUMNS = `n integer PRIMARY KEY, org text, id text, folder text, status text, value text NOT NULL, owner %uuid,
  amount bigint, score %double, done boolean, due %time, up integer`
const TYPES = {
  postgresql: { uuid: 'uuid', double: 'double precision', time: 'timestamptz' },
  sqlite: { uuid: 'TEXT', double: 'REAL', time: 'DATETIME' },
} as const

export type Provider = keyof typeof TYPES
export type FoundRow = Record<string, unknown>

/** What the tests use of a model. */
interface Model {
  findMany(query?: object): Promise<FoundRow[]>
  findUnique(query: object): Promise<FoundRow | null>
  count(query: object): Promise<number>
  createMany(query: object): Promise<unknown>
  updateMany(query: object): Promise<{ readonly count: number }>
  deleteMany(query?: object): Promise<{ readonly count: number }>
}

/** What the tests use of a generated client. */
export interface Client {
  readonly row: Model
  /** of the table `facts` (../filters/policy-tables.ts), which its tests make */
  readonly fact: Model
  $queryRaw(text: TemplateStringsArray, ...values: unknown[]): Promise<FoundRow[]>
  $disconnect(): Promise<void>
}

/** A database with the table, and a client. */
export interface Database {
  readonly client: Client
  /** `Prisma.sql` of the client */
  readonly sql: (texts: TemplateStringsArray, ...values: unknown[]) => unknown
  /** Runs a statement beside Prisma. */
  readonly run: (text: string) => Promise<readonly FoundRow[]>
  readonly end: () => Promise<void>
}

/** Whether the clients are missing, which is then printed. */
export function withoutClients(): boolean {
  if (existsSync(join(MODULES, '.clients/sqlite.mjs'))) return false
  process.stdout.write('skipped: no Prisma: `npm run test:prisma` installs it\n')
  return true
}

function createTable(provider: Provider): string {
  const columns = COLUMNS.replaceAll(/%(\w+)/g, (_, name) => TYPES[provider][name as 'uuid'])
  return `CREATE TABLE rows (${columns})`
}

export async function openPostgres(): Promise<Database> {
  const connectionString = await (await startPostgres()).database()
  const connection = await connectTo(connectionString)
  await connection.query(createTable('postgresql'))
  const { client, sql } = await makeClient('postgresql', 'PrismaPg', { connectionString })
  return {
    client,
    sql,
    run: async (text) => (await connection.query(text)).rows,
    end: async () => {
      await client.$disconnect()
      await connection.end()
      await endPostgres()
    },
  }
}

export async function openSqlite(): Promise<Database> {
  const Sqlite = createRequire(import.meta.url)('libsql') as typeof import('libsql')
  const folder = memoryFolder('prisma')
  const file = join(folder, 'rows.db')
  const database = new Sqlite(file)
  database.exec(createTable('sqlite'))
  const { client, sql } = await makeClient('sqlite', 'PrismaLibSql', { url: `file:${file}` })
  return {
    client,
    sql,
    run: async (text) => {
      const statement = database.prepare(text)
      return (statement.reader ? statement.all() : [statement.run()]) as FoundRow[]
    },
    end: async () => {
      await client.$disconnect()
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The client with its adapter. */
async function makeClient(provider: Provider, adapter: 'PrismaPg' | 'PrismaLibSql', options: object) {
  const require = createRequire(join(MODULES, 'index.js'))
  const made = { PrismaPg: '@prisma/adapter-pg', PrismaLibSql: '@prisma/adapter-libsql' }[adapter]
  const { [adapter]: Adapter } = require(made) as Record<string, new (options: object) => object>
  const { Prisma, PrismaClient } = (await import(pathToFileURL(join(MODULES, `.clients/${provider}.mjs`)).href)) as {
    Prisma: { readonly sql: Database['sql'] }
    PrismaClient: new (options: object) => Client
  }
  return { client: new PrismaClient({ adapter: new Adapter!(options) }), sql: Prisma.sql }
}
