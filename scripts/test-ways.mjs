// npm run test:ways: random policies in every way to an image, asked through every door that answers who may do what,
// compared with the definition (test/property/ways-law.ts); with --cases the conformance cases in place of random
// policies. Prints what was asked; a difference is printed with the few operations that show it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLongRunOptions } from './long-run-options.mjs'
import { recordRun } from './record-run.mjs'

const HELP = `Usage: npm run test:ways [-- options]

  --minutes M   how long, default 1; a fraction is fine
  --seed N      of the first story; the next one has the next number. Default: the time
  --cases       instead: every conformance case, written in every way, its questions asked through every door
  --record      writes the figures of the run to docs/runs.md
  --canaries    instead: ways and doors with one fault each, which must be found within two minutes
  --canary NAME only that one

Exit 0: no difference, and every fault found. 1: otherwise. 2: a wrong argument.`

const { seed, minutes, canary, record, cases } = readLongRunOptions('test:ways', HELP, {
  cases: { type: 'boolean', default: false },
})
const scratch = mkdtempSync(join(tmpdir(), 'zerohop-ways-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
const summary = join(scratch, 'summary')
const vitest = createRequire(import.meta.url)
  .resolve('vitest/package.json')
  .replace(/package\.json$/, 'vitest.mjs')
const file = cases ? 'test/conformance/ways.test.ts' : 'test/property/ways.test.ts'
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'usual', '--reporter=dot', file], {
  stdio: 'inherit',
  env: {
    ...process.env,
    WAYS_SEED: String(seed),
    ...(cases ? { ZEROHOP_TEST_SCALE: '1', ZEROHOP_TEST_SEED: String(seed), WAYS_CASES: '1' } : {}),
    WAYS_SUMMARY: summary,
    ...(canary === undefined ? { WAYS_MS: String(Math.round(minutes * 60_000)) } : { WAYS_CANARY: canary }),
  },
})
process.exitCode = status === 0 ? 0 : 1
if (record) {
  const asked = status === 0 ? `${readFileSync(summary, 'utf8')}, seed ${seed}` : `seed ${seed}`
  const result = status === 0 ? 'no difference' : 'a difference'
  recordRun(`test:ways -- --minutes ${minutes}`, { asked, result, seconds: minutes * 60 })
}
