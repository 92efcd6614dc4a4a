// `zerohop test`: the tests of a policy, without a server. src/policy-test runs them.
import { join, relative } from 'node:path'
import { readSources } from '../../management/policy-file/read-files.ts'
import { hasPassed, type Reporter, report } from '../../policy-test/report.ts'
import { runTests } from '../../policy-test/run-tests.ts'
import { findProject } from '../configuration/project-file.ts'
import { findPolicy } from './policy-sources.ts'

export interface TestOptions {
  readonly policy?: readonly string[]
  /** true without a number */
  readonly coverage?: number | true
  readonly mutants?: boolean
  readonly reporter: Reporter
}

/** Prints the report and returns the exit code: 1 when not everything is as it should be. @throws CONFIG_INVALID */
export function test(files: readonly string[], { policy = [], coverage, mutants, reporter }: TestOptions): number {
  const from = process.cwd()
  const ofPolicy = findPolicy(policy, from)
  const ofTests = readSources(files.length > 0 ? files : testFiles(from), from)
  const options = { now: Date.now(), coverage: coverage !== undefined, mutants: mutants ?? false }
  const { problems, ...rest } = runTests(ofPolicy.sources, ofTests.sources, options)
  const run = { problems: [...ofPolicy.problems, ...ofTests.problems, ...problems], ...rest }
  const wanted = { coverage: coverage === true ? undefined : coverage }
  process.stdout.write(report(run, reporter, wanted))
  return hasPassed(run, wanted) ? 0 : 1
}

/** Those of `zerohop.yaml`, from the working directory. */
function testFiles(from: string): string[] {
  const { folder, tests } = findProject(from)
  return tests.map((file) => relative(from, join(folder, file)) || '.')
}
