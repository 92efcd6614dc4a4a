// docs/runtimes.md is written by `npm run test:runtimes -- --record`: it has a row for each bundler and runtime that is
// run, with the version that is installed for it.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const CELLS = /(?<=^| )\| *| *\|(?= |$)/
const rows = readFileSync('docs/runtimes.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| what |'))
  .map((line) =>
    line
      .split(CELLS)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
const { dependencies } = JSON.parse(readFileSync('test/consumers/runtimes/package.json', 'utf8'))

it('the page has a row for each program, in their order', () => {
  const runners = readFileSync('scripts/runtimes/runners.mjs', 'utf8')
  const names = [...runners.matchAll(/(?:^ {4}|^ {2}\{ )name: '([^']+)'|next\('([^']+)'/gm)].map(
    ([, name, next]) => name ?? next,
  )
  expect(names.length).toBeGreaterThan(10)
  expect(rows.map(([name]) => name)).toEqual([...names, 'examples/next in Chromium'])
})

it('a row has the version that was run, and its success or why it was skipped', () => {
  const versions = new Set(Object.values(dependencies))
  for (const [name, version, changes, thread, result] of rows) {
    if (result?.startsWith('skipped: ')) continue
    if (name !== 'Node.js') expect(versions, name).toContain(version)
    if (name !== 'examples/next in Chromium') {
      expect(changes, name).toMatch(/^\d[\d,]*$/)
      expect(thread, name).toMatch(/^(found|not there, said at the start \(`PACKAGE_FILE_MISSING`\))$/)
    }
    expect(result, name).toBe('as written')
  }
})

it('the example has the versions that are run', () => {
  const example = JSON.parse(readFileSync('examples/next/package.json', 'utf8')).dependencies
  for (const name of ['next', 'react', 'react-dom']) expect(example[name]).toBe(dependencies[name])
  expect(example.zerohop).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version)
})
