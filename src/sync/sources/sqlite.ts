// Rows of a SQLite file, by what Node 22.16 and newer have built in, else by better-sqlite3. All queries of a sync read one snapshot: a
// read transaction. The file is opened for reading only.
import { existsSync } from 'node:fs'
import { ZerohopError } from '../../model/errors.ts'
import { SYNC_FETCH_ROWS } from '../../model/limits.ts'
import type { Section } from '../file/sync-file.ts'
import { findDriver } from './load-driver.ts'
import type { RowBatch, Snapshot, SourceValue } from './source.ts'
import { toSourceError } from './source-failure.ts'

const WHERE = 'SQLite'

/** What both drivers have, as it is used here. */
interface Statement {
  iterate(): IterableIterator<Readonly<Record<string, unknown>>>
  columns(): readonly { readonly name: string }[]
  setReadBigInts?(on: boolean): void
  safeIntegers?(on: boolean): unknown
}
interface Database {
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): void
}
export type OpenDatabase = (file: string) => Database

/** @throws PACKAGE_MISSING when no driver is there */
async function findOpen(folder: string): Promise<OpenDatabase> {
  type BuiltIn = {
    DatabaseSync: new (file: string, options: object) => Database
    StatementSync: { readonly prototype: Partial<Statement> }
  }
  const own = await findDriver<BuiltIn>('node:sqlite', folder)
  // an older one does not say the names of columns
  if (own?.StatementSync.prototype.columns !== undefined)
    return (file) => new own.DatabaseSync(file, { readOnly: true })
  type Package = { default: new (file: string, options: object) => Database }
  const other = await findDriver<Package>('better-sqlite3', folder)
  if (other !== undefined) return (file) => new other.default(file, { readonly: true, fileMustExist: true })
  throw new ZerohopError('PACKAGE_MISSING', { name: 'better-sqlite3' })
}

/** @throws SYNC_SOURCE_FAILED, PACKAGE_MISSING */
export async function openSqlite(file: string, folder: string, open?: OpenDatabase): Promise<Snapshot> {
  const opened = open ?? (await findOpen(folder))
  let database: Database
  try {
    if (!existsSync(file)) throw new Error(`there is no file \`${file}\``)
    database = opened(file)
    database.exec('PRAGMA query_only = ON')
    database.exec('BEGIN')
    // a read transaction starts with the first read
    for (const _ of database.prepare('SELECT count(*) FROM sqlite_schema').iterate());
  } catch (error) {
    throw toSourceError(error, WHERE)
  }
  return {
    async *read(_name, section) {
      try {
        yield* readAll(database, section)
      } catch (error) {
        throw toSourceError(error, WHERE)
      }
    },
    async close() {
      try {
        database.exec('ROLLBACK') // a driver may keep a read transaction beyond the end of its connection
      } finally {
        database.close()
      }
    },
  }
}

function* readAll(database: Database, section: Section): Generator<RowBatch, void, undefined> {
  const statement = database.prepare(section.query ?? '')
  if (statement.setReadBigInts === undefined) statement.safeIntegers?.(true)
  else statement.setReadBigInts(true)
  const columns = statement.columns().map(({ name }) => name)
  let first = 1
  let rows: SourceValue[][] = []
  for (const row of statement.iterate()) {
    rows.push(columns.map((name) => readValue(row[name])))
    if (rows.length < SYNC_FETCH_ROWS) continue
    yield { first, columns, rows }
    first += rows.length
    rows = []
  }
  if (rows.length > 0 || first === 1) yield { first, columns, rows }
}

function readValue(value: unknown): SourceValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value
  return value as SourceValue
}
