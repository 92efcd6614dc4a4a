// Verifies a data folder that no process uses, in a child process: what kills that is damage too.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { PROBE_MS } from '../model/limits.ts'
import { threadUrl } from '../model/thread.ts'
import { requireNeighbours, suspect } from './data-file.ts'
import { asOpenError } from './disk.ts'
import { acquireLock } from './lock.ts'
import { FORMAT } from './tables.ts'
import { formatOf, OLD_FORMAT, type OnProgress, upgradeData } from './upgrade.ts'

export type FromVerifyChild =
  | { readonly checked: number; readonly done?: true }
  | { readonly damage: { readonly log: string | null; readonly text: string } }
  /** it is no data of this version: nothing was compared */
  | { readonly refused: string }

export interface Verified {
  /** records and entries that were compared */
  readonly checked: number
  readonly damages: number
}

export interface VerifyOptions {
  readonly damage?: (text: string) => void
  readonly progress?: (checked: number) => void
  /** upgrades a folder of an older format first; without it such a folder is refused */
  readonly upgrading?: OnProgress
}

/**
 * Takes the folder, compares everything, gives it back. Changes nothing but the format, when that is asked for.
 * @throws DATA_IN_USE, DATA_FOREIGN, DATA_READ_ONLY, CONFIG_INVALID when there is no data
 */
export async function verifyData(folder: string, options: VerifyOptions = {}): Promise<Verified> {
  if (!existsSync(join(folder, 'data.mdb')))
    throw new ZerohopError('CONFIG_INVALID', { reason: `there is no data in \`${folder}\`` })
  const lock = await acquireLock(folder).catch((error: unknown) => {
    throw asOpenError(error, folder)
  })
  try {
    return await verifyHeld(folder, options)
  } finally {
    lock.release()
  }
}

async function verifyHeld(folder: string, options: VerifyOptions): Promise<Verified> {
  const damaged = damageOfFile(folder)
  if (damaged !== undefined) {
    options.damage?.(damaged)
    return { checked: 0, damages: 1 }
  }
  const child = await runChild(folder, options)
  if (child.refused === undefined) return child
  if (options.upgrading === undefined || (await formatOf(folder)) !== OLD_FORMAT)
    throw new ZerohopError('DATA_FOREIGN', { path: folder, got: String(await formatOf(folder)), want: FORMAT })
  await upgradeData(folder, options.upgrading)
  return runChild(folder, options)
}

/** What the head of the file says, before anybody maps it. */
function damageOfFile(folder: string): string | undefined {
  const reason = suspect(join(folder, 'data.mdb'))
  if (reason !== undefined) return reason
  try {
    requireNeighbours(folder)
    return undefined
  } catch (error) {
    if (isZerohopError(error, 'DATA_DAMAGED')) return error.message
    throw error
  }
}

function runChild(folder: string, options: VerifyOptions): Promise<Verified & { readonly refused?: string }> {
  const script = fileURLToPath(threadUrl(import.meta.url, './verify-child.ts'))
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'ignore'] })
  const found = { checked: 0, damages: 0 }
  let refused: string | undefined
  let isDone = false
  const damage = (text: string): void => {
    found.damages++
    options.damage?.(text)
  }
  const silence = setTimeout(() => child.kill('SIGKILL'), PROBE_MS)
  createInterface({ input: child.stdout }).on('line', (line) => {
    silence.refresh()
    const message = JSON.parse(line) as FromVerifyChild
    if ('damage' in message) damage(message.damage.text)
    else if ('refused' in message) refused = message.refused
    else {
      found.checked = message.checked
      isDone = message.done ?? false
      options.progress?.(message.checked)
    }
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(silence)
      if (refused !== undefined) return resolve({ ...found, refused })
      if (!isDone && found.damages === 0) damage(`reading data.mdb ended with ${signal ?? `exit code ${code}`}`)
      resolve(found)
    })
  })
}
