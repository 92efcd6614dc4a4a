// Data on its way into a database or out of it. The mark is committed before anything else: as long as it is set no
// server uses the database, however the move ends.
import { ZerohopError } from '../../model/errors.ts'
import { DATABASE_ALIVE_MS } from '../../model/limits.ts'
import type { Connection } from './connection.ts'

export interface Move {
  readonly what: 'importing' | 'exporting' | 'moved'
  /** id of the move */
  readonly id: string
  /** the folder at the other end */
  readonly place: string
}

/** The mark; undefined when the database is in use. `lock` holds back others that begin to use it. */
async function readMove(connection: Connection, lock: '' | 'FOR UPDATE' = ''): Promise<Move | undefined> {
  const [found] = await connection.query<{ what: Move['what'] | null; id: string; place: string }>(
    `SELECT move AS what, move_id::text AS id, move_place AS place FROM zerohop.meta ${lock}`,
  )
  return found?.what ? { ...found, what: found.what } : undefined
}

/** @throws DATABASE_REFUSED when the data of the database is elsewhere, or not complete */
export async function requireInUse(connection: Connection, lock: '' | 'FOR UPDATE' = ''): Promise<void> {
  const move = await readMove(connection, lock)
  if (move !== undefined) throw new ZerohopError('DATABASE_REFUSED', { reason: formatReason(move) })
}

function formatReason({ what, place }: Move): string {
  if (what === 'moved') return `its data was moved to ${place}`
  const again = `run \`zerohop database ${what === 'importing' ? 'import' : 'export'} --again\``
  return what === 'importing'
    ? `its data is not complete: the import of ${place} is running, or was interrupted: ${again}`
    : `its data is being moved to ${place}, or that was interrupted: ${again}`
}

/** Whether the database has data and is in use. */
export async function isInUse(connection: Connection): Promise<boolean> {
  return (await readMove(connection)) === undefined && (await hasLogs(connection))
}

/** What an import empties before it begins again. */
const CONTENTS = [
  'logs',
  'entries',
  'snapshots',
  'snapshot_parts',
  'secrets',
  'idempotency',
  'tasks',
  'replicas',
  'upkeep',
]

/**
 * Marks an empty database for an import, and empties it when it begins again.
 * @throws DATABASE_REFUSED when it is not empty, or another move was begun
 */
export async function beginImport(connection: Connection, id: string, place: string, again: boolean): Promise<void> {
  await inTransaction(connection, async () => {
    const move = await readMove(connection, 'FOR UPDATE')
    if (move !== undefined && !(again && move.what === 'importing')) throw refused(formatReason(move))
    if (move !== undefined) await empty(connection)
    else if (await hasLogs(connection))
      throw refused('it is not empty: an import needs a database without data of Zerohop')
    await setMove(connection, { what: 'importing', id, place })
  })
}

/** Takes back an import that failed. */
export async function abandonImport(connection: Connection, id: string): Promise<void> {
  await inTransaction(connection, async () => {
    const move = await readMove(connection, 'FOR UPDATE')
    if (move?.id !== id) return
    await empty(connection)
    await setMove(connection, undefined)
  })
}

/** Lets servers use what was imported. @throws DATABASE_REFUSED when another import began meanwhile */
export async function endImport(connection: Connection, id: string): Promise<void> {
  const ended = await connection.query(
    "UPDATE zerohop.meta SET move = NULL WHERE move = 'importing' AND move_id = $1::uuid RETURNING one",
    [id],
  )
  if (ended.length === 0) throw refused('another import began meanwhile')
}

/** What servers add to. A PDP whose records of decisions are refused keeps them. */
const WRITTEN = ['entries', 'decisions']
const ALLOW_WRITES = WRITTEN.map((table) => `DROP TRIGGER IF EXISTS moved ON zerohop.${table};`).join('\n')
/** Refuses every write from now on: also one of a server that is still running. */
const STOP_WRITES = `
  CREATE OR REPLACE FUNCTION zerohop.refuse_write() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'the data of this database was moved elsewhere'; END$$;
  ${ALLOW_WRITES}
  ${WRITTEN.map((table) => `CREATE TRIGGER moved BEFORE INSERT ON zerohop.${table} FOR EACH STATEMENT EXECUTE FUNCTION zerohop.refuse_write();`).join('\n')}`

/**
 * Marks a database whose data is moved out, after which no one writes to it.
 * @throws DATABASE_REFUSED while servers use it, when it has no data, or another move was begun
 */
export async function beginExport(connection: Connection, id: string, place: string, again: boolean): Promise<void> {
  await inTransaction(connection, async () => {
    const move = await readMove(connection, 'FOR UPDATE')
    if (move !== undefined && !(again && move.what === 'exporting')) throw refused(formatReason(move))
    if (!(await hasLogs(connection))) throw refused('it has no data that could be exported')
    const running = await runningReplica(connection)
    if (running !== undefined)
      throw refused(`a server uses it, replica ${running.id} ${Math.round(running.age)} s ago: stop all servers first`)
    await connection.script(STOP_WRITES)
    await setMove(connection, { what: 'exporting', id, place })
  })
}

/** Lets servers use the database again after an export that failed. */
export async function abandonExport(connection: Connection, id: string): Promise<void> {
  await inTransaction(connection, async () => {
    const move = await readMove(connection, 'FOR UPDATE')
    if (move?.id !== id) return
    await connection.script(ALLOW_WRITES)
    await setMove(connection, undefined)
  })
}

/** Says for good that the data is elsewhere. */
export async function endExport(connection: Connection, id: string): Promise<void> {
  await connection.query("UPDATE zerohop.meta SET move = 'moved' WHERE move_id = $1::uuid", [id])
}

/** A replica that gave a sign of life lately, while there are connections that could be its own. */
async function runningReplica(connection: Connection): Promise<{ id: string; age: number } | undefined> {
  const [found] = await connection.query<{ id: string; age: number }>(
    `SELECT id::text AS id, extract(epoch FROM clock_timestamp() - seen)::float8 AS age FROM zerohop.replicas
    WHERE seen > clock_timestamp() - interval '${DATABASE_ALIVE_MS} ms' AND EXISTS (
      SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND application_name LIKE 'zerohop %')
    ORDER BY seen DESC LIMIT 1`,
  )
  return found
}

async function hasLogs(connection: Connection): Promise<boolean> {
  return (await connection.query('SELECT number FROM zerohop.logs LIMIT 1')).length > 0
}

async function empty(connection: Connection): Promise<void> {
  await connection.script(`TRUNCATE ${CONTENTS.map((table) => `zerohop.${table}`).join(', ')} RESTART IDENTITY`)
}

async function setMove(connection: Connection, move: Move | undefined): Promise<void> {
  await connection.query('UPDATE zerohop.meta SET move = $1, move_id = $2::uuid, move_place = $3', [
    move?.what ?? null,
    move?.id ?? null,
    move?.place ?? null,
  ])
}

async function inTransaction(connection: Connection, work: () => Promise<void>): Promise<void> {
  await connection.script('BEGIN')
  try {
    await work()
  } catch (error) {
    if (!connection.isLost) await connection.script('ROLLBACK')
    throw error
  }
  if (!(await connection.commit()))
    throw new ZerohopError('DATABASE_UNAVAILABLE', { reason: 'it rolled the transaction back' })
}

const refused = (reason: string): ZerohopError => new ZerohopError('DATABASE_REFUSED', { reason })
