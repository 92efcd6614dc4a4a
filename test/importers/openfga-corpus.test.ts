// The public sample stores of OpenFGA (Apache-2.0, openfga-corpus/LICENSE): which are converted whole, in part or not at all,
// and why. `npx vitest run test/importers -u` writes the table.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importer } from '../../src/importers/openfga/importer.ts'
import { runTests } from '../../src/policy-test/run-tests.ts'
import { ROOT } from '../tidy/source.ts'
import { type Converted, convertWith } from './converted.ts'

const FOLDER = join(ROOT, 'test/importers/openfga-corpus')

it('converts as much of each store as the table says, and never allows more', async () => {
  const stores = (readdirSync(FOLDER, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.fga.yaml'))
    .sort()
  const rows: string[] = []
  const sums: Record<string, string[]> = {}
  for (const store of stores) {
    const converted = await convertWith({ importer, from: 'openfga', questions: 20_000 }, FOLDER, [store])
    expect(converted.report?.proof.wider ?? 0, store).toBe(0)
    const verdict = judge(converted)
    if (converted.report?.exact) expect(listUnmet(converted.folder), store).toEqual([])
    sums[verdict] = [...(sums[verdict] ?? []), store]
    rows.push(`${store}: ${verdict}`, ...reasons(converted))
  }
  const head = Object.entries(sums).map(([verdict, names]) => {
    const folders = new Set(names.map((name) => name.split('/')[0]))
    return `${verdict}: ${names.length} of ${stores.length} files, of ${folders.size} stores`
  })
  await expect(`${[...head.sort(), '', ...rows].join('\n')}\n`).toMatchFileSnapshot('../golden/openfga-corpus.txt')
})

/** Expectations of the written tests that the written policy does not meet, and what is wrong with them. */
function listUnmet(folder: string): readonly string[] {
  const read = (name: string) => ({ name, text: readFileSync(join(folder, name), 'utf8') })
  const tests = readdirSync(join(folder, 'tests')).map((name) => read(`tests/${name}`))
  const { files, problems } = runTests([read('policy.yaml')], tests, { now: 0 })
  const results = files.flatMap((file) => file.results)
  expect(results.length).toBeGreaterThan(0)
  return [...problems.map(({ message }) => message), ...results.flatMap((each) => (each.failure ? each.text : []))]
}

/** By what it takes: times of grants (D15) and roles for everyone (D16). */
function judge(converted: Converted): string {
  const { report } = converted
  if (report === undefined) return 'refused'
  const { facts } = (converted as { imported: { facts: readonly { fact: Record<string, unknown> }[] } }).imported
  if (!report.exact) return report.proof.allowed > 0 ? 'in part' : 'nothing'
  const isFor = (name: string): boolean => facts.some(({ fact }) => fact[name] !== undefined)
  const takes = [
    ...(isFor('valid_until') || isFor('valid_from') ? ['D15'] : []),
    ...(facts.some(({ fact }) => fact.user === '*') ? ['D16'] : []),
  ]
  return `whole${takes.length === 0 ? '' : `, by ${takes.join(' and ')}`}`
}

/** What was not converted, each reason once, and how many answers differ. */
function reasons({ report, problems }: Converted): readonly string[] {
  if (report === undefined) return problems.map(({ message, place }) => `  line ${place.line}: ${message}`)
  const { findings, proof } = report
  const unsaid = findings.filter(({ kind }) => kind === 'unsaid').map(({ line, reason }) => `  line ${line}: ${reason}`)
  const shown = new Map(unsaid.map((text) => [text.replace(/^ {2}line \d+/, ''), text]))
  return [
    ...shown.values(),
    `  ${proof.asked} questions, ${proof.allowed} allowed by both, ${proof.different} different`,
  ]
}
