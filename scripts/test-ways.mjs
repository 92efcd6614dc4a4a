// npm run test:ways: random policies in every way to an image, asked through every door that answers who may do what,
// compared with the definition (test/property/ways-law.ts); with --cases the conformance cases in place of random
// policies. Prints what was asked; a difference is printed with the few operations that show it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordRun } from './record-run.mjs'

const HELP = `Usage: npm run test:ways [-- options]

  --minutes M   how long, default 1; a fraction is fine
  --seed N      of the first story; the next one has the next number. Default: the time
  --cases       instead: every conformance case, written in every way, its questions asked through every door
  --record      writes the figures of the run to docs/runs.md
  --canaries    instead: ways and doors with one fault each, which must be found within two minutes
  --canary NAME only that one

Exit 0: no difference, and every fault found. 1: otherwise. 2: a wrong argument.`

const MINUTES_MAX = 24 * 60

const { seed, minutes, canary, record, cases } = readOptions()
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

/** Exit 2 on a wrong argument: nothing is started. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
        minutes: { type: 'string', default: '1' },
        canaries: { type: 'boolean', default: false },
        canary: { type: 'string' },
        cases: { type: 'boolean', default: false },
        record: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    if (values.help) {
      console.log(HELP)
      process.exit(0)
    }
    const [seed, minutes] = [Number(values.seed), Number(values.minutes)]
    if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('--seed takes a whole number')
    if (!(minutes > 0 && minutes <= MINUTES_MAX)) throw new Error(`--minutes takes a number up to ${MINUTES_MAX}`)
    const canary = values.canaries ? 'all' : values.canary
    if (values.record && (canary !== undefined || values.cases))
      throw new Error('--record is for a run without --canaries and --cases')
    if (values.cases && canary !== undefined) throw new Error('--cases is for a run without --canaries')
    return { seed, minutes, canary, record: values.record, cases: values.cases }
  } catch (error) {
    process.stderr.write(`test:ways: ${error.message.split('. ')[0]} (see --help)\n`)
    process.exit(2)
  }
}
