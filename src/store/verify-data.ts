// Verifies a data folder that no process uses.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { requireNeighbours, suspect } from './data-file.ts'
import { asOpenError } from './disk.ts'
import { acquireLock } from './lock.ts'
import { FORMATS_TEXT } from './tables.ts'
import { isOldFormat, type OnProgress, readFolderFormat, upgradeData } from './upgrade.ts'
import { startVerification, type Verified } from './verify-process.ts'

export interface VerifyOptions {
  readonly damage?: (text: string) => void
  readonly progress?: (checked: number) => void
  /** upgrades a folder of an older format first; without it such a folder is refused */
  readonly upgrading?: OnProgress
}

/**
 * Locks the folder, verifies everything, and releases it. Changes nothing, except the format when `upgrading` is given.
 * @throws DATA_IN_USE, DATA_FOREIGN, DATA_READ_ONLY, CONFIG_INVALID when the folder has no data
 */
export async function verifyData(folder: string, options: VerifyOptions = {}): Promise<Verified> {
  if (!existsSync(join(folder, 'data.mdb')))
    throw new ZerohopError('CONFIG_INVALID', { reason: `there is no data in \`${folder}\`` })
  const lock = await acquireLock(folder).catch((error: unknown) => {
    throw asOpenError(error, folder)
  })
  try {
    return await verifyLocked(folder, options)
  } finally {
    lock.release()
  }
}

/** The same for a folder that this process holds. */
export async function verifyLocked(folder: string, options: VerifyOptions): Promise<Verified> {
  const damaged = damageOfFile(folder)
  if (damaged !== undefined) {
    options.damage?.(damaged)
    return { checked: 0, damages: 1 }
  }
  const verified = await run(folder, options)
  if (verified.refused === undefined) return verified
  const format = await readFolderFormat(folder)
  if (options.upgrading === undefined || !isOldFormat(format))
    throw new ZerohopError('DATA_FOREIGN', { path: folder, got: String(format), want: FORMATS_TEXT })
  await upgradeData(folder, options.upgrading)
  return run(folder, options)
}

async function run(folder: string, options: VerifyOptions): Promise<Verified & { readonly refused?: string }> {
  const { ended } = startVerification(folder, {
    damage: ({ error }) => options.damage?.(error.message),
    progress: (checked) => options.progress?.(checked),
  })
  const verified = await ended
  if (verified === undefined) throw new ZerohopError('INTERNAL') // it is never stopped here
  return verified
}

/** What the meta pages of the file show before anything maps it. */
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
