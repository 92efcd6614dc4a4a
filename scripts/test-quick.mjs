// npm run test:quick: for use while you work. Runs the laws, then every test file that depends on what changed since a
// commit, and stops after 90 seconds: it then lists the files that it did not reach as not run.
//
//   npm run test:quick -- [--since COMMIT]     default: HEAD, so what is not committed
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'

const LIMIT_MS = 90_000
/** Those that find most wrong decisions for their time. */
const LAWS = ['test/conformance/image.test.ts', 'test/property/agreement.test.ts', 'test/property/listings.test.ts']

let since
try {
  since = parseArgs({ options: { since: { type: 'string', default: 'HEAD' } } }).values.since
} catch (error) {
  process.stderr.write(`test:quick: ${error.message}\nusage: npm run test:quick -- [--since COMMIT]\n`)
  process.exit(2)
}

const vitest = createRequire(import.meta.url)
  .resolve('vitest/package.json')
  .replace(/package\.json$/, 'vitest.mjs')
const end = performance.now() + LIMIT_MS

/** Runs vitest for the time that is left. @returns whether it ended and all tests passed */
function run(...args) {
  const timeout = Math.max(1, Math.ceil(end - performance.now()))
  const { status, error } = spawnSync(process.execPath, [vitest, 'run', ...args], {
    stdio: 'inherit',
    timeout,
    env: { ...process.env, ZEROHOP_TEST_SCALE: process.env.ZEROHOP_TEST_SCALE ?? '0.25' },
  })
  if (error?.code === 'ETIMEDOUT') {
    console.error(`test:quick: stopped after ${LIMIT_MS / 1000} s; npm test runs every file`)
    return false
  }
  return status === 0
}

const laws = run('--project', 'usual', ...LAWS)
const changed = run('--changed', since, '--passWithNoTests', '--bail', '5')
process.exitCode = laws && changed ? 0 : 1
