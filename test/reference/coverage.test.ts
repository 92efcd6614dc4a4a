// The definition is covered by the cases alone, every branch of it: a branch of meaning without a case shows up here
// first.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../support/folders.ts'

it('the cases reach every branch of the definition', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const vitest = createRequire(import.meta.url)
    .resolve('vitest/package.json')
    .replace(/package\.json$/, 'vitest.mjs')
  const folder = temporaryFolder('coverage')
  const run = spawnSync(
    process.execPath,
    [
      ...[vitest, 'run', 'test/conformance/image.test.ts', '--testNamePattern=^reference', '--coverage'],
      ...[
        '--coverage.include=test/reference/*.ts',
        '--coverage.exclude=**/*.test.ts',
        // a case asks one policy: what changes between two is compared by test/property/access-diff
        '--coverage.exclude=test/reference/access-diff.ts',
        // what becomes of a request for access decides nothing: test/property walks it
        '--coverage.exclude=test/reference/access-requests.ts',
        '--coverage.reporter=json-summary',
      ],
      `--coverage.reportsDirectory=${folder}`,
    ],
    { cwd: root, encoding: 'utf8' },
  )
  expect(run.status, run.stdout + run.stderr).toBe(0)
  const summary = JSON.parse(readFileSync(join(folder, 'coverage-summary.json'), 'utf8'))
  const files = Object.keys(summary).filter((file) => file !== 'total')
  expect(files.length).toBeGreaterThanOrEqual(4)
  for (const file of files) expect([file, summary[file].branches.pct]).toEqual([file, 100])
  expect(summary.total.branches.total).toBeGreaterThan(20)
})
