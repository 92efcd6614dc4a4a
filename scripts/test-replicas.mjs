// npm run test:replicas: three replicas on a real PostgreSQL while processes die and the network fails, and then the
// judgement of what the clients saw, with the record and without it (test/replicas/consistency). Prints a summary.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLongRunOptions } from './long-run-options.mjs'
import { recordRun } from './record-run.mjs'

const HELP = `Usage: npm run test:replicas [-- options]

  --seed N      what the clients do and what fails when; how long things take is up to the machine. Default: the time
  --minutes M   how long, default 1; a fraction is fine
  --history F   writes all that the clients and the readers of the feed did and saw to the file F, as JSON
  --record      writes the figures of the run to docs/runs.md
  --canaries    instead: builds with one defect each, which must be found within two minutes
  --canary NAME only that one
  --failover    instead: standbys that are promoted for so long, one that lags, and a primary that is left behind

Exit 0: no violation, and every canary found. 1: otherwise. 2: a wrong argument.`

const { seed, minutes, canary, failover, history, record } = readLongRunOptions('test:replicas', HELP, {
  history: { type: 'string' },
  failover: { type: 'boolean', default: false },
})
const scratch = mkdtempSync(join(tmpdir(), 'zerohop-replicas-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
const saved = history ?? join(scratch, 'history.json')
const vitest = createRequire(import.meta.url)
  .resolve('vitest/package.json')
  .replace(/package\.json$/, 'vitest.mjs')
const file = failover ? 'test/replicas/failover.test.ts' : 'test/replicas/consistency.test.ts'
const { status } = spawnSync(process.execPath, [vitest, 'run', '--project', 'usual', '--reporter=dot', file], {
  stdio: 'inherit',
  env: {
    ...process.env,
    REPLICAS_SEED: String(seed),
    REPLICAS_MS: String(Math.round(minutes * 60_000)),
    ...(failover ? { REPLICAS_FAILOVER: 'all' } : {}),
    REPLICAS_HISTORY: saved,
    ...(canary === undefined ? {} : { REPLICAS_CANARY: canary }),
  },
})
process.exitCode = status === 0 ? 0 : 1
if (record) {
  const { operations, feeds, counts } = JSON.parse(readFileSync(saved, 'utf8'))
  const number = (what) => what.toLocaleString('en')
  const countOperations = (kind, outcome) =>
    number(operations.filter((one) => one.kind === kind && one.outcome === outcome).length)
  const asked =
    `${countOperations('write', 'ok')} writes acknowledged, ${countOperations('write', 'unknown')} of unknown outcome, ` +
    `${countOperations('read', 'ok')} reads, ${number(feeds.length)} steps of feeds, ${number(counts.checks)} checks of followers, seed ${seed}`
  const result = status === 0 ? 'linearizable, nothing lost' : 'violations'
  recordRun(`test:replicas -- --minutes ${minutes}`, { asked, result, seconds: minutes * 60 })
}
