// npm run test:replicas: three replicas on a real PostgreSQL while processes die and the network fails, and then the
// comparison of what the clients saw with the record (test/replicas/consistency). Prints a summary.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'

const HELP = `Usage: npm run test:replicas [-- options]

  --seed N      what the clients do and what fails when; how long things take is up to the machine. Default: the time
  --minutes M   how long, default 1; a fraction is fine
  --canaries    instead: builds with one defect each, which must be found within two minutes
  --canary NAME only that one
  --failover    instead: standbys that are promoted for so long, one that lags, and a primary that is left behind

Exit 0: no violation, and every canary found. 1: otherwise. 2: a wrong argument.`

const MINUTES_MAX = 24 * 60

const { seed, minutes, canary, failover } = readOptions()
const vitest = createRequire(import.meta.url)
  .resolve('vitest/package.json')
  .replace(/package\.json$/, 'vitest.mjs')
const [project, file] = failover
  ? ['slow', 'test/replicas/failover.test.ts']
  : ['usual', 'test/replicas/consistency.test.ts']
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', project, '--reporter=dot', file], {
  stdio: 'inherit',
  env: {
    ...process.env,
    REPLICAS_SEED: String(seed),
    REPLICAS_MS: String(Math.round(minutes * 60_000)),
    ...(failover ? { REPLICAS_FAILOVER: 'all' } : {}),
    ...(canary === undefined ? {} : { REPLICAS_CANARY: canary }),
  },
})
process.exitCode = status === 0 ? 0 : 1

/** Exit 2 on a wrong argument: nothing is started. */
function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
        minutes: { type: 'string', default: '1' },
        canaries: { type: 'boolean', default: false },
        canary: { type: 'string' },
        failover: { type: 'boolean', default: false },
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
    return { seed, minutes, canary: values.canaries ? 'all' : values.canary, failover: values.failover }
  } catch (error) {
    process.stderr.write(`test:replicas: ${error.message.split('. ')[0]} (see --help)\n`)
    process.exit(2)
  }
}
