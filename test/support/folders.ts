// Temporary folders for tests that need a real disk; removed when the test file ends.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made: string[] = []
// not when the process exits: vitest ends its workers by a signal
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

export function temporaryFolder(name = 'test'): string {
  const folder = mkdtempSync(join(tmpdir(), `zerohop-${name}-`))
  made.push(folder)
  return folder
}
