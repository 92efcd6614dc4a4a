// Moves the data of a database back into an embedded folder, with its numbers, revisions and chains. The database is
// marked first, and from then on refuses writes; the folder has data only when it is complete.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ZerohopError } from '../../model/errors.ts'
import { FOR_ITS_OWNER, makeFolder } from '../../model/folder.ts'
import { BatchRunner } from '../batch.ts'
import { asOpenError, syncFile } from '../disk.ts'
import { entryCount } from '../heads.ts'
import { acquireLock } from '../lock.ts'
import { sealWith, unseal } from '../secrets.ts'
import { openTables, type Tables } from '../tables.ts'
import type { Connection } from './connection.ts'
import { allHeads } from './entries.ts'
import type { Moving } from './import-folder.ts'
import { requireFormat } from './migrations.ts'
import { abandonExport, beginExport, endExport } from './moves.ts'
import { type Fold, pull } from './pull.ts'
import { requireSecretsKey } from './sealing.ts'

export interface ExportOptions {
  /** the data folder; made when it is missing */
  readonly folder: string
  /** the key under which the database seals secrets */
  readonly secretsKey: Uint8Array
  /** the key under which the folder seals them, taken when the folder is known to be usable */
  readonly folderKey: () => Uint8Array
  /** begins again after an export that was interrupted */
  readonly again: boolean
  /** UUID of this export */
  readonly id: string
  /** the folder and its machine, for people */
  readonly place: string
  readonly progress: (done: Moving) => void
}

/** What an export that was interrupted may have left in its folder. */
const LEFT_BEHIND = new Set(['data.new', 'secrets.key', 'zerohop.lock'])

/**
 * @throws FOLDER_NOT_EMPTY; DATABASE_REFUSED while servers use the database; DATABASE_UNAVAILABLE; DATA_IN_USE;
 *   DISK_FULL; CONFIG_INVALID when the secrets key is another one
 */
export async function exportFolder(connection: Connection, options: ExportOptions): Promise<Moving> {
  const { folder, secretsKey, again, id, place } = options
  await requireFormat(connection)
  await requireSecretsKey(connection, secretsKey)
  try {
    makeFolder(folder, FOR_ITS_OWNER)
    const held = readdirSync(folder).filter((name) => !(again && LEFT_BEHIND.has(name)))
    if (held.length > 0) throw new ZerohopError('FOLDER_NOT_EMPTY', { path: folder })
    const lock = await acquireLock(folder)
    try {
      await beginExport(connection, id, place, again)
      const moving = await fill(connection, options).catch(async (error: unknown) => {
        // then only `--again` helps
        if (!existsSync(join(folder, 'data.mdb'))) await abandonExport(connection, id).catch(() => {})
        throw error
      })
      await endExport(connection, id)
      return moving
    } finally {
      lock.release()
    }
  } catch (error) {
    throw asOpenError(error, folder)
  }
}

/** The data file appears under its name only when it is complete. */
async function fill(connection: Connection, options: ExportOptions): Promise<Moving> {
  const { folder } = options
  const unfinished = join(folder, 'data.new')
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  try {
    const tables = openTables(unfinished, 'create', 'cache')
    let moving: Moving
    try {
      moving = await fold(connection, tables, options)
    } finally {
      await tables.root.close()
    }
    const data = join(unfinished, 'data.mdb')
    syncFile(data)
    renameSync(data, join(folder, 'data.mdb'))
    if (process.platform !== 'win32') syncFile(folder)
    return moving
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

async function fold(connection: Connection, tables: Tables, options: ExportOptions): Promise<Moving> {
  const { secretsKey, folderKey, progress } = options
  const runner = new BatchRunner(tables, {}, sealWith(secretsKey), tables.folder)
  const loading: Fold['loading'] = new Map()
  let moving: Moving = { logs: 0, entries: 0, objects: 0, secrets: 0 }
  const { heads } = await allHeads(connection)
  for (const { number, id, kind, lineage, revision } of heads) {
    await pull({ tables, runner, loading }, connection, { number, id, kind, lineage }, revision, new Set())
    const head = tables.heads.get(id)
    if (head === undefined) throw new ZerohopError('HISTORY_LOST', { log: id, have: 0, got: revision })
    const { logs, entries, objects } = moving
    const more = Object.values(head.counts).reduce((sum, count) => sum + count, 0)
    moving = { ...moving, logs: logs + 1, entries: entries + entryCount(head), objects: objects + more }
    progress(moving)
  }
  const secrets = [...tables.secrets.all()].map(({ key, content }) => {
    const id = Buffer.from(key).toString()
    const secret = unseal(secretsKey, id, content)
    if (secret !== undefined) return { id, secret }
    throw new ZerohopError('CONFIG_INVALID', { reason: `the secret \`${id}\` of the database cannot be unsealed` })
  })
  const seal = sealWith(folderKey())
  const next = await nextNumber(connection)
  tables.root.transactionSync(() => {
    for (const { id, secret } of secrets) tables.secrets.put(id, seal(id, secret))
    tables.totals.setNext(next)
  })
  return { ...moving, secrets: secrets.length }
}

/** The number of the next new log. */
async function nextNumber(connection: Connection): Promise<number> {
  const [{ sequence } = { sequence: '' }] = await connection.query<{ sequence: string }>(
    "SELECT pg_get_serial_sequence('zerohop.logs', 'number') AS sequence",
  )
  const [{ next } = { next: 1 }] = await connection.query<{ next: number }>(
    `SELECT (last_value + is_called::int)::float8 AS next FROM ${sequence}`,
  )
  return next
}
