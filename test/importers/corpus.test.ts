// The example models of node-casbin (Apache-2.0, casbin-corpus/LICENSE): which are converted whole, with closed actions,
// in part or not at all, and why. `npx vitest run test/importers -u` writes the table.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../tidy/source.ts'
import { type Converted, convertFiles } from './converted.ts'

const FOLDER = join(ROOT, 'test/importers/casbin-corpus')

/** Rules whose file is not called as its model is. */
const RULES: Readonly<Record<string, string>> = {
  basic_with_root_model: 'basic_policy.csv',
  keymatch_custom_model: 'keymatch2_policy.csv',
  priority_model_explicit: 'priority_policy_explicit.csv',
  rbac_with_not_deny_model: 'rbac_with_deny_policy.csv',
  subject_priority_model_with_domain: 'subject_priority_policy_with_domain.csv',
}

/** Rules of the corpus for models that have others already. */
const MORE: readonly (readonly [model: string, rules: string])[] = [
  ['basic_model', 'basic_inverse_policy.csv'],
  ['rbac_model', 'rbac_with_hierarchy_policy.csv'],
  ['rbac_with_domains_model', 'rbac_with_domains_policy2.csv'],
  ['rbac_with_domains_model', 'rbac_with_hierarchy_with_domains_policy.csv'],
]

it('converts as much of each model as the table says, and never allows more', async () => {
  const all = readdirSync(FOLDER)
  const models = all.filter((name) => name.endsWith('.conf')).map((name) => name.replace(/\.conf$/, ''))
  expect(models.length).toBe(30)
  const pairs = [...models.map((model) => [model, findRules(model, all)] as const), ...MORE]
  const rows: string[] = []
  const sums: Record<string, number> = {}
  for (const [at, [model, rules]] of pairs.entries()) {
    const files = [`${model}.conf`, ...(rules === undefined ? [] : [rules])]
    const open = await convertFiles(FOLDER, files)
    const closed = isExact(open) ? open : await convertFiles(FOLDER, files, { closedActions: true })
    for (const { report } of [open, closed]) expect(report?.proof.wider ?? 0, model).toBe(0)
    const verdict = isExact(open) ? 'whole' : isExact(closed) ? 'whole with --closed-actions' : judge(open)
    if (at < models.length) sums[verdict] = (sums[verdict] ?? 0) + 1
    rows.push(`${model} with ${rules ?? 'no rules'}: ${verdict}`, ...reasons(closed))
  }
  const head = Object.entries(sums).map(([verdict, count]) => `${verdict}: ${count} of ${models.length} models`)
  await expect(`${[...head, '', ...rows].join('\n')}\n`).toMatchFileSnapshot('../golden/casbin-corpus.txt')
})

function findRules(model: string, all: readonly string[]): string | undefined {
  const usual = `${model.replace(/_model$/, '')}_policy.csv`
  return RULES[model] ?? (all.includes(usual) ? usual : undefined)
}

const isExact = ({ report }: Converted): boolean => report?.exact === true

function judge({ report, ...converted }: Converted): string {
  if (report === undefined) return 'refused'
  const { roles } = (converted as { imported: { policy: { roles?: unknown[] } } }).imported.policy
  return roles === undefined ? 'nothing' : 'in part'
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
