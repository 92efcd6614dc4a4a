// Folders below the temporary folder of the system for files with facts in them, for their owner alone. Whoever makes
// one removes it. What is left when the process exits is removed then, and what a killed process left by the next one
// that makes such a folder or opens a data folder: a lock in each says whether its process still runs.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contained } from '../model/contained.ts'
import { acquireLock } from './lock.ts'

const PREFIX = 'zerohop-export-'

export interface TemporaryFolder {
  readonly path: string
  /** Never rejects: what cannot be removed now is removed later. */
  remove(): Promise<void>
}

/** Folders of this process that are not removed yet. */
const open = new Set<string>()
let isHeard = false

/** @throws what the file system throws when it cannot be made */
export async function makeTemporaryFolder(): Promise<TemporaryFolder> {
  if (!isHeard) process.once('exit', contained('the removal of temporary folders', removeOpen))
  isHeard = true
  const path = mkdtempSync(join(tmpdir(), PREFIX))
  open.add(path)
  try {
    const lock = await acquireLock(path)
    return {
      path,
      async remove() {
        lock.release()
        await remove(path)
      },
    }
  } catch (error) {
    await remove(path)
    throw error
  }
}

/** Removes the folders of processes that ended without doing so. Never rejects. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const path of listFolders()) {
    if (open.has(path)) continue
    try {
      const lock = await acquireLock(path)
      lock.release()
      await remove(path)
    } catch {
      // its process still runs, or another one removes it
    }
  }
}

/** Those with a lock: one without is being made at this moment, or empty. */
function listFolders(): string[] {
  try {
    return readdirSync(tmpdir(), { withFileTypes: true })
      .filter((each) => each.isDirectory() && each.name.startsWith(PREFIX)) // never through a symbolic link
      .map(({ name }) => join(tmpdir(), name))
      .filter((path) => isOurs(path) && existsSync(join(path, 'zerohop.lock')))
  } catch {
    return []
  }
}

/** Of this user, where users have numbers. */
const isOurs = (path: string): boolean =>
  process.getuid === undefined || statSync(path, { throwIfNoEntry: false })?.uid === process.getuid()

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined)
  open.delete(path)
}

function removeOpen(): void {
  for (const path of open) rmSync(path, { recursive: true, force: true })
}
