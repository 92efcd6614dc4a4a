// Making a folder with those above it that are missing. Node's own recursive mkdir tries for ever where a parent exists
// and the system still says ENOENT, as below /proc, and reports that one reason for every failure.
import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The mode of a folder that holds facts, keys or images. */
export const FOR_ITS_OWNER = 0o700

/**
 * Makes the folder unless it is there. `mode` is for it and for each one above that is made, too.
 * @throws the error of the operating system, with its reason
 */
export function makeFolder(path: string, mode?: number): void {
  const missing: string[] = []
  for (let at = resolve(path); !isFolder(at); at = dirname(at)) {
    missing.push(at)
    if (at === dirname(at)) break // a root that is not there, as of a drive
  }
  for (const each of missing.reverse()) {
    try {
      mkdirSync(each, mode)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(each)) throw error
    }
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
