// A folder next to the cache for what is not its state yet. What a process that ended left there is removed at the next
// start.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openTables, type Tables } from './tables.ts'

const SCRATCH = 'scratch-'

/** The path of a file or folder of that name, which is free. */
export function scratchPath(folder: string, name: string): string {
  const path = join(folder, `${SCRATCH}${name}`)
  rmSync(path, { recursive: true, force: true })
  return path
}

/** Lends empty tables, and removes them afterwards. */
export async function withScratch<T>(folder: string, name: string, work: (tables: Tables) => Promise<T>): Promise<T> {
  const path = scratchPath(folder, name)
  mkdirSync(path, { mode: 0o700 })
  try {
    const tables = openTables(path, 'create', 'cache')
    try {
      return await work(tables)
    } finally {
      await tables.root.close()
    }
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

export function removeScratch(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(SCRATCH)) rmSync(join(folder, name), { recursive: true, force: true })
}
