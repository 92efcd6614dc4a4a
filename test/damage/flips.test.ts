// Single bits of a whole data file, flipped with a fixed seed: found or without effect, and no server decides
// otherwise. More: npm run test:damage.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('are found, and never decided by', { timeout: 180_000 }, () => {
  const script = fileURLToPath(new URL('../../scripts/test-damage.mjs', import.meta.url))
  const run = spawnSync(process.execPath, [script, '--flips', '4', '--seed', '3'], { encoding: 'utf8' })
  expect(run.stderr).toBe('')
  expect(run.stdout).toContain('4 flips: none decided otherwise')
  expect(run.status).toBe(0)
})
