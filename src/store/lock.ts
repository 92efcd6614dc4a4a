// One process at a time for a data folder. The holder identifies itself in `zerohop.lock` and touches the file while it
// runs; a lock whose holder is gone (also by kill -9 or power loss) is taken over. Containers that share a volume
// cannot see each other's processes, so there the time of the last touch decides. docs/operations.md.
import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contained } from '../model/contained.ts'
import { ZerohopError } from '../model/errors.ts'
import { LOCK_HEARTBEAT_MS, LOCK_SILENCE_MS } from '../model/limits.ts'

const ATTEMPTS = 5

interface Holder {
  readonly pid: number
  /** start time of the process, to detect that its pid was reused; null where it is unknown */
  readonly started: string | null
  /** where the pid is valid: boot and pid namespace, or the host */
  readonly place: string
  readonly token: string
}

export interface Lock {
  /** false when the last holder did not release its lock: it may have died in the middle of a write */
  readonly clean: boolean
  release(): void
}

/**
 * Takes the folder for this process.
 * @throws DATA_IN_USE with the holder's pid; what the file system throws when the lock cannot be written
 */
export async function acquireLock(folder: string): Promise<Lock> {
  const path = join(folder, 'zerohop.lock')
  const me: Holder = { ...whoAmI(), token: randomBytes(8).toString('hex') }
  let clean = true
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (create(path, JSON.stringify(me))) return hold(path, me, clean)
    const text = read(path)
    if (text === undefined) continue
    const holder = parse(text)
    if (await isAlive(holder, me, path)) throw inUse(folder, holder ?? parse(read(path) ?? ''))
    clean = false
    if (!takeAway(path, text, me.token)) throw inUse(folder, parse(read(path) ?? ''))
  }
  throw inUse(folder, parse(read(path) ?? ''))
}

function hold(path: string, me: Holder, clean: boolean): Lock {
  const heartbeat = setInterval(
    contained('the heartbeat of the lock', () => touch(path)),
    LOCK_HEARTBEAT_MS,
  ).unref()
  return {
    clean,
    release() {
      clearInterval(heartbeat)
      if (parse(read(path) ?? '')?.token === me.token) rmSync(path, { force: true })
    },
  }
}

/** Moves a dead holder's lock aside. False when another process replaced the lock first. */
function takeAway(path: string, text: string, token: string): boolean {
  const aside = `${path}.${token}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return true
    throw error
  }
  if (read(aside) !== text) {
    renameSync(aside, path)
    return false
  }
  rmSync(aside, { force: true })
  return true
}

async function isAlive(holder: Holder | undefined, me: Holder, path: string): Promise<boolean> {
  if (holder?.place === me.place && holder.started !== null) return findProcessStart(holder.pid) === holder.started
  if (holder?.place === me.place && !exists(holder.pid)) return false
  return showsLife(path)
}

/**
 * Watches a holder whose process cannot be looked up. An old lock is stale at once; a recent one must be touched while
 * we wait.
 */
async function showsLife(path: string): Promise<boolean> {
  const first = touchedAt(path)
  if (Date.now() - first > 2 * LOCK_SILENCE_MS) return false
  const until = Date.now() + LOCK_SILENCE_MS
  while (Date.now() < until) {
    await sleep(LOCK_HEARTBEAT_MS / 4)
    if (touchedAt(path) !== first) return true
  }
  return false
}

function whoAmI(): Omit<Holder, 'token'> {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim()
  const started = findProcessStart(process.pid)
  if (boot === undefined || started === undefined)
    return { pid: process.pid, started: null, place: `host ${hostname()}` }
  return { pid: process.pid, started, place: `boot ${boot} ${readlinkSync('/proc/self/ns/pid')}` }
}

/** Field 22 of /proc/<pid>/stat, in clock ticks since boot. The name in field 2 may hold spaces and brackets. */
function findProcessStart(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const isDead = fields?.[0] === 'Z' || fields?.[0] === 'X'
  return isDead ? undefined : fields?.[19]
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

function parse(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text) as Holder
    return Number.isSafeInteger(holder.pid) && typeof holder.place === 'string' ? holder : undefined
  } catch {
    return undefined // being written right now, or of another format: only its time can tell
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ESRCH')) return undefined
    throw error
  }
}

function touch(path: string): void {
  const now = new Date()
  try {
    utimesSync(path, now, now)
  } catch {
    // A full or missing disk shows at the next write; the lock itself is not lost.
  }
}

function touchedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function inUse(folder: string, holder: Holder | undefined): ZerohopError {
  return new ZerohopError('DATA_IN_USE', { path: folder, holder: holder === undefined ? '' : ` (pid ${holder.pid})` })
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
