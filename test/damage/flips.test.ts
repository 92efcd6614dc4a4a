// Single bits of a whole data file, flipped with a fixed seed: found or without effect, and no server decides
// otherwise. And words of an image, changed with a checksum that fits. More: npm run test:damage.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/test-damage.mjs', import.meta.url))

it('flipped bits of a data file are found, and no decision follows from them', { timeout: 180_000 }, () => {
  const run = spawnSync(process.execPath, [script, '--flips', '4', '--words', '0', '--seed', '3'], { encoding: 'utf8' })
  expect(run.stderr).toBe('')
  expect(run.stdout).toContain('4 flips: none decided otherwise')
  expect(run.status).toBe(0)
})

it('changed words of an image end no question and no process', { timeout: 180_000 }, () => {
  const run = spawnSync(process.execPath, [script, '--flips', '0', '--words', '100', '--seed', '3'], {
    encoding: 'utf8',
  })
  expect(run.stderr).toBe('')
  expect(run.stdout).toContain('100 words: each image answered or refused')
  expect(run.status).toBe(0)
})
