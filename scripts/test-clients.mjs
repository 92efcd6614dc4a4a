// Runs the suites of the public clients, as their registries have them, against a `zerohop serve` of its own for each story:
// npm run test:clients -- [--only node,python,go,java,terraform] [--suites FOLDER] [--record]
//   --suites   where the repositories lie whose packages have no tests: FOLDER/python, FOLDER/java, FOLDER/terraform
//   --record   writes the table in docs/clients.md
// It needs npm, python3, go, mvn and terraform, each for its own suite. What cannot be installed is skipped and named, which does
// not count as a failure. Tests that fail are listed, and judged in docs/clients.md; exit code 1 when all fail.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { withServer } from './clients/serve.mjs'
import { SUITES } from './clients/suites.mjs'

const { values } = parseArgs({
  options: { only: { type: 'string' }, suites: { type: 'string' }, record: { type: 'boolean', default: false } },
})
const PAGE = new URL('../docs/clients.md', import.meta.url)
const [BEGIN, END] = ['<!-- published clients -->', '<!-- end of published clients -->']
const only = values.only?.split(',')
const folder = mkdtempSync(join(tmpdir(), 'zerohop-clients-'))
const rows = []
let skipped = 0
try {
  for (const suite of SUITES.filter(({ key }) => only?.includes(key) ?? true)) {
    try {
      const row = await runSuite(suite)
      rows.push(row)
      console.log(row.line)
    } catch (error) {
      skipped++
      console.log(
        `${suite.name}: skipped: ${
          String(error.stderr ?? '')
            .trim()
            .split('\n')
            .at(-1) || error.message
        }`,
      )
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
if (values.record && rows.length > 0) record()
const [passed, failed] = ['passed', 'failed'].map((name) => rows.reduce((sum, row) => sum + row[name], 0))
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = passed > 0 || failed === 0 ? 0 : 1

async function runSuite(suite) {
  const place = join(folder, suite.key)
  mkdirSync(place)
  const installed = suite.prepare(place, values.suites)
  let passed = 0
  const failures = []
  for (const story of suite.stories(installed)) {
    const result = await withServer(story, (env) => suite.run(installed, story, env))
    passed += result.passed
    failures.push(...result.failed)
  }
  const names = failures.map((name) => `\`${name.replaceAll('|', ' ')}\``).join(', ')
  const all = passed + failures.length
  const line = `| ${suite.name} | ${installed.version} | ${suite.what} | ${passed} of ${all} | ${names} |`
  return { name: suite.name, passed, failed: failures.length, line }
}

/** Replaces the rows of the suites that ran. */
function record() {
  const text = readFileSync(PAGE, 'utf8')
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)]
  const kept = text
    .slice(from, to)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| client '))
  const of = new Map([...kept, ...rows.map(({ line }) => line)].map((line) => [line.split(' | ')[0].slice(2), line]))
  const table = SUITES.flatMap(({ name }) => of.get(name) ?? [])
  const head = '| client | version | what was run | passed | failed |\n|---|---|---|---|---|'
  writeFileSync(PAGE, `${text.slice(0, from)}${BEGIN}\n${head}\n${table.join('\n')}\n${text.slice(to)}`)
  console.log('written: docs/clients.md')
}
