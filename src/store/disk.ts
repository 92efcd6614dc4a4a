// Maps errors of the operating system and of LMDB to domain errors. Their texts leave this file only as a short reason.
import { closeSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { ZerohopError } from '../model/errors.ts'

const ENOSPC = 28
const EFBIG = 27
const EDQUOT = process.platform === 'darwin' ? 69 : 122
const EIO = 5
const EROFS = 30
const EACCES = 13
const EPERM = 1
const FULL = new Set<unknown>([ENOSPC, EFBIG, EDQUOT, 'ENOSPC', 'EFBIG', 'EDQUOT'])
const READ_ONLY = new Set<unknown>([EROFS, EACCES, EPERM, 'EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'ENOENT'])

/** LMDB's own numbers */
const MDB_PANIC = -30795
const MDB_MAP_FULL = -30792
const MDB_BAD_TXN = -30782
const FAILED = new Set<unknown>([EIO, EROFS, EACCES, EPERM, 'EIO', 'EROFS', 'EACCES', 'EPERM', MDB_PANIC, MDB_BAD_TXN])
const MDB_CORRUPTED = -30796
const MDB_PAGE_NOTFOUND = -30797
const MDB_VERSION_MISMATCH = -30794
const MDB_INVALID = -30793
const MDB_CURSOR_FULL = -30787
const MDB_PAGE_FULL = -30786
const MDB_INCOMPATIBLE = -30784
const MDB_BAD_VALSIZE = -30781
const DAMAGED = new Set<unknown>([MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_VERSION_MISMATCH, MDB_INVALID])
/** Further errors with which reading a damaged page can end. */
const UNREADABLE = new Set<unknown>([
  ...DAMAGED,
  MDB_CURSOR_FULL,
  MDB_PAGE_FULL,
  MDB_INCOMPATIBLE,
  MDB_BAD_VALSIZE,
  MDB_BAD_TXN,
  MDB_PANIC,
])

const ENOMEM = 12
const EAGAIN = process.platform === 'darwin' ? 35 : 11
const ENFILE = 23
const EMFILE = 24
const MDB_READERS_FULL = -30790
const MDB_TLS_FULL = -30789
const MDB_MAP_RESIZED = -30785
/** Errors that say what the process or the machine lacks, and nothing of the data. */
const SHORTAGE = new Set<unknown>([
  ...[ENOMEM, EAGAIN, ENFILE, EMFILE, 'ENOMEM', 'EAGAIN', 'ENFILE', 'EMFILE'],
  ...[EACCES, EPERM, 'EACCES', 'EPERM', 'LMDB_MISSING', MDB_READERS_FULL, MDB_TLS_FULL, MDB_MAP_RESIZED],
])

/**
 * The disk counts as full when this many bytes do not fit behind the data file: LMDB reports a truncated write as EIO.
 */
export const ROOM_BYTES = 64 * 1024

/** DISK_FULL or DISK_FAILED when `error` came from the disk under `folder`, else undefined. */
export function asDiskError(error: unknown, folder: string): ZerohopError | undefined {
  const code = errorCode(error)
  if (FULL.has(code) || code === MDB_MAP_FULL) return new ZerohopError('DISK_FULL', {}, { cause: error })
  if (!FAILED.has(code)) return undefined
  if (!hasRoom(folder)) return new ZerohopError('DISK_FULL', {}, { cause: error })
  return new ZerohopError('DISK_FAILED', { reason: formatReason(error) }, { cause: error })
}

/** Maps an error from opening a data folder to a domain error; any other error is returned as it is. */
export function asOpenError(error: unknown, folder: string): unknown {
  const code = errorCode(error)
  if (FULL.has(code)) return new ZerohopError('DISK_FULL', {}, { cause: error })
  if (READ_ONLY.has(code))
    return new ZerohopError('DATA_READ_ONLY', { path: folder, reason: formatReason(error) }, { cause: error })
  if (DAMAGED.has(code))
    return new ZerohopError('DATA_DAMAGED', { what: dataFolder(folder), reason: formatReason(error) }, { cause: error })
  return asDiskError(error, folder) ?? error
}

/** The data folder as DATA_DAMAGED names it. */
export const dataFolder = (path: string): string => `data folder \`${path}\``

/** Why a read failed because the file is damaged; undefined when the error is something else. */
export function damageReason(error: unknown): string | undefined {
  const isDamage =
    UNREADABLE.has(errorCode(error)) ||
    // a damaged length is too long for a buffer or for a key
    error instanceof RangeError ||
    (error instanceof Error && error.message.startsWith('Invalid key size'))
  return isDamage ? formatReason(error) : undefined
}

/** Whether an error of reading says nothing of the data: memory, descriptors, permissions, readers. */
export function isShortage(error: unknown): boolean {
  return SHORTAGE.has(errorCode(error))
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function formatReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/, \w+ '.*'$/, '') // node names the call and the path after the reason
}

/** Bytes that are free on the disk of a folder, for this account. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * Tries a write at the offset where the data file would grow, in a file of its own: detects a full disk, a quota and a
 * file size limit.
 */
export function hasRoom(folder: string): boolean {
  const path = join(folder, 'room')
  try {
    const file = openSync(path, 'w', 0o600)
    try {
      return (
        writeSync(file, Buffer.alloc(ROOM_BYTES, 1), 0, ROOM_BYTES, statSync(join(folder, 'data.mdb')).size) ===
        ROOM_BYTES
      )
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return !FULL.has(errorCode(error))
  } finally {
    rmSync(path, { force: true })
  }
}

/** Makes a file durable, or the names in a folder. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
