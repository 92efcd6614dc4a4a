// The data folder of a replica is a cache: it may be empty, and it may be thrown away. A marker tells it from a folder
// that is the truth; neither is ever opened as the other.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ErrorDetails, ZerohopError } from '../model/errors.ts'
import { removeScratch } from './scratch.ts'
import type { ServerIdentity } from './settings.ts'

const MARKER = 'replica-cache.json'

/** The id of the boot of this machine; undefined where the system does not give one. */
function readBootId(): string | undefined {
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
  const boot = readBootId()
  if (!existsSync(marker) && existsSync(join(folder, 'data.mdb'))) {
    const own = `the folder \`${folder}\` holds data of its own`
    const reason = `${own}: a replica needs an empty one, the data is in the database`
    throw new ZerohopError('CONFIG_INVALID', { reason })
  }
  removeScratch(folder)
  const known = readMarker(folder)
  if (!clean && (boot === undefined || known.boot !== boot)) discardState(folder)
  writeMarker(folder, { ...readMarker(folder), boot })
}

/** Binds the cache to the data of a database. @returns false when it is the cache of another one */
export function claimCache(folder: string, cluster: string): boolean {
  const known = readMarker(folder)
  if (known.cluster !== undefined) return known.cluster === cluster
  writeMarker(folder, { ...known, cluster })
  return true
}

/** Throws everything away. */
export function discardCache(folder: string): void {
  for (const name of ['data.mdb', 'lock.mdb', MARKER]) rmSync(join(folder, name), { force: true })
}

/** Throws the state away; it is folded anew. What is known of the database stays. */
function discardState(folder: string): void {
  const { server, lost } = readMarker(folder)
  discardCache(folder)
  writeMarker(folder, { server, lost })
}

/**
 * Throws away a state that the database lost, and keeps in mind that it did until `forgetLoss`.
 * @param lost details of HISTORY_LOST
 */
export function discardLost(folder: string, lost: ErrorDetails): void {
  discardState(folder)
  writeMarker(folder, { ...readMarker(folder), lost })
}

/** The loss that `discardLost` recorded, as HISTORY_LOST; undefined without one. */
export function findLoss(folder: string): ZerohopError | undefined {
  const { lost } = readMarker(folder)
  return lost && new ZerohopError('HISTORY_LOST', lost)
}

export function forgetLoss(folder: string): void {
  writeMarker(folder, { ...readMarker(folder), lost: undefined })
}

/** The last server that this replica used. */
export function knownServer(folder: string): ServerIdentity | undefined {
  return readMarker(folder).server
}

export function noteServer(folder: string, server: ServerIdentity): void {
  writeMarker(folder, { ...readMarker(folder), server })
}

interface Marker {
  readonly boot?: string | undefined
  /** id of the data in the database */
  readonly cluster?: string
  readonly server?: ServerIdentity | undefined
  /** details of HISTORY_LOST: PDPs may have seen what was lost, and nothing on record tells them yet */
  readonly lost?: ErrorDetails | undefined
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
