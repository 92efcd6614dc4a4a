// What the npm scripts run: `npm test` every test file, and `.ci/run` each long command at least in its smallest form.
// A test file or a command that nobody runs breaks unseen.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT, readRepository } from './tidy/source.ts'

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const VITEST = createRequire(import.meta.url)
  .resolve('vitest/package.json')
  .replace(/package\.json$/, 'vitest.mjs')

/** Commands that run test files which `npm test` runs too. */
const SAME_FILES = [
  'test:all',
  'test:cost',
  'test:cursors',
  'test:filters',
  'test:prisma',
  'test:quick',
  'test:random',
  'test:replicas:api',
  'test:simulation',
  'test:stops',
]

it('npm test runs every test file', { timeout: 120_000 }, () => {
  expect(scripts.test).toMatch(/ vitest run$/) // no file and no project is left out
  const env = { ...process.env, ZEROHOP_TEST_EXCLUDE: undefined, ZEROHOP_TEST_REPLICAS: undefined }
  const listed = execFileSync(process.execPath, [VITEST, 'list', '--filesOnly', '--json'], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  })
  const run = (JSON.parse(listed) as { file: string }[]).map(({ file }) => relative(ROOT, file))
  const files = readRepository().filter(({ path, code }) => /\.(test|spec)\.\w+$/.test(path) || isTest(path, code))
  expect(files.length).toBeGreaterThan(300)
  // what Jest runs in test/consumers, what test:runtimes runs there, and what test/examples.test.ts runs
  const elsewhere = ['test/consumers/jest/', 'test/consumers/runtimes/', 'examples/documents/policy.test.mjs']
  const left = files.map(({ path }) => path).filter((path) => !elsewhere.some((start) => path.startsWith(start)))
  expect(left.filter((path) => !run.includes(path))).toEqual([])
})

it('.ci/run starts every long command', () => {
  const run = readFileSync(join(ROOT, '.ci/run'), 'utf8')
  const long = Object.keys(scripts).filter((name) => /^(test:|bench$|coverage$|soak$)/.test(name))
  expect(long.length).toBeGreaterThan(SAME_FILES.length)
  expect(SAME_FILES.filter((name) => !long.includes(name))).toEqual([])
  const unstarted = long.filter((name) => !SAME_FILES.includes(name) && !new RegExp(`npm run ${name}\\s`).test(run))
  expect(unstarted).toEqual([])
})

it('every file that a script names is there', () => {
  const named = Object.entries(scripts).flatMap(([name, command]) =>
    [...command.matchAll(/(?<= )(?:scripts|test)\/[\w./-]+/g)].map(([path]) => ({ name, path })),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([])
})

/** A file with tests of vitest under a name that vitest does not look for. */
const isTest = (path: string, code: string): boolean => path.startsWith('test/') && /^(describe|it|test)\(/m.test(code)
