// Temporary folders of tests; setup.ts removes them when the test file ends.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []

export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** On a real disk. */
export function temporaryFolder(name = 'test'): string {
  return makeFolder(tmpdir(), name)
}

/**
 * For thousands of small writes in tests that are not about durability: in memory, so that none waits for the disk,
 * where a system has that.
 */
export function memoryFolder(name: string): string {
  return makeFolder(isLarge(MEMORY) ? MEMORY : tmpdir(), name)
}

const MEMORY = '/dev/shm'
/** Containers have 64 MiB there, which is too little. */
const MEMORY_BYTES_MIN = 2 ** 30

function isLarge(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= MEMORY_BYTES_MIN
  } catch {
    return false
  }
}

function makeFolder(parent: string, name: string): string {
  const folder = mkdtempSync(join(parent, `zerohop-${name}-`))
  made.push(folder)
  return folder
}
