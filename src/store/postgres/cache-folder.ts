// The data folder of a replica is a cache: it may be empty, and it may be thrown away. A marker tells it from a folder
// that is the truth; neither is ever opened as the other.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ZerohopError } from '../../model/errors.ts'
import { removeScratch } from './scratch.ts'

const MARKER = 'replica-cache.json'

/** The boot of this machine; undefined where that cannot be told. */
function bootOf(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return undefined
  }
}

/**
 * Prepares the folder of a replica. The tables are not synced to the disk, so what a machine left behind when it went
 * down is thrown away; what a killed process left is good.
 * @param clean whether the last process closed the folder
 * @throws CONFIG_INVALID when the folder holds data of its own
 */
export function prepareCache(folder: string, clean: boolean): void {
  const marker = join(folder, MARKER)
  const boot = bootOf()
  if (!existsSync(marker) && existsSync(join(folder, 'data.mdb'))) {
    const reason = `the folder \`${folder}\` holds data of its own: a replica needs an empty one, the data is in the database`
    throw new ZerohopError('CONFIG_INVALID', { reason })
  }
  removeScratch(folder)
  const known = readMarker(folder)
  if (!clean && (boot === undefined || known.boot !== boot)) discardCache(folder)
  writeMarker(folder, { ...readMarker(folder), boot })
}

/** Binds the cache to the data of a database. @returns false when it is the cache of another one */
export function claimCache(folder: string, cluster: string): boolean {
  const known = readMarker(folder)
  if (known.cluster !== undefined) return known.cluster === cluster
  writeMarker(folder, { ...known, cluster })
  return true
}

/** Throws the state away; it is folded anew. */
export function discardCache(folder: string): void {
  for (const name of ['data.mdb', 'lock.mdb', MARKER]) rmSync(join(folder, name), { force: true })
}

interface Marker {
  readonly boot?: string | undefined
  /** id of the data in the database */
  readonly cluster?: string
}

function readMarker(folder: string): Marker {
  const path = join(folder, MARKER)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Marker) : {}
}

function writeMarker(folder: string, marker: Marker): void {
  writeFileSync(
    join(folder, MARKER),
    `${JSON.stringify(marker)}
`,
    { mode: 0o600 },
  )
}

/** @throws CONFIG_INVALID when the folder is the cache of a replica: without its database it is not the truth */
export function requireNoCache(folder: string): void {
  if (!existsSync(join(folder, MARKER))) return
  const reason = `the folder \`${folder}\` is the cache of a replica: set ZEROHOP_DATABASE_URL, or name another folder`
  throw new ZerohopError('CONFIG_INVALID', { reason })
}
