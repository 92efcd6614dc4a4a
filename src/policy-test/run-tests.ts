// Runs test files against a policy, without a server: what is wrong with the files, which expectations are not met and
// why, which rules no expectation uses, and which changes of the policy none of them would notice.
import type { Image } from '../image/image.ts'
import type { PolicyChange } from '../log/delta.ts'
import { formSentence } from '../management/policy-file/form-sentence.ts'
import type { Problem, Source } from '../management/policy-file/problem.ts'
import { findVersion } from '../management/policy-file/versions.ts'
import { YamlDocument } from '../management/policy-file/yaml-document.ts'
import type { Path } from '../management/rules/fields.ts'
import { misfits } from '../management/rules/shape.ts'
import { parseInstant } from '../model/instant.ts'
import { EXPECTATIONS_MAX, MUTANTS_MAX } from '../model/limits.ts'
import { Coverage, type Covered } from './coverage.ts'
import type { AnyExpectation } from './expectation.ts'
import { Expectations, type Wrong } from './expectations.ts'
import { explainFailure, type Failure, isMet } from './judge.ts'
import { buildImage, type PolicyUnderTest, policyUnderTest } from './policy-under-test.ts'
import { listRules } from './rules.ts'
import { TestFile } from './test-file.ts'

export interface RunOptions {
  /** milliseconds since 1970: the time of files that set none */
  readonly now: number
  readonly coverage?: boolean
  readonly mutants?: boolean
}

/** One expectation; `failure` when it is not met. */
export interface TestResult {
  readonly text: string
  readonly line: number
  readonly failure?: Failure
}
export interface FileResult {
  readonly file: string
  readonly name: string | undefined
  readonly results: readonly TestResult[]
}
export interface Mutants {
  readonly total: number
  /** changes that no expectation notices, in the order of the policy */
  readonly survived: readonly string[]
}
export interface TestRun {
  /** of the policy and of the test files; with an error nothing that depends on it was run */
  readonly problems: readonly Problem[]
  readonly files: readonly FileResult[]
  readonly coverage?: Covered
  readonly mutants?: Mutants
}

/** A test file that was read, and the expectations of it that are met. */
interface Case {
  readonly changes: readonly PolicyChange[]
  readonly image: Image
  readonly met: AnyExpectation[]
}

/** Never throws for what stands in the files. */
export function runTests(policy: readonly Source[], tests: readonly Source[], options: RunOptions): TestRun {
  const { under, problems: errors } = policyUnderTest(policy)
  if (under === undefined) return { problems: errors, files: [] }
  const problems: Problem[] = []
  const cases: Case[] = []
  const files = tests.map((source) => runFile(under, source, options.now, problems, cases))
  return {
    problems,
    files,
    ...(options.coverage ? { coverage: measureCoverage(under.changes, cases) } : {}),
    ...(options.mutants ? { mutants: testMutants(under.changes, cases) } : {}),
  }
}

function runFile(under: PolicyUnderTest, source: Source, now: number, problems: Problem[], cases: Case[]): FileResult {
  const document = new YamlDocument(source)
  problems.push(...document.problems)
  const before = problems.length
  const wrong: Wrong = (message, path, which) =>
    problems.push({ severity: 'error', message, place: document.place(path, which) })
  const nothing = { file: source.name, name: undefined, results: [] }
  if (document.value === undefined) return nothing
  if (findVersion(document.value) !== undefined) {
    wrong('this is a policy file, and not a test: name it after `--policy`', ['zerohop'], 'key')
    return nothing
  }
  for (const misfit of misfits(TestFile, document.value, []))
    wrong(formSentence(misfit), misfit.path, misfit.kind === 'unknown' ? 'key' : 'value')
  if (problems.length > before) return nothing
  const { name, now: ownTime, facts, expect } = document.value as TestFile
  const time = ownTime === undefined || ownTime === null ? now : parseInstant(ownTime)
  if (time === undefined) wrong('the time is not one such as 2026-01-31T12:00:00Z', ['now'])
  const { changes, users } = under.facts(facts, wrong)
  if (problems.length > before) return nothing
  const image = buildImage([...under.changes, ...changes])
  const expectations = new Expectations(image, { users }, time ?? now, wrong)
  for (const [at, item] of expect.entries()) {
    expectations.read(item, ['expect', at])
    if (expectations.found.length > EXPECTATIONS_MAX) {
      wrong(`more than ${EXPECTATIONS_MAX} expectations in one file`, ['expect', at])
      break
    }
  }
  const line = (path: Path): number => document.place(path).line
  const met: AnyExpectation[] = []
  const results = expectations.found.map((expectation): TestResult => {
    const { text, path } = expectation
    if (!isMet(image, expectation)) return { text, line: line(path), failure: explainFailure(image, expectation) }
    met.push(expectation)
    return { text, line: line(path) }
  })
  cases.push({ changes, image, met })
  return { file: source.name, name: name ?? undefined, results }
}

function measureCoverage(changes: readonly PolicyChange[], cases: readonly Case[]): Covered {
  const coverage = new Coverage(changes)
  for (const { image, met } of cases)
    for (const expectation of met) if (expectation.kind === 'answer') coverage.add(image, expectation)
  return coverage.covered
}

/** Each rule is left out or turned around in turn. An expectation that is met no longer has noticed. */
function testMutants(changes: readonly PolicyChange[], cases: readonly Case[]): Mutants {
  const rules = listRules(changes).slice(0, MUTANTS_MAX)
  const survived = rules.filter(({ mutant }) =>
    cases.every(({ changes: facts, met }) => {
      const image = buildImage([...changes, ...facts, mutant])
      return met.every((expectation) => isMet(image, expectation))
    }),
  )
  const names = survived.map(({ kind, name }) => (kind === 'test' ? `${name}: turned around` : `${name}: left out`))
  return { total: rules.length, survived: names }
}
