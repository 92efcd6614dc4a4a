// npm run test:ways: random policies in every way to an image, asked through every door that answers who may do what,
// compared with the definition (test/property/ways-law.ts); with --cases the conformance cases in place of random
// policies. Prints what was asked; a difference is printed with the few operations that show it.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { readLongRunOptions } from './long-run-options.mjs'
import { recordRun } from './record-run.mjs'

const HELP = `Usage: npm run test:ways [-- options]

  --minutes M   how long, default 1; a fraction is fine
  --answers N   instead: until so many answers were given
  --seed N      of the first story; the next one has the next number. Default: the time
  --jobs J      so many processes, which take turns with the seeds. Default: one for each processor
  --cases       instead: every conformance case, written in every way, its questions asked through every door
  --record      writes the figures of the run to docs/runs.md
  --canaries    instead: ways and doors with one fault each, which must be found within two minutes
  --canary NAME only that one

The last line says how many answers were compared, and how many differed.
Exit 0: no difference, and every fault found. 1: otherwise. 2: a wrong argument.`

/** How often it says how far it is. */
const PROGRESS_MS = 10_000
/** Of the output of a process that failed. */
const OUTPUT_MAX = 20_000

const options = readLongRunOptions('test:ways', HELP, {
  cases: { type: 'boolean', default: false },
  answers: { type: 'string' },
  jobs: { type: 'string', default: String(availableParallelism()) },
})
const { seed, minutes, canary, record, cases } = options
const answers = readCount('answers')
const jobs = canary !== undefined || cases ? 1 : readCount('jobs')
const began = Date.now()
const scratch = mkdtempSync(join(tmpdir(), 'zerohop-ways-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
const vitest = createRequire(import.meta.url)
  .resolve('vitest/package.json')
  .replace(/package\.json$/, 'vitest.mjs')

const running = Array.from({ length: jobs }, (_, job) => start(job))
const progress = setInterval(() => !isQuiet() && console.log(sayCounts()), PROGRESS_MS)
const statuses = await Promise.all(running)
clearInterval(progress)
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1
if (!isQuiet()) {
  const { lacks, byDoor, byWay } = addUp()
  printCounts('answers by door:', byDoor)
  printCounts('answers by way:', byWay)
  printCounts('could not be asked:', lacks)
  console.log(sayAsked())
}
if (record) {
  const how = answers === undefined ? `--minutes ${minutes}` : `--answers ${answers}`
  const result = process.exitCode === 0 ? 'no difference' : 'a difference'
  recordRun(`test:ways -- ${how}`, { asked: sayAsked(), result, seconds: (Date.now() - began) / 1000 })
}
if (!isQuiet()) console.log(sayCounts())

/** @returns {number | undefined} the value of an option; ends with 2 otherwise */
function readCount(name) {
  const value = options[name] === undefined ? undefined : Number(options[name])
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return value
  process.stderr.write(`test:ways: --${name} takes a whole number above 0 (see --help)\n`)
  process.exit(2)
}

/** These print what they find themselves. */
function isQuiet() {
  return canary !== undefined || cases
}

/** Runs one of the processes. @returns {Promise<number | null>} its exit code */
function start(job) {
  const file = cases ? 'test/conformance/ways.test.ts' : 'test/property/ways.test.ts'
  const limit =
    answers === undefined
      ? { WAYS_MS: String(Math.round(minutes * 60_000)) }
      : { WAYS_ANSWERS: String(Math.ceil(answers / jobs)) }
  const child = spawn(process.execPath, [vitest, 'run', '--project', 'usual', '--reporter=dot', file], {
    stdio: ['ignore', isQuiet() ? 'inherit' : 'pipe', isQuiet() ? 'inherit' : 'pipe'],
    env: {
      ...process.env,
      ZEROHOP_TEST_COMPILED: '1',
      WAYS_SEED: String(seed + job),
      WAYS_STEP: String(jobs),
      WAYS_SUMMARY: findSummary(job),
      ...(cases ? { ZEROHOP_TEST_SCALE: '1', ZEROHOP_TEST_SEED: String(seed), WAYS_CASES: '1' } : {}),
      ...(canary === undefined ? limit : { WAYS_CANARY: canary }),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-OUTPUT_MAX)
    })
  return new Promise((resolve) => {
    child.once('close', (status) => {
      if (status !== 0) process.stdout.write(output)
      resolve(status)
    })
  })
}

function findSummary(job) {
  return join(scratch, `summary-${job}`)
}

/** What all processes counted. */
function addUp() {
  const sum = { answers: 0, stories: 0, differences: 0, byWay: {}, byDoor: {}, byFeature: {}, lacks: {} }
  for (let job = 0; job < jobs; job++) {
    if (!existsSync(findSummary(job))) continue
    const counted = JSON.parse(readFileSync(findSummary(job), 'utf8'))
    for (const name of ['answers', 'stories', 'differences']) sum[name] += counted[name]
    for (const name of ['byWay', 'byDoor', 'byFeature', 'lacks'])
      for (const [of, count] of Object.entries(counted[name])) sum[name][of] = (sum[name][of] ?? 0) + count
  }
  return sum
}

function sayCounts() {
  const { answers: given, differences } = addUp()
  return `${inWords(given)} answers, ${inWords(differences)} differences`
}

function sayAsked() {
  const { answers: given, stories, byWay, byDoor, byFeature } = addUp()
  const about = Object.entries(byFeature).map(([name, count]) => `${inWords(count)} about policies with ${name}`)
  const [ways, doors] = [byWay, byDoor].map((each) => Object.keys(each).length)
  return `${inWords(given)} questions in ${stories} stories, ${ways} ways and ${doors} doors, ${about.join(', ')}, seed ${seed}`
}

function printCounts(title, counts) {
  const lines = Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))
  console.log([title, ...lines.map(([name, count]) => `  ${inWords(count)} ${name}`)].join('\n'))
}

function inWords(count) {
  return count.toLocaleString('en')
}
