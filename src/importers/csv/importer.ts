// The importer of CSV files with a mapping. They are from nothing that could be asked, so their proof is that what was written
// is what the rows say, and nothing else. docs/moving.md has the form of the mapping.
import { dirname, join } from 'node:path'
import type { FactLists } from '../../management/policy-file/export.ts'
import { inOrder, type Problem, type Source } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import { ZerohopError } from '../../model/errors.ts'
import { policyUnderTest } from '../../policy-test/policy-under-test.ts'
import type { Fact, Finding, Imported, Importer, Reading } from '../frame/importer.ts'
import { readText } from '../frame/read-text.ts'
import { compareRows, type ReadSection, readSection, toFacts } from './facts.ts'
import { type Mapping, readMapping, SECTIONS, type SectionName } from './mapping.ts'

export const importer: Importer = {
  read(named): Promise<Reading> {
    const [name, ...more] = named
    if (name === undefined || more.length > 0)
      throw new ZerohopError('CONFIG_INVALID', { reason: 'name the mapping, which names the files: mapping.yaml' })
    const problems: Problem[] = []
    const sources: Source[] = [readText(name)]
    const mapping = readMapping(sources[0] as Source, problems)
    const imported = mapping && convert(mapping, dirname(name), sources, problems)
    const reading: Reading =
      imported === undefined || problems.length > 0
        ? {
            problems: inOrder(
              problems,
              sources.map((source) => source.name),
            ),
            sources,
          }
        : { imported, problems: [] }
    return Promise.resolve(reading)
  },
}

function convert(mapping: Mapping, folder: string, sources: Source[], problems: Problem[]): Imported | undefined {
  const read = new Map<string, Source>()
  const open = (name: string): Source => {
    const source = read.get(name) ?? readText(join(folder, name))
    if (!read.has(name)) sources.push(source)
    read.set(name, source)
    return source
  }
  const policy = open(mapping.policy)
  const { under, problems: wrong } = policyUnderTest([policy])
  problems.push(...wrong.filter(({ severity }) => severity === 'error'))
  const findings: Finding[] = []
  const sections: ReadSection[] = []
  for (const section of mapping.sections) {
    const made = readSection(section, open(section.file), problems, findings)
    if (made !== undefined) sections.push(made)
  }
  if (problems.length > 0 || under === undefined) return undefined
  const { facts, findings: more } = toFacts(sections, problems)
  if (problems.length > 0) return undefined
  under.facts(toLists(facts) as Partial<FactLists>, (message, path) => {
    const [, section, index] = path as readonly [string, SectionName, number]
    const kind = SECTIONS[section]?.kind
    const place = facts.filter((fact) => fact.kind === kind)[Number(index)]?.place
    problems.push({ severity: 'error', message, place: place ?? { file: policy.name, line: 1, column: 1, length: 1 } })
  })
  const { value } = new YamlDocument(policy)
  if ((value as { readonly zerohop?: unknown } | undefined)?.zerohop !== 2)
    problems.push({
      ...{ severity: 'error', message: 'the policy is one of the form `zerohop: 2`' },
      place: { file: policy.name, line: 1, column: 1, length: 1 },
    })
  return {
    policy: value as Imported['policy'],
    facts: facts.map(({ kind, fact }) => ({ kind, fact })),
    findings: [...findings, ...more],
    helper: HELPER,
    questions: {
      stated: '',
      total: 0,
      always: 0,
      at: () => Promise.reject(new Error('there is no engine to ask')) as never,
    },
    compare: (written, seed) => compareRows(sections, written, seed),
    open: () => Promise.reject(new Error('there is no engine to ask')),
  }
}

function toLists(facts: readonly Fact[]): Readonly<Record<string, object[]>> {
  const lists: Record<string, object[]> = {}
  for (const [name, { kind }] of Object.entries(SECTIONS)) {
    const list = facts.filter((fact) => fact.kind === kind).map(({ fact }) => fact)
    if (list.length > 0) lists[name] = list
  }
  return lists
}

const HELPER = `/** A question by the names that stand in the files. */
export const toQuestion = (user, action, type, name, tenant = 'default') => ({
  user: userKey(user),
  action: key(action),
  resource: { type: key(type), ...(name === undefined ? {} : { key: key(name) }), tenant: key(tenant) },
})
`
