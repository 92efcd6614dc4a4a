// The files that an import writes, and a PDP over them: what was written is read again by the code that reads the files
// of users, so that the proof is about the files and not about what the importer holds in memory.
import { join } from 'node:path'
import { Document, isSeq, stringify, visit } from 'yaml'
import type { FactLists } from '../../management/policy-file/export.ts'
import { FACTS_VERSION } from '../../management/policy-file/facts-lines.ts'
import { FactsReader } from '../../management/policy-file/facts-reader.ts'
import { formatPolicy } from '../../management/policy-file/format.ts'
import type { Problem, Source } from '../../management/policy-file/problem.ts'
import { readSources } from '../../management/policy-file/read-files.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import type { FactKind } from '../../model/policy-kinds.ts'
import { FixedImage } from '../../pdp/fixed-image.ts'
import { Pdp } from '../../pdp/pdp.ts'
import { buildImage, policyUnderTest } from '../../policy-test/policy-under-test.ts'
import type { Facts, TestFile } from '../../policy-test/test-file.ts'
import type { Imported, ImportedTest } from './importer.ts'
import { KEY_FUNCTIONS } from './keys.ts'
import { readText } from './read-text.ts'

const POLICY_NAME = 'policy.yaml'
const FACTS_NAME = 'facts.ndjson'
const HELPER_NAME = 'questions.mjs'
const TESTS_NAME = 'tests'
export const REPORT_NAME = 'report.json'

/** Lists of a policy test, by the kind of what is in them. */
const LISTS = {
  tenant: 'tenants',
  user: 'users',
  membership: 'memberships',
  resource_instance: 'resource_instances',
  relationship_tuple: 'relationship_tuples',
  role_assignment: 'role_assignments',
} as const satisfies Readonly<Record<FactKind, keyof Facts>>

/** Names and contents of the files, without the report. */
export function printFiles(imported: Imported, command: string): readonly (readonly [name: string, text: string])[] {
  const policy = stringify(imported.policy, { lineWidth: 0, aliasDuplicateObjects: false })
  const header = { zerohop_facts: FACTS_VERSION }
  const lines = [
    header,
    ...imported.facts.map(({ kind, fact }) => ({ [kind]: fact })),
    { end: { facts: imported.facts.length } },
  ]
  const made = `// Made by \`${command}\`: turns questions of the application into those of Zerohop.`
  return [
    [POLICY_NAME, formatPolicy({ name: POLICY_NAME, text: policy }).text ?? policy],
    [FACTS_NAME, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`],
    [HELPER_NAME, `${made}\n${KEY_FUNCTIONS}\n${imported.helper}`],
    ...(imported.tests ?? []).map((test) => [nameTest(test.key), printTest(test)] as const),
  ]
}

const nameTest = (key: string): string => `${TESTS_NAME}/${key}.yaml`

function printTest({ name, facts, expect }: ImportedTest): string {
  const lists: Record<string, object[]> = {}
  for (const { kind, fact } of facts) {
    const list = LISTS[kind]
    lists[list] ??= []
    lists[list].push(fact)
  }
  const content = { name, ...(facts.length === 0 ? {} : { facts: lists }), expect }
  const document = new Document(content, { aliasDuplicateObjects: false })
  // a fact and an expectation are a line each
  visit(document, {
    Map(_key, node, path) {
      if (isSeq(path.at(-1))) node.flow = true
    },
  })
  return document.toString({ lineWidth: 0 })
}

/** What of the written files is refused. */
export interface Refused {
  readonly problems: readonly Problem[]
  readonly sources: readonly Source[]
}

/** A PDP over the written files, or what is wrong with them. @throws CONFIG_INVALID when one cannot be read */
export function loadWritten(folder: string): Pdp | Refused {
  const { sources, problems: unread } = readSources([join(folder, POLICY_NAME)], process.cwd())
  const { under, problems } = policyUnderTest(sources)
  if (under === undefined || unread.length > 0) return { sources, problems: [...unread, ...problems] }
  const { source, reader, refused, refuse } = readFacts(folder)
  const { changes } = under.facts(reader.lists, (message, [, ...path]) => {
    const located = reader.located(new ZerohopError('INPUT_INVALID', { reason: message }, { path: ['body', ...path] }))
    refuse(message, Number((located as ZerohopError).path?.[1] ?? 0))
  })
  if (refused.length > 0) return { sources: [source], problems: refused }
  return new Pdp(new FixedImage(buildImage([...under.changes, ...changes])))
}

/** The written facts, by the lists of a policy. @throws CONFIG_INVALID when the file cannot be read */
export const readWrittenFacts = (folder: string): Partial<FactLists> => readFacts(folder).reader.lists

function readFacts(folder: string) {
  const source = readText(join(folder, FACTS_NAME))
  const refused: Problem[] = []
  const refuse = (message: string, line: number): void => {
    refused.push({ severity: 'error', message, place: { file: source.name, line: line + 1, column: 1, length: 1 } })
  }
  const reader = new FactsReader()
  for (const [line, text] of source.text.split('\n').entries())
    try {
      if (text !== '') reader.add(JSON.parse(text), line)
    } catch (error) {
      if (!isZerohopError(error)) throw error
      refuse(error.message, line)
    }
  return { source, reader, refused, refuse }
}

/** A PDP over the policy and the facts of each written test, by the key of the test. @throws CONFIG_INVALID */
export function loadTests(folder: string, tests: Imported['tests'] = []): ReadonlyMap<string, Pdp> | Refused {
  const { sources } = readSources([join(folder, POLICY_NAME)], process.cwd())
  const { under } = policyUnderTest(sources)
  const pdps = new Map<string, Pdp>()
  for (const { key } of tests) {
    const source = readText(join(folder, nameTest(key)))
    const document = new YamlDocument(source)
    const problems: Problem[] = [...document.problems]
    const written = (document.value ?? {}) as TestFile
    const { changes = [] } =
      under?.facts(written.facts ?? {}, (message, path) => {
        problems.push({ severity: 'error', message, place: document.place(path) })
      }) ?? {}
    if (problems.length > 0) return { problems, sources: [source] }
    pdps.set(key, new Pdp(new FixedImage(buildImage([...(under?.changes ?? []), ...changes]))))
  }
  return pdps
}
