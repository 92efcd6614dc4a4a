// Reports of a run of policy tests: for people, and as TAP, JUnit XML and JSON for machines. Pure: a run in, text out.

import type { Problem } from '../management/policy-file/problem.ts'
import { counted } from '../model/counted.ts'
import type { Covered } from './coverage.ts'
import type { FileResult, Mutants, TestResult, TestRun } from './run-tests.ts'

export const REPORTERS = ['pretty', 'junit', 'tap', 'json'] as const
export type Reporter = (typeof REPORTERS)[number]

export interface ReportOptions {
  /** percentage below which a run fails */
  readonly coverage?: number | undefined
}

/** How a run ended. */
interface Counts {
  readonly passed: number
  readonly failed: number
}

function countResults({ files }: TestRun): Counts {
  const results = files.flatMap((file) => file.results)
  const failed = results.filter(({ failure }) => failure !== undefined).length
  return { passed: results.length - failed, failed }
}

/** Whether everything is as it should be: files without errors, expectations that are met, and enough coverage. */
export function hasPassed(run: TestRun, { coverage }: ReportOptions): boolean {
  const isCovered = coverage === undefined || (run.coverage?.percent ?? 0) >= coverage
  return run.problems.length === 0 && countResults(run).failed === 0 && isCovered
}

/** The report, with a final line break. */
export function report(run: TestRun, reporter: Reporter, options: ReportOptions): string {
  const lines = {
    pretty: () => prettyLines(run, options),
    tap: () => tapLines(run, options),
    junit: () => junitLines(run, options),
    json: () => [JSON.stringify({ ...countResults(run), ok: hasPassed(run, options), ...run }, null, 2)],
  }[reporter]()
  return `${lines.map(printable).join('\n')}\n`
}

/** Names come from files: nothing in them reaches a terminal as a command, or ends an XML document. */
const printable = (text: string): string =>
  text.toWellFormed().replace(/[^\P{Cc}\n]|\p{Cf}|\p{Noncharacter_Code_Point}/gu, '\ufffd')

function prettyLines(run: TestRun, { coverage: wanted }: ReportOptions): string[] {
  const { passed, failed } = countResults(run)
  const failures = run.files.flatMap((file) =>
    file.results.flatMap((result) => (result.failure === undefined ? [] : [...failureLines(file, result), ''])),
  )
  const problems = run.problems.map(problemLine)
  const wrong = run.problems.length === 0 ? '' : `, ${counted(run.problems.length, 'error')} in files`
  return [
    ...problems,
    ...(problems.length === 0 ? [] : ['']),
    ...failures,
    `${counted(passed, 'expectation')} met, ${failed} not met${wrong}`,
    ...(run.coverage === undefined ? [] : coverageLines(run.coverage, wanted)),
    ...(run.mutants === undefined ? [] : mutantLines(run.mutants)),
  ]
}

function failureLines({ file }: FileResult, { text, line, failure }: TestResult): string[] {
  return [`${file}:${line}: ${text}`, `  ${failure!.message}`, ...failure!.why.map((each) => `  ${each}`)]
}

const problemLine = ({ place: { file, line, column }, message }: Problem): string =>
  `${file}:${line}:${column}: error: ${message}`

function coverageLines({ total, used, percent, unused }: Covered, wanted: number | undefined): string[] {
  const short = wanted !== undefined && percent < wanted ? `, below ${wanted} %` : ''
  const head = `coverage: ${percent} % (${used} of ${total} rules and branches)${short}`
  return [head, ...unused.map((name) => `  not used: ${name}`)]
}

function mutantLines({ total, survived }: Mutants): string[] {
  const head = `mutants: ${total - survived.length} of ${total} changes of the policy are noticed`
  return [head, ...survived.map((name) => `  not noticed: ${name}`)]
}

/** Test Anything Protocol, version 13. */
function tapLines(run: TestRun, options: ReportOptions): string[] {
  const results = run.files.flatMap(({ file, results: all }) => all.map((result) => ({ file, result })))
  const others = otherFailures(run, options)
  const lines = results.flatMap(({ file, result: { text, line, failure } }, index) => {
    const head = `ok ${index + 1} - ${tapText(`${file}:${line}: ${text}`)}`
    if (failure === undefined) return [head]
    const why = failure.why.map((each) => `    ${each}`)
    return [`not ${head}`, '  ---', `  message: ${JSON.stringify(failure.message)}`, '  why: |', ...why, '  ...']
  })
  const more = others.map(({ text }, index) => `not ok ${results.length + index + 1} - ${tapText(text)}`)
  return ['TAP version 13', `1..${results.length + others.length}`, ...lines, ...more]
}

/** A `#` would begin a directive. */
const tapText = (text: string): string => text.replace(/[\\#]/g, '\\$&')

/** What makes a run fail apart from its expectations. */
function otherFailures({ problems, coverage }: TestRun, { coverage: wanted }: ReportOptions) {
  const wrong = problems.map((problem) => ({ file: problem.place.file, text: problemLine(problem) }))
  if (wanted === undefined || coverage === undefined || coverage.percent >= wanted) return wrong
  return [...wrong, { file: 'coverage', text: `coverage is ${coverage.percent} %, below ${wanted} %` }]
}

/** JUnit XML, as CI servers read it: a suite for each file. */
function junitLines(run: TestRun, options: ReportOptions): string[] {
  const others = otherFailures(run, options)
  const { passed, failed } = countResults(run)
  const suites = run.files.flatMap(({ file, name, results }) => {
    const failures = results.filter(({ failure }) => failure !== undefined).length
    const cases = results.map((result) => testCase(file, result))
    const named = attributes({ name: name ?? file, tests: results.length, failures, errors: 0 })
    return [`  <testsuite${named}>`, ...cases, '  </testsuite>']
  })
  const wrong = others.map(
    ({ file, text }) =>
      `    <testcase${attributes({ name: text, classname: file })}><error${attributes({ message: text })}/></testcase>`,
  )
  const about = attributes({ name: 'files', tests: wrong.length, failures: 0, errors: wrong.length })
  const files = wrong.length === 0 ? [] : [`  <testsuite${about}>`, ...wrong, '  </testsuite>']
  const total = { name: 'zerohop test', tests: passed + failed + wrong.length, failures: failed, errors: wrong.length }
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites${attributes(total)}>`,
    ...suites,
    ...files,
    '</testsuites>',
  ]
}

function testCase(file: string, { text, line, failure }: TestResult): string {
  const head = `    <testcase${attributes({ name: text, classname: file, file, line })}`
  if (failure === undefined) return `${head}/>`
  const { message, why } = failure
  return `${head}><failure${attributes({ message })}>${escaped(why.join('\n'))}</failure></testcase>`
}

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!)
