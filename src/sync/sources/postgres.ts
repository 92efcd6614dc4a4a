// Rows of PostgreSQL. All queries of a sync read one snapshot: a transaction of the level REPEATABLE READ that writes
// nothing. A cursor gives the rows in parts, so that a result of any size is read in little memory.
import type { Client, QueryArrayResult } from 'pg'
import { contained } from '../../model/contained.ts'
import { SYNC_ANSWER_MS, SYNC_CONNECT_MS, SYNC_FETCH_ROWS } from '../../model/limits.ts'
import type { SectionName } from '../file/sections.ts'
import type { Section } from '../file/sync-file.ts'
import { loadDriver } from './load-driver.ts'
import { readJson, readNumber } from './numbers.ts'
import type { RowBatch, Snapshot, SourceValue } from './source.ts'
import { listSecrets, toSourceError } from './source-failure.ts'

const WHERE = 'PostgreSQL'
/** Values come as texts of one form, whatever the settings of the server and the role are. */
const SETTINGS =
  "SET TIME ZONE 'UTC'; SET DateStyle TO 'ISO, MDY'; SET extra_float_digits TO 1; SET bytea_output TO 'hex'"

/** @throws SYNC_SOURCE_FAILED, PACKAGE_MISSING */
export async function openPostgres(url: string, folder: string): Promise<Snapshot> {
  const secrets = listSecrets(url)
  const client = await connect(url, secrets, folder)
  const failed = (error: unknown) => toSourceError(error, WHERE, secrets)
  try {
    await client.query(SETTINGS)
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
  } catch (error) {
    await end(client)
    throw failed(error)
  }
  return {
    async *read(name, section) {
      try {
        yield* readAll(client, name, section)
      } catch (error) {
        throw failed(error)
      }
    },
    close: () => end(client),
  }
}

async function connect(url: string, secrets: readonly string[], folder: string): Promise<Client> {
  const pg = await loadDriver<{ default: typeof import('pg') }>('pg', folder)
  let client: Client | undefined
  try {
    client = new pg.default.Client({
      connectionString: url,
      application_name: 'zerohop sync',
      connectionTimeoutMillis: SYNC_CONNECT_MS,
      query_timeout: SYNC_ANSWER_MS,
    })
    // a server that goes away is also reported by the statement that was running
    client.on(
      'error',
      contained('the loss of a database', () => undefined),
    )
    await client.connect()
    return client
  } catch (error) {
    if (client !== undefined) await end(client)
    throw toSourceError(error, WHERE, secrets)
  }
}

const end = (client: Client): Promise<void> => client.end().catch(() => undefined)

async function* readAll(
  client: Client,
  name: SectionName,
  section: Section,
): AsyncGenerator<RowBatch, void, undefined> {
  const cursor = `zerohop_${name}`
  await client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${(section.query ?? '').replace(/;\s*$/, '')}`)
  for (let first = 1; ; ) {
    const result = (await client.query({
      text: `FETCH ${SYNC_FETCH_ROWS} FROM ${cursor}`,
      rowMode: 'array',
      types: { getTypeParser: () => (text: string) => text },
    })) as QueryArrayResult<(string | null)[]>
    const readers = result.fields.map(({ dataTypeID }) => READERS[dataTypeID] ?? keepText)
    const columns = result.fields.map((field) => field.name)
    if (result.rows.length === 0) {
      if (first === 1) yield { first, columns, rows: [] }
      break
    }
    const rows = result.rows.map((row) => row.map((value, at) => (value === null ? null : readers[at]!(value))))
    yield { first, columns, rows }
    first += rows.length
  }
  await client.query(`CLOSE ${cursor}`)
}

type ReadText = (text: string) => SourceValue

const keepText: ReadText = (text) => text
/** `2026-11-20 08:30:00.25+00` in ISO 8601; without a zone it keeps none. */
const readTime: ReadText = (text) => text.replace(' ', 'T').replace(/[+-]00(:00)?$/, 'Z')

/** By the number of the type in pg_type. */
const READERS: Readonly<Record<number, ReadText>> = {
  16: (text) => text === 't',
  ...Object.fromEntries([20, 21, 23, 26, 700, 701, 1700].map((type) => [type, readNumber])),
  114: readJson,
  3802: readJson,
  1114: readTime,
  1184: readTime,
}
