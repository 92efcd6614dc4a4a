// Repairs a data folder that no process uses. The repaired data goes into a new file, which is verified as a whole and
// put in place by a rename. The damaged file stays in the folder under another name, for analysis.
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { contained } from '../model/contained.ts'
import { ZerohopError } from '../model/errors.ts'
import { threadUrl } from '../threads/thread-url.ts'
import { asOpenError, syncFile } from './disk.ts'
import { acquireLock } from './lock.ts'
import { requireRoom } from './upgrade.ts'
import { verifyLocked } from './verify-data.ts'

export interface Repaired {
  /** damages before the repair */
  readonly found: number
  /** damages after the repair; they need a backup */
  readonly left: number
  /** where the damaged file is now; undefined when nothing could be repaired and the folder is as it was */
  readonly aside: string | undefined
}

export interface RepairOptions {
  /** called with each thing that was made anew or is lost */
  readonly report?: (text: string) => void
  /** called with each damage that is left */
  readonly reportLeft?: (text: string) => void
}

/**
 * Locks the folder, repairs what can be repaired, and releases it.
 * @throws DATA_IN_USE, DATA_FOREIGN, DATA_READ_ONLY, COPY_ROOM, CONFIG_INVALID when the folder has no data
 */
export async function repairData(folder: string, options: RepairOptions = {}): Promise<Repaired> {
  if (!existsSync(join(folder, 'data.mdb')))
    throw new ZerohopError('CONFIG_INVALID', { reason: `there is no data in \`${folder}\`` })
  const lock = await acquireLock(folder).catch((error: unknown) => {
    throw asOpenError(error, folder)
  })
  try {
    return await repairLocked(folder, options)
  } finally {
    lock.release()
  }
}

async function repairLocked(folder: string, { report, reportLeft }: RepairOptions): Promise<Repaired> {
  const before = await verifyLocked(folder, {})
  if (before.damages === 0) return { found: 0, left: 0, aside: undefined }
  const [data, unfinished] = [join(folder, 'data.mdb'), join(folder, 'data.new')]
  requireRoom(folder, data)
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700 })
  try {
    const isMade = await make(folder, unfinished, report ?? (() => undefined))
    const listed: string[] = []
    const after = isMade ? await verifyLocked(unfinished, { damage: (text) => listed.push(text) }) : before
    for (const text of listed) reportLeft?.(text)
    if (after.damages >= before.damages) return { found: before.damages, left: before.damages, aside: undefined }
    const aside = placeAside(data)
    syncFile(join(unfinished, 'data.mdb'))
    keep(data, aside)
    renameSync(join(unfinished, 'data.mdb'), data)
    syncFile(folder)
    return { found: before.damages, left: after.damages, aside }
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/**
 * Gives the file a second name first, so that the folder is never without a data file: that would look like a new
 * folder.
 */
function keep(data: string, aside: string): void {
  try {
    linkSync(data, aside)
  } catch {
    copyFileSync(data, aside) // the file system has no hard links
  }
}

/** `data.mdb.damaged`, or the same with the first free number behind it. */
function placeAside(data: string): string {
  for (let at = 1; ; at++) {
    const path = at === 1 ? `${data}.damaged` : `${data}.damaged-${at}`
    if (!existsSync(path)) return path
  }
}

/** Fills the new file in a child process. False when that failed or a damaged page killed the child. */
function make(folder: string, target: string, report: (text: string) => void): Promise<boolean> {
  const script = fileURLToPath(threadUrl(import.meta.url, './repair-child.ts'))
  const child = spawn(process.execPath, [script, folder, target], { stdio: ['ignore', 'pipe', 'ignore'] })
  const read = (line: string): void => report(JSON.parse(line) as string)
  createInterface({ input: child.stdout }).on('line', contained('a line of the child process', read))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    const ended = (code: number | null, signal: string | null): void => {
      if (signal !== null) report(`reading data.mdb ended with ${signal}`)
      resolve(code === 0)
    }
    child.on('close', contained('the end of the child process', ended, reject))
  })
}
