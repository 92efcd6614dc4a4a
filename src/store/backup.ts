// Backups: a folder with a copy of the data file and `backup.json`, which says what is in it and is written last, so
// that an incomplete backup is recognised. Keys that seal secrets are never part of it.
// docs/adr/0012-backup-and-restore.md.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { LogId } from '../log/change.ts'
import { ZerohopError } from '../model/errors.ts'
import { FOR_ITS_OWNER, makeFolder } from '../model/folder.ts'
import { asOpenError, syncFile } from './disk.ts'
import { acquireLock } from './lock.ts'
import { forkAtHead } from './log.ts'
import { openReader, type Reader } from './reader.ts'
import { FORMATS_TEXT, isOpened, openTables } from './tables.ts'
import { isOldFormat, readFolderFormat, upgradeData } from './upgrade.ts'

/** What `backup.json` says. */
export interface BackupManifest {
  readonly format: number
  /** ms since 1970 */
  readonly at: number
  /** of data.mdb, in hex */
  readonly sha256: string
  readonly logs: readonly BackupLog[]
}

export interface BackupLog {
  readonly log: LogId
  readonly name: string
  readonly revision: number
  readonly chain: string
  /** of an environment: hash of its canonical image */
  readonly image_sha256?: string
}

const MANIFEST = 'backup.json'
/** In the data folder: when it was last backed up. */
const LAST = 'last-backup.json'
const DATA = 'data.mdb'

/** Makes the folder of a backup. @throws FOLDER_NOT_EMPTY */
export function makeBackupFolder(folder: string): void {
  try {
    makeFolder(folder, FOR_ITS_OWNER)
    requireEmpty(folder)
  } catch (error) {
    throw asOpenError(error, folder)
  }
}

/** Completes a backup whose data file was copied: `describe` says what the logs are. */
export async function finishBackup(
  folder: string,
  at: number,
  describe: (reader: Reader) => readonly BackupLog[],
): Promise<BackupManifest> {
  const data = join(folder, DATA)
  chmodSync(data, 0o600)
  syncFile(data)
  const format = (await readFolderFormat(folder)) as number // the reader refuses another one
  const reader = openReader(folder)
  let logs: readonly BackupLog[]
  try {
    logs = describe(reader)
  } finally {
    await reader.close()
    rmSync(join(folder, 'lock.mdb'), { force: true })
  }
  const manifest: BackupManifest = { format, at, sha256: await hashFile(data), logs }
  const path = join(folder, MANIFEST)
  writeFileSync(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
  syncFile(folder)
  return manifest
}

/** Notes in the data folder that a backup of it is complete. */
export function noteBackup(data: string, at: number): void {
  const path = join(data, LAST)
  writeFileSync(`${path}.new`, `${JSON.stringify({ at })}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** When a backup of the data folder was last completed, in ms since 1970; 0 when it never was. */
export function lastBackup(data: string): number {
  try {
    const { at } = JSON.parse(readFileSync(join(data, LAST), 'utf8')) as { readonly at?: unknown }
    return typeof at === 'number' ? at : 0
  } catch {
    return 0 // it does not exist, or cannot be read
  }
}

/**
 * Makes a data folder from a backup, also from one of an older format. Every log keeps its revision and begins a new
 * history there, so that followers of the old one take a fresh image.
 * @param newLineage 64 random hex digits
 * @throws FOLDER_NOT_EMPTY, BACKUP_DAMAGED, DATA_DAMAGED, DATA_FOREIGN, DATA_READ_ONLY, DISK_FULL, COPY_ROOM
 */
export async function restoreBackup(backup: string, folder: string, newLineage: () => string): Promise<BackupManifest> {
  const manifest = await readManifest(backup)
  try {
    makeFolder(folder, FOR_ITS_OWNER)
    requireEmpty(folder)
    const lock = await acquireLock(folder)
    try {
      await restoreInto(backup, folder, manifest, newLineage)
    } finally {
      lock.release()
    }
  } catch (error) {
    throw asOpenError(error, folder)
  }
  return manifest
}

/** The data file appears under its name only when it is complete. */
async function restoreInto(backup: string, folder: string, manifest: BackupManifest, newLineage: () => string) {
  const unfinished = join(folder, 'data.new')
  mkdirSync(unfinished, { mode: 0o700 })
  const data = join(unfinished, DATA)
  copyFileSync(join(backup, DATA), data, constants.COPYFILE_FICLONE)
  chmodSync(data, 0o600)
  if ((await hashFile(data)) !== manifest.sha256) {
    rmSync(unfinished, { recursive: true, force: true })
    throw damaged(backup, 'its data file is not the one that was backed up')
  }
  await upgradeData(unfinished)
  const tables = openTables(unfinished, 'write')
  try {
    tables.root.transactionSync(() => {
      for (const [log, head] of tables.heads.all()) tables.heads.put(log, forkAtHead(tables, head, newLineage()))
    })
  } finally {
    await tables.root.close()
  }
  syncFile(data)
  renameSync(data, join(folder, DATA))
  rmSync(unfinished, { recursive: true, force: true })
  syncFile(folder)
}

async function readManifest(backup: string): Promise<BackupManifest> {
  let manifest: BackupManifest
  try {
    manifest = JSON.parse(readFileSync(join(backup, MANIFEST), 'utf8')) as BackupManifest
  } catch {
    throw damaged(backup, `it has no readable ${MANIFEST}`)
  }
  if (!isOpened(manifest.format) && !isOldFormat(manifest.format))
    throw new ZerohopError('DATA_FOREIGN', { path: backup, got: String(manifest.format), want: FORMATS_TEXT })
  if ((await hashFile(join(backup, DATA)).catch(() => undefined)) !== manifest.sha256)
    throw damaged(backup, 'its data file is missing or not the one that was backed up')
  return manifest
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash)
  return hash.digest('hex')
}

function requireEmpty(folder: string): void {
  if (readdirSync(folder).length > 0) throw new ZerohopError('FOLDER_NOT_EMPTY', { path: folder })
}

function damaged(path: string, reason: string): ZerohopError {
  return new ZerohopError('BACKUP_DAMAGED', { path, reason })
}
