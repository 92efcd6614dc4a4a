// Temporary folders that outlive a test file: of what the files of a worker share. kept-folder-setup.ts removes them.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** where a run keeps what test files share */
    kept: string
  }
}

/** In memory, where a system has that. */
export const keptFolder = (name: string): string => mkdtempSync(join(inject('kept'), `${name}-`))
