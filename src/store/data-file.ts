// Is the data file what it claims to be? A truncated or overwritten file kills the process that maps it (SIGBUS,
// SIGSEGV), so a file that looks wrong, or whose last process died, is first read in a child process. A normal start
// costs one small read. New files are created here too.
import { execFile } from 'node:child_process'
import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ZerohopError } from '../model/errors.ts'
import { PROBE_MS } from '../model/limits.ts'
import { threadUrl } from '../threads/thread-url.ts'
import { endText, isFault, unfinished } from './child-end.ts'
import { dataFolder } from './disk.ts'
import { openTables } from './tables.ts'

// The head of an LMDB file: two meta pages, the one with the higher transaction counts.
//   24 magic u32 │ 28 version u32 │ 48 page size u32 │ 136 root of the main tree u64 │ 144 last page u64 │ 152 transaction u64
const META_BYTES = 160
const MAGIC = 0xbeefc0de
const PAGE_BYTES_MAX = 65536
/** Last page of a file without data: the second meta page. */
const LAST_PAGE_OF_NONE = 1

/**
 * Checks the data file of a folder and creates it when it is missing. A new file gets its name only when it is
 * complete, so an empty file is always damage and never an interrupted first start.
 * @param clean whether the last process closed the folder; if not, the pages of the file are walked once
 * @throws DATA_DAMAGED, CHECK_UNFINISHED
 */
export async function prepareData(folder: string, clean: boolean): Promise<void> {
  const suspicion = suspect(join(folder, 'data.mdb'))
  if (suspicion === 'no file') return createData(folder)
  if (suspicion === undefined) requireNeighbours(folder)
  if (clean && suspicion === undefined) return
  if (suspicion === 'empty')
    throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(folder), reason: 'data.mdb is empty' })
  const reason = await probe(folder, suspicion === undefined ? 'pages' : 'values')
  if (reason !== undefined)
    throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(folder), reason: suspicion ?? reason })
}

async function createData(folder: string): Promise<void> {
  const unfinished = join(folder, 'data.new')
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  await openTables(unfinished, 'create').root.close()
  renameSync(join(unfinished, 'data.mdb'), join(folder, 'data.mdb'))
  rmSync(unfinished, { recursive: true, force: true })
}

/**
 * The two meta pages belong to the last transaction and the one before it, the even one first. LMDB reads the higher
 * one: if one of the numbers was damaged, that could be the older state, in which a revocation has not happened. No one
 * may write meanwhile.
 * @throws DATA_DAMAGED
 */
export function requireNeighbours(folder: string): void {
  const file = openSync(join(folder, 'data.mdb'), 'r')
  try {
    const first = readMeta(file, 0)
    const second = first && readMeta(file, first.pageBytes)
    if (first === undefined || second === undefined) return // reported by `suspect`
    const [even, odd] = [first.transaction, second.transaction]
    if (even % 2 === 0 && odd % 2 === 1 && Math.abs(even - odd) === 1) return
    if (even === 0 && first.lastPage === LAST_PAGE_OF_NONE) return // a compacted copy
    const reason = `the two heads of data.mdb are of transactions ${even} and ${odd}, which do not follow each other`
    throw new ZerohopError('DATA_DAMAGED', { what: dataFolder(folder), reason })
  } finally {
    closeSync(file)
  }
}

/** Reads the meta pages. Returns the first defect in words, or undefined. */
export function suspect(path: string): string | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 'no file'
    throw error
  }
  try {
    const { size } = fstatSync(file)
    if (size === 0) return 'empty'
    const first = readMeta(file, 0)
    const second = first && readMeta(file, first.pageBytes)
    if (first === undefined || second === undefined) return 'data.mdb is not a database'
    const meta = second.transaction > first.transaction ? second : first
    if (size < (meta.lastPage + 1) * meta.pageBytes) return 'data.mdb is shorter than its content'
    return undefined
  } finally {
    closeSync(file)
  }
}

interface Meta {
  readonly pageBytes: number
  readonly lastPage: number
  readonly transaction: number
}

function readMeta(file: number, at: number): Meta | undefined {
  const bytes = Buffer.alloc(META_BYTES)
  if (readSync(file, bytes, 0, META_BYTES, at) < META_BYTES || bytes.readUInt32LE(24) !== MAGIC) return undefined
  const pageBytes = bytes.readUInt32LE(48)
  if (pageBytes < META_BYTES || pageBytes > PAGE_BYTES_MAX) return undefined
  return { pageBytes, lastPage: Number(bytes.readBigUInt64LE(144)), transaction: Number(bytes.readBigUInt64LE(152)) }
}

/**
 * Reads the file in a child process. Returns what is damaged; undefined when nothing is.
 * @throws CHECK_UNFINISHED when the child was ended by something else than what it read
 */
function probe(folder: string, depth: 'pages' | 'values'): Promise<string | undefined> {
  const script = fileURLToPath(threadUrl(import.meta.url, './environment-check.ts'))
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, folder, depth], { timeout: PROBE_MS }, (error, stdout, stderr) => {
      if (error === null) return resolve(undefined)
      const [output, end] = [stdout.trim(), { code: error.code, signal: error.signal }]
      if (output !== '') resolve(output)
      else if (isFault(end)) resolve(endText(end))
      else if (error.killed) reject(unfinished(dataFolder(folder), `it took more than ${PROBE_MS / 1000} s`))
      else reject(unfinished(dataFolder(folder), stderr.trim().split('\n').at(-1) || endText(end)))
    })
  })
}
