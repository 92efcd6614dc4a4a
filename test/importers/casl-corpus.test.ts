// The cases of CASL's documentation: which are converted whole, with which options, in part, and why.
// `npx vitest run test/importers/casl-corpus.test.ts -u` writes the table.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importer } from '../../src/importers/casl/importer.ts'
import { temporaryFolder } from '../support/folders.ts'
import { CASL_CASES, type CaslCase } from './casl-cases.ts'
import { type Converted, convertWith } from './converted.ts'

const WAYS = [
  ['whole', {}],
  ['whole with --closed-names', { closedNames: true }],
  ['whole with --plain-values', { plainValues: true }],
  ['whole with --closed-names --plain-values', { closedNames: true, plainValues: true }],
] as const

it('converts as much of each case as the table says, and never allows more', async () => {
  const rows: string[] = []
  const sums: Record<string, number> = {}
  for (const each of CASL_CASES) {
    let converted: Converted | undefined
    let verdict = 'in part'
    for (const [way, options] of WAYS) {
      converted = await convert(each, options)
      expect(converted.report?.proof.wider, each.name).toBe(0)
      if (converted.report?.exact === true) {
        verdict = way
        break
      }
    }
    sums[verdict] = (sums[verdict] ?? 0) + 1
    const { findings = [], proof } = converted?.report ?? {}
    const reasons = findings
      .filter(({ kind }) => kind === 'unsaid')
      .map(({ line, reason }) => `  rule ${line}: ${reason}`)
    rows.push(`${each.name}: ${verdict}`, ...new Set(reasons))
    rows.push(`  ${proof?.asked} questions, ${proof?.allowed} allowed by both, ${proof?.different} different`)
  }
  const head = Object.entries(sums).map(([verdict, count]) => `${verdict}: ${count} of ${CASL_CASES.length}`)
  await expect(`${[...head, '', ...rows].join('\n')}\n`).toMatchFileSnapshot('../golden/casl-corpus.txt')
})

/** A file for each role, with a rule in each line. */
function convert({ roles }: CaslCase, options: Readonly<Record<string, boolean>>): Promise<Converted> {
  const folder = temporaryFolder('casl')
  const names = Object.entries(roles).map(([role, rules]) => {
    writeFileSync(join(folder, `${role}.json`), `[${rules.map((rule) => JSON.stringify(rule)).join(',\n')}]`)
    return `${role}.json`
  })
  return convertWith({ importer, from: 'casl', questions: 600 }, folder, names, options)
}
