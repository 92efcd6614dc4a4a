// Moves the data of an embedded folder into an empty database: logs with their numbers, revisions and chains, the
// entries that the folder still has, a snapshot of each log at its head, and the secrets. The database is marked first,
// the folder last: at no time could servers use both.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LogId } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { DATABASE_PAGE_BYTES_MAX, DATABASE_PAGE_MAX } from '../../model/limits.ts'
import { requireNoCache } from '../cache-folder.ts'
import { prepareData } from '../data-file.ts'
import { asOpenError, dataFolder } from '../disk.ts'
import { entryCount, type Head } from '../heads.ts'
import { eachPlacedObject } from '../load-snapshot.ts'
import { acquireLock } from '../lock.ts'
import { readStored } from '../log.ts'
import { markMoved, readMoved } from '../moved.ts'
import { sealWith, unseal } from '../secrets.ts'
import { idKey } from '../table-keys.ts'
import { openTables, type Tables } from '../tables.ts'
import { type OnProgress, upgradeData } from '../upgrade.ts'
import type { Connection } from './connection.ts'
import { insertEntries, type LogKind, putSecrets } from './entries.ts'
import { requireFormat } from './migrations.ts'
import { abandonImport, beginImport, endImport, isInUse } from './moves.ts'
import { requireSecretsKey } from './sealing.ts'
import { writeSnapshot } from './snapshots.ts'

export interface ImportOptions {
  /** the data folder */
  readonly folder: string
  /** keys under which secrets of the folder may be sealed */
  readonly folderKeys: readonly Uint8Array[]
  /** the key under which the database seals secrets */
  readonly secretsKey: Uint8Array
  /** begins again after an import that was interrupted */
  readonly again: boolean
  /** UUID of this import */
  readonly id: string
  /** the folder and its machine, for people */
  readonly place: string
  /** the address of the database, without user and password */
  readonly address: string
  readonly progress: (done: Moving) => void
  readonly upgrading: OnProgress
}

/** What was moved so far. */
export interface Moving {
  readonly logs: number
  readonly entries: number
  readonly objects: number
  readonly secrets: number
}

/**
 * @throws DATABASE_REFUSED when the database is not empty; DATABASE_UNAVAILABLE; DATA_IN_USE; DATA_DAMAGED;
 *   CONFIG_INVALID when the folder has no data, its data was moved before, or its secrets cannot be unsealed
 */
export async function importFolder(connection: Connection, options: ImportOptions): Promise<Moving> {
  const { folder, secretsKey, again, id, place, address } = options
  if (!existsSync(join(folder, 'data.mdb')))
    throw new ZerohopError('CONFIG_INVALID', { reason: `there is no data in \`${folder}\`` })
  requireNoCache(folder)
  await requireFormat(connection)
  const lock = await acquireLock(folder).catch((error: unknown) => {
    throw asOpenError(error, folder)
  })
  let tables: Tables | undefined
  try {
    await prepareData(folder, lock.clean)
    await upgradeData(folder, options.upgrading)
    tables = openTables(folder, 'read')
    const cluster = await requireSecretsKey(connection, secretsKey)
    requireHere(folder, cluster, again)
    if (again && readMoved(folder) !== undefined && (await isInUse(connection))) return NOTHING
    const secrets = resealSecrets(tables, options)
    await beginImport(connection, id, place, again)
    try {
      const moving = await copy(connection, tables, secrets, options)
      markMoved(folder, { to: address, cluster })
      await endImport(connection, id)
      return moving
    } catch (error) {
      // a folder that is marked stays so: its data is in the database as a whole
      if (readMoved(folder)?.cluster !== cluster) await abandonImport(connection, id).catch(() => {}) // else `--again`
      throw error
    }
  } catch (error) {
    throw asOpenError(error, folder)
  } finally {
    await tables?.root.close()
    lock.release()
  }
}

const NOTHING: Moving = { logs: 0, entries: 0, objects: 0, secrets: 0 }

/** An import that ended right before its last step left a folder that is marked already. */
function requireHere(folder: string, cluster: string, again: boolean): void {
  const moved = readMoved(folder)
  if (moved === undefined || (again && moved.cluster === cluster)) return
  throw new ZerohopError('CONFIG_INVALID', { reason: `the data of the folder \`${folder}\` was moved to ${moved.to}` })
}

interface Secret {
  readonly id: string
  readonly sealed: Uint8Array
  readonly log: LogId
}

/** The secrets of the folder as the database seals them. @throws CONFIG_INVALID when one cannot be unsealed */
function resealSecrets(tables: Tables, { folder, folderKeys, secretsKey }: ImportOptions): Secret[] {
  const heads = tables.heads.all()
  const seal = sealWith(secretsKey)
  return [...tables.secrets.all()].flatMap(({ key, content }) => {
    const id = Buffer.from(key).toString()
    const [log] = heads.find(([, { number }]) => ownsSecret(tables, number, id)) ?? []
    if (log === undefined) return [] // nothing will read it
    const secret = folderKeys.map((one) => unseal(one, id, content)).find((text) => text !== undefined)
    if (secret !== undefined) return [{ id, log, sealed: seal(id, secret) }]
    const sealed = `the secrets of the folder \`${folder}\` are sealed under another key`
    const reason = `${sealed}: name its file in ZEROHOP_SECRETS_KEY_FILE`
    throw new ZerohopError('CONFIG_INVALID', { reason })
  })
}

/** True when the log has the object whose secret this is. */
function ownsSecret(tables: Tables, number: number, id: string): boolean {
  if (!/^[0-9a-f]{32}$/.test(id)) return false
  return (['api_key', 'proxy_config'] as const).some((kind) => tables.ids.get(idKey(number, kind, id)) !== undefined)
}

async function copy(
  connection: Connection,
  tables: Tables,
  secrets: readonly Secret[],
  { id, progress }: ImportOptions,
): Promise<Moving> {
  // what is left of an environment that is being forgotten stays behind
  const heads = tables.heads.all().filter(([, { leaving }]) => leaving !== 'everything')
  let moving = NOTHING
  const moved = (more: Partial<Moving>): void => {
    moving = { ...moving, ...more }
    progress(moving)
  }
  for (const [log, head] of heads) {
    await insertLog(connection, log, head)
    const before = moving
    await copyEntries(connection, tables, head, id, (entries) => moved({ entries: before.entries + entries }))
    const { number, revision, chain, next, deltasFrom = 1 } = head
    await writeSnapshot(
      connection,
      number,
      { revision, chain, next, deltasFrom },
      eachPlacedObject(tables, head),
      (objects) => moved({ objects: before.objects + objects }),
    )
    moved({ logs: before.logs + 1 })
  }
  const numbers = new Map(heads.map(([log, { number, revision }]) => [log, { number, revision }]))
  await putSecrets(
    connection,
    secrets.flatMap(({ log, ...secret }) => {
      const owner = numbers.get(log)
      return owner === undefined ? [] : [{ ...secret, ...owner }]
    }),
  )
  moved({ secrets: secrets.length })
  // numbers of logs that are gone are not used again
  const { next_log: next } = tables.totals.read()
  await connection.query("SELECT setval(pg_get_serial_sequence('zerohop.logs', 'number'), $1, false)", [next])
  return moving
}

async function insertLog(connection: Connection, log: LogId, head: Head): Promise<void> {
  const kind: LogKind = (head.counts.organization ?? 0) > 0 ? 'control' : 'environment'
  await connection.query(
    "INSERT INTO zerohop.logs (number, id, kind, lineage) VALUES ($1, $2, $3, decode($4, 'hex'))",
    [head.number, log, kind, head.lineage],
  )
}

/** Copies the entries that the folder still has, as they are stored. @throws DATA_DAMAGED when some are missing */
async function copyEntries(
  connection: Connection,
  tables: Tables,
  head: Head,
  batch: string,
  copied: (entries: number) => void,
): Promise<void> {
  const { number, revision, historyFrom = 1 } = head
  let next = historyFrom
  while (next <= revision) {
    const entries = readStored(tables, head, next, DATABASE_PAGE_MAX, DATABASE_PAGE_BYTES_MAX)
    const last = entries.at(-1)
    if (last === undefined || last.revision !== next + entries.length - 1) break
    await insertEntries(
      connection,
      batch,
      entries.map((entry) => ({ ...entry, number })),
    )
    next = last.revision + 1
    copied(next - historyFrom)
  }
  if (next - historyFrom === entryCount(head)) return
  const reason = `entries of log ${number} are missing from revision ${next} on`
  throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(tables.folder), reason })
}
