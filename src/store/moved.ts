// A data folder whose data was moved into a database. It keeps its files, but nothing opens it for writing again:
// two places that both take writes would part for good.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ZerohopError } from '../model/errors.ts'
import { syncFile } from './disk.ts'

const MARK = 'moved.json'

/** Where the data of a folder went. */
export interface Moved {
  /** the address of the database, without user and password */
  readonly to: string
  /** id of the data in the database */
  readonly cluster: string
}

/** Where the data of this folder went; undefined when it is still here. */
export function readMoved(folder: string): Moved | undefined {
  const path = join(folder, MARK)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Moved) : undefined
}

/** @throws CONFIG_INVALID when the data of the folder was moved elsewhere */
export function requireNotMoved(folder: string): void {
  const moved = readMoved(folder)
  if (moved === undefined) return
  const where = `the data of the folder \`${folder}\` was moved to ${moved.to}`
  const reason = `${where}: set ZEROHOP_DATABASE_URL, and name another folder`
  throw new ZerohopError('CONFIG_INVALID', { reason })
}

/** Marks a folder durably: after a crash the mark is there as a whole, or not at all. */
export function markMoved(folder: string, moved: Moved): void {
  const path = join(folder, MARK)
  const file = openSync(`${path}.new`, 'w', 0o600)
  try {
    writeSync(file, `${JSON.stringify(moved)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
  if (process.platform !== 'win32') syncFile(folder)
}
