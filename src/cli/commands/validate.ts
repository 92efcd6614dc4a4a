// `zerohop validate`: everything that is wrong with policy files, without a server.

import { readPolicy } from '../../management/policy-file/read-policy.ts'
import { counted } from '../../model/counted.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'
import { findPolicy } from './policy-sources.ts'

export interface ValidateOptions {
  readonly strict?: boolean
  readonly json?: boolean
}

/**
 * Prints what is wrong. Returns the exit code: 1 when there are errors, with `strict` also for warnings.
 * @param from the working directory
 */
export function validate(
  named: readonly string[],
  { strict = false, json = false }: ValidateOptions,
  from: string = process.cwd(),
): number {
  const found = findPolicy(named, from)
  const problems = [...found.problems, ...readPolicy(found.sources).problems]
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const warnings = problems.length - errors
  const isValid = errors === 0 && (!strict || warnings === 0)
  const files = [...found.sources.map(({ name }) => name), ...found.problems.map(({ place }) => place.file)]
  if (json) {
    const flat = problems.map(({ place, related, ...problem }) => ({
      ...problem,
      ...place,
      ...(related === undefined ? {} : { related: { message: related.message, ...related.place } }),
    }))
    process.stdout.write(`${JSON.stringify({ valid: isValid, errors, warnings, files, problems: flat }, null, 2)}\n`)
    return isValid ? 0 : 1
  }
  process.stdout.write(printProblems(problems, found.sources, printOptions(process.stdout)))
  const sums = [countedIfAny(errors, 'error'), countedIfAny(warnings, 'warning')].filter((sum) => sum !== '')
  const sum = sums.length === 0 ? 'no problems' : sums.join(', ')
  process.stdout.write(`${counted(files.length, 'file')}: ${sum}\n`)
  return isValid ? 0 : 1
}

function countedIfAny(count: number, what: string): string {
  return count === 0 ? '' : counted(count, what)
}
