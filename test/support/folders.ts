// Temporary folders for tests that need a real disk; setup.ts removes them when the test file ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const made: string[] = []

export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
}

export function temporaryFolder(name = 'test'): string {
  const folder = mkdtempSync(join(tmpdir(), `zerohop-${name}-`))
  made.push(folder)
  return folder
}
