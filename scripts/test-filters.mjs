// npm run test:filters: filters of random policies, asked of real databases in every way of writing the query, compared
// with checks of the rows that they have (test/filters/policy-law.ts). A difference is printed with the policy, the
// question and the row that show it.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordRun } from './record-run.mjs'

const OF_SQL = 'found by the filter of a policy'
/** Where each database is asked: a file, and a test of it. */
const DATABASES = {
  sqlite: ['test/filters/sqlite.test.ts', OF_SQL],
  mariadb: ['test/filters/mariadb.test.ts', OF_SQL],
  postgres: ['test/filters/postgres.test.ts', OF_SQL],
  'prisma-sqlite': ['test/prisma/policies.test.ts', 'on sqlite'],
  'prisma-postgresql': ['test/prisma/policies.test.ts', 'on postgresql'],
}
const NAMES = Object.keys(DATABASES)

const HELP = `Usage: npm run test:filters [-- options]

  --questions N   of each database, at least; default 20000
  --minutes M     of each database, at most: then it ends with fewer questions
  --seed N        of the policies. Default: the time
  --on NAME       only this database: ${NAMES.join(', ')}; more than once for several
  --record        writes the figures of the run to docs/runs.md, a row for each database

Prisma is installed into test/prisma first. The last line says how many questions were asked, and how many of them were
answered otherwise than by checks.

Exit 0: no difference. 1: otherwise, or a database that cannot run. 2: a wrong argument.`

const usage = (message) => {
  process.stderr.write(`test:filters: ${message} (see --help)\n`)
  process.exit(2)
}

const number = (name, text, least) => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
    usage(`--${name} takes a whole number of at least ${least}`)
  return value
}

let options
try {
  options = parseArgs({
    options: {
      questions: { type: 'string', default: '20000' },
      minutes: { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      on: { type: 'string', multiple: true, default: NAMES },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values
} catch (error) {
  usage(error.message.split('. ')[0])
}
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const questions = number('questions', options.questions, 1)
const seed = number('seed', options.seed, 0)
const minutes = options.minutes === undefined ? undefined : number('minutes', options.minutes, 1)
for (const name of options.on) if (!NAMES.includes(name)) usage(`--on takes one of ${NAMES.join(', ')}`)

if (options.on.some((name) => name.startsWith('prisma'))) await import('./install-prisma.mjs')
const scratch = mkdtempSync(join(tmpdir(), 'zerohop-filters-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
const vitest = createRequire(import.meta.url)
  .resolve('vitest/package.json')
  .replace(/package\.json$/, 'vitest.mjs')

const total = { questions: 0, differences: 0 }
for (const name of options.on) {
  const [file, test] = DATABASES[name]
  const summary = join(scratch, name)
  const start = performance.now()
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'usual', '--reporter=dot', '--testTimeout=7200000', file, '-t', test],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        ZEROHOP_TEST_COMPILED: '1',
        ZEROHOP_TEST_SEED: String(seed),
        FILTERS_QUESTIONS: String(questions),
        ...(minutes === undefined ? {} : { FILTERS_MS: String(minutes * 60_000) }),
        FILTERS_SUMMARY: summary,
      },
    },
  )
  if (status !== 0) process.exitCode = 1
  if (!existsSync(summary)) {
    process.exitCode = 1
    console.error(`${name} was not asked`)
    continue
  }
  const asked = JSON.parse(readFileSync(summary, 'utf8'))
  total.questions += asked.questions
  total.differences += asked.differences
  if (!options.record) continue
  recordRun(`test:filters -- --on ${name} --questions ${questions}`, {
    asked: `${asked.text}, seed ${seed}`,
    result: asked.differences === 0 ? 'no difference' : `${asked.differences} differences`,
    seconds: (performance.now() - start) / 1000,
  })
}
console.log(`${total.questions} questions, ${total.differences} differences`)
