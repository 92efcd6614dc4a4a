// Compares the kernel with the definition for as long as asked: npm run test:long -- --cases 10000000 [--seed N]
// [--save NAME] [--record] With --record, docs/runs.md gets the figures. With --save, a counterexample is also written as the case file NAME, so that every decider is asked it
// from then on. Exit 0 when every question was answered as defined, 1 with the shrunk counterexample when one was not,
// 2 on a wrong argument.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parseArgs } from 'node:util'
import { recordRun } from './record-run.mjs'

const usage = (message) => {
  process.stderr.write(
    `test:long: ${message}\nusage: npm run test:long -- [--cases N] [--seed N] [--save NAME] [--record]\n`,
  )
  process.exit(2)
}

const number = (name, text, least) => {
  const value = Number(text)
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least)
    usage(`--${name} must be a whole number of at least ${least}`)
  return value
}

let options
try {
  options = parseArgs({
    options: {
      cases: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      save: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  }).values
} catch (error) {
  usage(error.message)
}
const cases = number('cases', options.cases, 1)
const seed = number('seed', options.seed, 0)
if (options.save !== undefined && !/^[a-z0-9-]+$/.test(options.save)) usage('--save must be a name of a-z, 0-9 and -')

const tsc = createRequire(import.meta.url)
  .resolve('typescript/package.json')
  .replace(/package\.json$/, 'bin/tsc')
const compiled = spawnSync(process.execPath, [tsc, '-p', 'test/property/tsconfig.long.json'], { encoding: 'utf8' })
if (compiled.status !== 0) {
  process.stderr.write(`the long test does not compile:\n${compiled.stdout}${compiled.stderr}`)
  process.exit(1)
}

const { runLong } = await import('../build/long/test/property/long.js')
const start = performance.now()
let printed = 0
process.stdout.write(`${cases.toLocaleString('en')} checks, seed ${seed}\n`)
let last
const line = (tally) => {
  const seconds = (performance.now() - start) / 1000
  const percent = (part) => `${Math.round((100 * part) / tally.checks)} %`
  return `${tally.checks.toLocaleString('en')} checks in ${tally.histories.toLocaleString('en')} histories, ${percent(tally.allowed)} allowed, ${percent(tally.inTime)} at an instant, ${percent(tally.inDebug)} in the debug build, ${percent(tally.ofBuilt)} built, ${tally.listed.toLocaleString('en')} listed, ${seconds.toFixed(1)} s`
}
const { failure } = runLong({
  cases,
  seed,
  debug: new WebAssembly.Module(readFileSync('build/debug.wasm')),
  progress(tally) {
    last = tally
    if (performance.now() - printed < 2000) return
    printed = performance.now()
    process.stdout.write(`${line(tally)}\n`)
  },
})
if (failure !== undefined) {
  process.stderr.write(`${failure.text}\n`)
  if (options.save !== undefined && failure.case !== undefined) {
    const file = `test/conformance/cases/${options.save}.json`
    writeFileSync(file, `${JSON.stringify(failure.case, null, 2)}\n`)
    process.stderr.write(`saved as ${file}: give it its rule and a sentence, then format it\n`)
  }
  process.exit(1)
}
process.stdout.write(`${line(last)}: no difference\n`)
if (options.record) {
  const asked = `${last.checks.toLocaleString('en')} checks in ${last.histories.toLocaleString('en')} random histories, ${last.inTime.toLocaleString('en')} of them about policies with times, ${last.listed.toLocaleString('en')} listings, seed ${seed}`
  const seconds = (performance.now() - start) / 1000
  recordRun(`test:long -- --cases ${cases} --seed ${seed}`, {
    asked,
    result: 'no difference from the reference',
    seconds,
  })
}
