// Rows of MySQL and MariaDB. All queries of a sync read one snapshot: a transaction WITH CONSISTENT SNAPSHOT that writes
// nothing. Rows are taken as the server sends them, and it waits while they are not taken.
import type { Connection, FieldPacket } from 'mysql2'
import { contained } from '../../model/contained.ts'
import { SYNC_CONNECT_MS, SYNC_FETCH_ROWS } from '../../model/limits.ts'
import type { Section } from '../file/sync-file.ts'
import { loadDriver } from './load-driver.ts'
import { readJson, readNumber } from './numbers.ts'
import type { RowBatch, Snapshot, SourceValue } from './source.ts'
import { listSecrets, toSourceError } from './source-failure.ts'

const WHERE = 'MySQL'

/** @throws SYNC_SOURCE_FAILED, PACKAGE_MISSING */
export async function openMysql(url: string, folder: string): Promise<Snapshot> {
  const mysql = await loadDriver<{ default: typeof import('mysql2') }>('mysql2', folder)
  const secrets = listSecrets(url)
  const failed = (error: unknown) => toSourceError(error, WHERE, secrets)
  let connection: Connection
  try {
    connection = mysql.default.createConnection({
      uri: url,
      connectTimeout: SYNC_CONNECT_MS,
      rowsAsArray: true,
      charset: 'utf8mb4',
      typeCast: (field, next) => (field.type === 'BIT' ? next() : field.string('utf8')),
    })
  } catch (error) {
    throw failed(error)
  }
  // a server that goes away is also reported by the statement that was running
  connection.on(
    'error',
    contained('the loss of a database', () => undefined),
  )
  const run = (sql: string) =>
    new Promise<void>((resolve, reject) => connection.query(sql, (error) => (error ? reject(error) : resolve())))
  try {
    await run("SET SESSION time_zone = '+00:00'")
    await run('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await run('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
  } catch (error) {
    connection.destroy()
    throw failed(error)
  }
  return {
    async *read(_name, section) {
      try {
        yield* readAll(connection, section)
      } catch (error) {
        throw failed(error)
      }
    },
    async close() {
      connection.destroy()
    },
  }
}

async function* readAll(connection: Connection, section: Section): AsyncGenerator<RowBatch, void, undefined> {
  let fields: readonly FieldPacket[] = []
  const query = connection.query({ sql: section.query ?? '', rowsAsArray: true })
  const hear = (sent: FieldPacket[]): void => {
    fields = sent
  }
  query.on('fields', contained('the columns of a result', hear))
  let first = 1
  let rows: SourceValue[][] = []
  const batch = (): RowBatch => ({ first, columns: fields.map(({ name }) => name), rows })
  for await (const row of query.stream({ highWaterMark: SYNC_FETCH_ROWS })) {
    rows.push((row as (string | Buffer | null)[]).map((value, at) => readValue(value, fields[at]!)))
    if (rows.length < SYNC_FETCH_ROWS) continue
    yield batch()
    first += rows.length
    rows = []
  }
  if (rows.length > 0 || first === 1) yield batch()
}

/** Numbers of types in the protocol. */
const NUMBERS = new Set([0, 1, 2, 3, 4, 5, 8, 9, 13, 246])
const TIMESTAMP = 7
const DATETIME = 12
const JSON_TYPE = 245

function readValue(value: string | Buffer | null, field: FieldPacket): SourceValue {
  if (value === null) return null
  if (typeof value !== 'string') return value.length === 1 ? value[0] === 1 : [...value]
  const type = field.columnType ?? field.type
  if (type !== undefined && NUMBERS.has(type)) return readNumber(value)
  // the session is in UTC; a DATETIME has no zone, and gets none
  if (type === TIMESTAMP) return `${value.replace(' ', 'T')}Z`
  if (type === DATETIME) return value.replace(' ', 'T')
  return type === JSON_TYPE ? readJson(value) : value
}
