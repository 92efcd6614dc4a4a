// Mutates the kernel, one small wrong at a time, each in a build of its own, and says which of them the cases and
// 20,000 random checks catch: npm run test:mutants -- [--all] [--only FILE[:LINE]]... [--every N] [--jobs N] [--checks
// N] [--seed N] [--json] Opcodes and the branches of a decision; with --all every small wrong in every function, of
// which --every 10 tries a tenth. Exit 0 when at least 95 % are caught of those that could be, and docs/mutants.md
// explains every survivor, 1 when not, 2 on a wrong argument.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { SingleBar } from 'cli-progress'
import { recordRun } from './record-run.mjs'

const SCORE = 0.95
/** What no kernel takes, even on a busy machine. */
const FOR_EVER_MS = 120_000

const usage = (message) => {
  process.stderr.write(`test:mutants: ${message}\n`)
  process.stderr.write(
    'usage: npm run test:mutants -- [--all] [--only FILE[:LINE]]... [--every N] [--jobs N] [--checks N] [--seed N] [--json] [--record]\n',
  )
  process.exit(2)
}

let options
try {
  options = parseArgs({
    options: {
      all: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      every: { type: 'string', default: '1' },
      jobs: { type: 'string', default: '1' },
      checks: { type: 'string', default: '20000' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  }).values
} catch (error) {
  usage(error.message)
}
const [checks, seed] = [options.checks, options.seed].map(Number)
if (!Number.isSafeInteger(checks) || checks < 0) usage('--checks must be a whole number')
const every = Number(options.every)
if (!Number.isSafeInteger(every) || every < 1) usage('--every must be a whole number of at least 1')
const jobs = Number(options.jobs)
if (!Number.isSafeInteger(jobs) || jobs < 1) usage('--jobs must be a whole number of at least 1')
if (!Number.isSafeInteger(seed)) usage('--seed must be a whole number')

const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace(/package\.json$/, 'bin/tsc')
const compiled = spawnSync(process.execPath, [tsc, '-p', 'test/mutants/tsconfig.json'], { encoding: 'utf8' })
if (compiled.status !== 0) {
  process.stderr.write(`the mutants do not compile:\n${compiled.stdout}${compiled.stderr}`)
  process.exit(1)
}
const root = new URL('../', import.meta.url)
const built = new URL('../build/mutants/test/mutants/', import.meta.url)
const { FILES, isDeciding, listMutants } = await import(new URL('mutants.js', built))
const { readSources } = await import(new URL('compile.js', built))
const { explainedIn, findExplanation } = await import(new URL('explained.js', built))

const wanted = options.only.map((only) => only.split(':'))
const files = wanted.length === 0 ? FILES : [...new Set(wanted.map(([file]) => file))]
let mutants
try {
  mutants = listMutants(readSources(root), files).filter((one) => options.all || isDeciding(one))
} catch (error) {
  usage(error.message)
}
if (wanted.length > 0) {
  mutants = mutants.filter((one) =>
    wanted.some(([file, line]) => one.file === file && (line === undefined || one.line === Number(line))),
  )
}

mutants = mutants.filter((_, index) => index % every === 0)

/** A thread that tries mutants, one after another. */
class Lane {
  #thread

  async fateOf(mutant) {
    if (this.#thread === undefined) await this.#start()
    this.#thread.postMessage(mutant)
    const fate = await this.#answer().catch((error) => ({ fate: 'caught', by: String(error), fatal: true }))
    if (fate !== undefined && !fate.fatal) return fate
    await this.end()
    return fate ?? { fate: 'caught', by: 'it takes for ever' }
  }

  async #start() {
    this.#thread = new Worker(new URL('thread.js', built), { workerData: { root: root.href, checks, seed } })
    await this.#answer()
  }

  async end() {
    await this.#thread?.terminate()
    this.#thread = undefined
  }

  /** The next message of the thread; undefined when it does not come in time. @throws when the thread ends */
  #answer() {
    const thread = this.#thread
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(resolve), FOR_EVER_MS)
      const onMessage = (message) => settle(resolve, message)
      const onError = (error) => settle(reject, error)
      const settle = (act, value) => {
        clearTimeout(timer)
        thread.off('message', onMessage).off('error', onError)
        act(value)
      }
      thread.on('message', onMessage).on('error', onError)
    })
  }
}

const explained = explainedIn(readFileSync('docs/mutants.md', 'utf8'))

/** A line about a survivor: `=` is the same kernel, `~` is found by other tests, `!` is not explained. */
const formatSurvivor = (one) =>
  `${{ same: '=', unseen: '~' }[findExplanation(explained, one)] ?? '!'} assembly/${one.file}:${one.line}  ${one.kind}  in  ${one.at}\n`

const bar = new SingleBar({
  format: '{bar} {value}/{total} · {survived} survived · {eta_formatted} left · {file}',
  noTTYOutput: true,
  notTTYSchedule: 30_000,
  stream: process.stderr,
})
bar.start(mutants.length, 0, { survived: 0, file: '' })
const begun = performance.now()
const counts = { caught: 0, survived: 0, refused: 0, same: 0 }
const survivors = []
const byFile = {}
const waiting = mutants.values()
async function work() {
  const lane = new Lane()
  for (const mutant of waiting) {
    const { fate } = await lane.fateOf(mutant)
    counts[fate]++
    byFile[mutant.file] ??= { caught: 0, survived: 0 }
    if (fate in byFile[mutant.file]) byFile[mutant.file][fate]++
    if (fate === 'survived') {
      survivors.push(mutant)
      if (!options.json) process.stdout.write(formatSurvivor(mutant))
    }
    bar.increment(1, { survived: counts.survived, file: mutant.file })
  }
  await lane.end()
}
await Promise.all(Array.from({ length: jobs }, work))
bar.stop()

const explanations = survivors.map((one) => findExplanation(explained, one))
const same = explanations.filter((each) => each === 'same').length
const open = explanations.filter((each) => each === undefined).length
const score = counts.caught / Math.max(1, counts.caught + counts.survived - same)
if (options.json) {
  process.stdout.write(
    `${JSON.stringify({ checks, seed, score, ...counts, explained: { same, unseen: survivors.length - same - open }, unexplained: open, byFile, survivors }, null, 2)}\n`,
  )
} else {
  const percent = (part) => `${(100 * part).toFixed(1)} %`
  for (const [file, { caught, survived }] of Object.entries(byFile))
    process.stdout.write(
      `${file.padEnd(16)} ${String(caught).padStart(5)} of ${caught + survived}  ${percent(caught / (caught + survived))}\n`,
    )
  const all = counts.caught + counts.survived
  process.stdout.write(
    `${counts.caught} of ${all} caught, ${percent(counts.caught / all)}; ${same} of the survivors are explained as the same kernel, ` +
      `which leaves ${percent(score)}; ${open} are not explained\n` +
      `${counts.same} more compile to the same bytes, ${counts.refused} do not compile\n`,
  )
}
if (options.record) {
  const asked = `${mutants.length} small wrongs, each in a kernel of its own, seed ${seed}`
  const result = `${counts.caught} caught, ${same} the same kernel, ${survivors.length - same - open} told by other tests, ${open} unexplained`
  recordRun('test:mutants', { asked, result, seconds: (performance.now() - begun) / 1000 })
}
process.exitCode = score >= SCORE && open === 0 ? 0 : 1
