// The files of a policy as commands take them: those that are named, or those of `zerohop.yaml`.
// src/management/policy-file reads them.
import { join, relative } from 'node:path'
import { type FoundSources, readSources } from '../../management/policy-file/read-files.ts'
import { readPolicy } from '../../management/policy-file/read-policy.ts'
import type { PolicyFile } from '../../management/schemas/policy-file.ts'
import { ZerohopError } from '../../model/errors.ts'
import { findProject } from '../configuration/project-file.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'

/**
 * The policy files of the command line; without any those of `zerohop.yaml`.
 * @param from the working directory
 * @throws CONFIG_INVALID when a file does not exist, or there are too many
 */
export function findPolicy(named: readonly string[], from: string): FoundSources {
  if (named.length > 0) return readSources(named, from)
  const { folder, files } = findProject(from)
  return readSources(
    files.map((file) => relative(from, join(folder, file)) || '.'),
    from,
  )
}

/** The policy of a file or folder. @throws CONFIG_INVALID when something is wrong with the files, which is printed */
export function policyAt(path: string): PolicyFile {
  const found = readSources([path], process.cwd())
  const { policy, problems } = readPolicy(found.sources)
  const errors = [...found.problems, ...problems].filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return policy
  process.stderr.write(printProblems(errors, found.sources, printOptions(process.stderr)))
  throw new ZerohopError('CONFIG_INVALID', { reason: `\`${path}\` is no policy` })
}
