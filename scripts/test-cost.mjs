// npm run test:cost: runs `npm test` and prints which test files took most processor time, with all that they started,
// and what the whole run took. On two processors, that time bounds how long a run lasts. Linux only.
//
//   npm run test:cost -- [test files]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SHOWN = 30
const TICKS_PER_SECOND = 100

const folder = mkdtempSync(join(tmpdir(), 'zerohop-cost-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const report = join(folder, 'report')
const { status } = spawnSync('npm', ['test', '--', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, ZEROHOP_TEST_COST: report },
})

// a file can be run by several projects: each is a line of its own
const rows = readFileSync(report, 'utf8').trimEnd().split('\n').map(JSON.parse)
rows.sort((a, b) => b.worker + b.started - a.worker - a.started)
const seconds = (value) => value.toFixed(1).padStart(7)
const sum = (of) => rows.reduce((total, row) => total + of(row), 0)
console.log('\nseconds of processor time\n    all  worker  started')
for (const { file, worker, started } of rows.slice(0, SHOWN))
  console.log(`${seconds(worker + started)} ${seconds(worker)}  ${seconds(started)}  ${file}`)
const [worker, started] = [sum((row) => row.worker), sum((row) => row.started)]
console.log(`${seconds(worker + started)} ${seconds(worker)}  ${seconds(started)}  in ${rows.length} files`)
console.log(`${seconds(ofChildren())}                   in all: build, vitest itself, what files share`)
process.exitCode = status ?? 1

/** Of processes that this one started and that have ended. */
function ofChildren() {
  const text = readFileSync('/proc/self/stat', 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}
