// The soak works: a short one asks, writes, samples the memory of both processes and says what it did. Nothing here says how much they take.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from './support/folders.ts'

const run = promisify(execFile)

it('npm run soak samples the memory of both processes until it has asked and written enough', {
  timeout: 60_000,
}, async () => {
  const file = join(temporaryFolder('soak'), 'soak.json')
  const args = ['scripts/soak.mjs', '--checks', '2000', '--deltas', '100', '--json', file]
  const { stdout } = await run(process.execPath, args, { cwd: join(import.meta.dirname, '..') })
  const { samples, verdicts } = JSON.parse(readFileSync(file, 'utf8'))
  const last = samples.at(-1)
  expect(last.checks).toBeGreaterThanOrEqual(2_000)
  expect(last.deltas).toBeGreaterThanOrEqual(100)
  for (const { pdp, api } of samples) expect(Math.min(pdp, api)).toBeGreaterThan(2 ** 20)
  expect(verdicts.map(({ side }: { side: string }) => side)).toEqual(['pdp', 'api'])
  expect(stdout).toContain('too short to judge')
})
