// npm run coverage: runs the tests and prints which lines of src they reach, whichever process or thread ran them.
// vitest counts what its own workers ran of the sources; what servers, commands and worker threads ran of the build is
// counted by V8 (NODE_V8_COVERAGE) and mapped back by c8. A line counts when either saw it. Exit 1 when tests fail, or
// when a whole run reaches less than the floor.
//
//   npm run coverage -- [test files]     with files, only what those reach, and no floor
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import coverage from 'istanbul-lib-coverage'

/** These tests need the bundled files of `dist/bundle`, which a coverage build does not have. */
const OF_THE_BUNDLE = ['test/pack.test.ts', 'test/doors.test.ts', 'test/browser/size.test.ts']

/**
 * Percent of the lines that a whole run reaches at least: what was measured, rounded down. Raise it, never lower it.
 */
const FLOOR = 98

const root = fileURLToPath(new URL('../', import.meta.url))
const dist = join(root, 'dist')
const folder = join(root, 'coverage')
const raw = join(folder, 'raw')
/** `dist` as it was, without the console, which the build of `dist` leaves alone. */
const kept = join(folder, 'dist')
const files = process.argv.slice(2)

rmSync(folder, { recursive: true, force: true })
mkdirSync(raw, { recursive: true })
mkdirSync(kept)
move(dist, kept)
run('node', ['scripts/build-dist.mjs', '--source-maps'])
const inWorkers = [
  '--coverage',
  '--coverage.reportOnFailure',
  '--coverage.reporter=json',
  `--coverage.reportsDirectory=${join(folder, 'vitest')}`,
  // counting makes everything slower
  '--testTimeout=600000',
  '--hookTimeout=600000',
]
const tests = spawnSync('npx', ['--no-install', 'vitest', 'run', ...inWorkers, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, NODE_V8_COVERAGE: raw, ZEROHOP_TEST_EXCLUDE: OF_THE_BUNDLE.join(',') },
})
// One file after the other: a whole run leaves more than fits into memory.
const remapped = ['--merge-async', '--include', 'src/**', '--exclude-after-remap', '--reporter', 'json']
run('npx', ['--no-install', 'c8', 'report', '--temp-directory', raw, '--reports-dir', join(folder, 'c8'), ...remapped])
const percentOfAll = print(reached())
for (const name of listWithoutConsole(dist)) rmSync(join(dist, name), { recursive: true })
move(kept, dist)
run('npm', ['run', '-s', 'build'])
if (tests.status !== 0) process.exitCode = 1
if (files.length === 0 && percentOfAll < FLOOR) {
  console.error(`coverage: below the floor of ${FLOOR} %`)
  process.exitCode = 1
}

function listWithoutConsole(from) {
  return readdirSync(from).filter((name) => name !== 'console')
}

function move(from, to) {
  for (const name of listWithoutConsole(from)) renameSync(join(from, name), join(to, name))
}

/** Path below the root → line → whether it was executed. */
function reached() {
  const lines = new Map()
  for (const report of ['vitest', 'c8']) {
    const file = join(folder, report, 'coverage-final.json')
    if (!existsSync(file)) continue
    const map = coverage.createCoverageMap(JSON.parse(readFileSync(file, 'utf8')))
    for (const path of map.files()) {
      const name = relative(root, path).split(sep).join('/')
      if (!name.startsWith('src/')) continue
      const known = lines.get(name) ?? new Map()
      // Lines that hold code are those that vitest knows, which reads the sources; where it has none, c8's.
      const isNew = known.size === 0
      for (const [line, count] of Object.entries(map.fileCoverageFor(path).getLineCoverage()))
        if (isNew || known.has(line)) known.set(line, (known.get(line) ?? false) || count > 0)
      lines.set(name, known)
    }
  }
  return lines
}

function print(lines) {
  const folders = new Map()
  const total = { all: 0, hit: 0 }
  for (const [name, known] of lines) {
    const part = name.split('/').slice(0, 2).join('/')
    const sum = folders.get(part) ?? { all: 0, hit: 0 }
    for (const isHit of known.values()) {
      for (const each of [sum, total]) {
        each.all++
        if (isHit) each.hit++
      }
    }
    folders.set(part, sum)
  }
  const percent = ({ all, hit }) => (all === 0 ? 100 : (100 * hit) / all)
  for (const [part, sum] of [...folders].sort()) console.log(`${percent(sum).toFixed(1).padStart(6)} %  ${part}`)
  console.log(`${percent(total).toFixed(1).padStart(6)} %  of ${total.all} lines`)
  return percent(total)
}

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) {
    console.error(`coverage: \`${command} ${args.join(' ')}\` ended with ${status}`)
    process.exit(1)
  }
}
