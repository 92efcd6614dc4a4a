// `zerohop database`: the tables of replicas, what they hold, and moves of a data folder into them and back.
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { forkLogs, openManagementData } from '../../management/host/open.ts'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { DATABASE_COMMAND_MS } from '../../model/limits.ts'
import type { Connection } from '../../store/postgres/connection.ts'
import { Database } from '../../store/postgres/database.ts'
import { exportFolder } from '../../store/postgres/export-folder.ts'
import { importFolder, type Moving } from '../../store/postgres/import-folder.ts'
import { DATABASE_FORMAT, migrate, requireFormat } from '../../store/postgres/migrations.ts'
import { type DatabaseReport, reportDatabase } from '../../store/postgres/status.ts'
import { readSecretsKey } from '../../store/secrets.ts'
import { makeTemporaryFolder } from '../../store/temporary-folder.ts'
import type { Env } from '../configuration/env.ts'
import { newId } from '../process/process.ts'
import { databaseKey, requireDatabase, shownAddress, toReplica } from '../process/replica-settings.ts'

export interface MoveOptions {
  readonly again: boolean
  readonly json: boolean
}

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 1_000

const number = (value: number): string => value.toLocaleString('en')
const print = (line: string): void => void process.stdout.write(`${line}\n`)
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2))

/** Creates or upgrades the tables, and prints what was done. */
export async function migrateDatabase(env: Env, json: boolean): Promise<void> {
  const reached = await withDatabase(env, async (connection) => {
    const formats = await migrate(connection)
    await requireFormat(connection)
    return formats
  })
  if (json) printJson({ format: DATABASE_FORMAT, reached })
  else if (reached.length === 0) print(`nothing to do: the tables have format ${DATABASE_FORMAT}`)
  else for (const format of reached) print(`the tables have format ${format} now`)
}

/** Prints what the database holds. */
export async function showStatus(env: Env, json: boolean): Promise<void> {
  const report = await withDatabase(env, reportDatabase)
  if (json) printJson(report)
  else for (const line of listLines(report)) print(line)
}

function listLines({
  format,
  cluster,
  postgres,
  logs,
  entries,
  snapshots,
  listed,
  replicas,
}: DatabaseReport): string[] {
  const more = logs - listed.length
  return [
    `format      ${format}`,
    `cluster     ${cluster}`,
    `PostgreSQL  ${postgres}`,
    `logs        ${number(logs)}`,
    `entries     ${number(entries)}`,
    `snapshots   ${number(snapshots)}`,
    ...listed.map(({ id, kind, revision, snapshot }) => {
      const newest = snapshot === null ? '' : `, snapshot at ${snapshot}`
      return `${kind === 'control' ? 'organization' : 'environment '}  ${id}  revision ${revision}${newest}`
    }),
    ...(more > 0 ? [`… and ${counted(more, 'more log', 'more logs')}`] : []),
    ...replicas.map(({ id, version, age }) => `replica       ${id}  version ${version}, seen ${age.toFixed(1)} s ago`),
  ]
}

/** Moves the data folder into the database, and prints what was moved. */
export async function importData(env: Env, { again, json }: MoveOptions): Promise<void> {
  const { url } = requireDatabase(env)
  const secretsKey = databaseKey(env)
  const own = existsSync(join(env.data, 'secrets.key')) ? [readSecretsKey(env.data, undefined).bytes] : []
  const named = env.secretsKeyFile === undefined ? [] : [readSecretsKey(env.data, env.secretsKeyFile).bytes]
  const address = shownAddress(url)
  const moved = await withDatabase(env, async (connection) => {
    if (env.database?.migrate) await migrate(connection)
    return importFolder(connection, {
      folder: env.data,
      folderKeys: [...own, ...named, secretsKey],
      secretsKey,
      again,
      id: randomUUID(),
      place: formatPlace(env.data),
      address,
      progress: progressLines(),
      upgrading: upgradeLines(),
    })
  })
  if (json) printJson({ ...moved, to: address })
  else if (moved.logs === 0) print(`nothing was left to do: the data is in ${address}`)
  else print(`moved ${summary(moved)} to ${address}; the folder is marked and no longer used`)
}

/** Moves the data of the database into the folder, and prints what was moved. */
export async function exportData(env: Env, { again, json }: MoveOptions): Promise<void> {
  const secretsKey = databaseKey(env)
  const moved = await withDatabase(env, (connection) =>
    exportFolder(connection, {
      folder: env.data,
      secretsKey,
      folderKey: () => readSecretsKey(env.data, env.secretsKeyFile).bytes,
      again,
      id: randomUUID(),
      place: formatPlace(env.data),
      progress: progressLines(),
    }),
  )
  if (json) printJson({ ...moved, to: env.data })
  else print(`moved ${summary(moved)} to \`${env.data}\`; the database is marked and refuses servers`)
}

/**
 * Writes an entry into each log that no PDP can have seen, so that PDPs which have more than a database that was
 * restored take a fresh image. Folds the database into a temporary folder, as a replica does.
 */
export async function forkDatabase(env: Env, json: boolean): Promise<void> {
  const replica = toReplica(env)
  const { url } = requireDatabase(env)
  if ((await withDatabase(env, reportDatabase)).logs === 0)
    throw new ZerohopError('CONFIG_INVALID', { reason: `there is no data in ${shownAddress(url)}` })
  const folder = await makeTemporaryFolder()
  try {
    const { store } = await openManagementData({ data: join(folder.path, 'data'), newId, replica })
    try {
      const logs = await forkLogs(store)
      if (json) printJson({ logs })
      else print(`${counted(logs, 'log')} got a new entry: PDPs that have lost changes will load a fresh image`)
    } finally {
      await store.close()
    }
  } finally {
    await folder.remove()
  }
}

async function withDatabase<T>(env: Env, work: (connection: Connection) => Promise<T>): Promise<T> {
  const database = new Database({ ...requireDatabase(env), statementMs: DATABASE_COMMAND_MS })
  const connection = await database.open('command')
  try {
    return await work(connection)
  } finally {
    connection.destroy()
  }
}

/** A folder, as people of other machines need it. */
const formatPlace = (folder: string): string => `\`${resolve(folder)}\` on ${hostname()}`

const summary = ({ logs, entries, objects, secrets }: Moving): string =>
  `${counted(logs, 'log')}, ${counted(entries, 'entry', 'entries')}, ${counted(objects, 'object')} and ${counted(secrets, 'secret')}`

/** Prints at most one line a second. */
function progressLines(): (done: Moving) => void {
  let last = performance.now()
  return ({ entries, objects }) => {
    if (performance.now() - last < PROGRESS_MS) return
    last = performance.now()
    process.stderr.write(`${counted(entries, 'entry', 'entries')} and ${counted(objects, 'object')} moved\n`)
  }
}

function upgradeLines(): (done: number, total: number) => void {
  let last = performance.now()
  return (done, total) => {
    if (performance.now() - last < PROGRESS_MS) return
    last = performance.now()
    process.stderr.write(`the data folder is upgraded: ${number(done)} of ${counted(total, 'record')}\n`)
  }
}
