// Finds the files of a policy and reads them: those that are named, all in folders that are named, or those of
// `zerohop.yaml`. What they mean is src/management/policy-file.
import { isUtf8 } from 'node:buffer'
import { readdirSync, readFileSync, readSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Problem, Source } from '../../management/policy-file/problem.ts'
import { readPolicy } from '../../management/policy-file/read-policy.ts'
import type { PolicyFile } from '../../management/policy-file/schema.ts'
import { ZerohopError } from '../../model/errors.ts'
import { POLICY_FILE_BYTES_MAX, POLICY_FILES_MAX, POLICY_FOLDERS_DEPTH_MAX } from '../../model/limits.ts'
import { findProject, PROJECT_FILE } from '../configuration/project-file.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'

/** Standard input instead of a file. */
export const STANDARD_INPUT = '-'

export interface FoundSources {
  /** named as on the command line */
  readonly sources: readonly Source[]
  /** files that are no text */
  readonly problems: readonly Problem[]
}

/**
 * The policy files of the command line; without any those of `zerohop.yaml`.
 * @param from the working directory
 * @throws CONFIG_INVALID when there is no such file, or too many
 */
export function findPolicy(named: readonly string[], from: string): FoundSources {
  if (named.length > 0) return readSources(named, from)
  const { folder, files } = findProject(from)
  return readSources(
    files.map((file) => relative(from, join(folder, file)) || '.'),
    from,
  )
}

/** Reads files, and all YAML and JSON files in folders. @throws CONFIG_INVALID */
export function readSources(paths: readonly string[], from: string): FoundSources {
  const names = [...new Set(paths.flatMap((path) => filesAt(path, from)))]
  if (names.length === 0) throw invalid(`there is no policy file in ${paths.map((path) => `\`${path}\``).join(', ')}`)
  if (names.length > POLICY_FILES_MAX) throw invalid(`more than ${POLICY_FILES_MAX} policy files`)
  const sources: Source[] = []
  const problems: Problem[] = []
  for (const name of names) {
    const bytes = bytesOf(name, from)
    if (isUtf8(bytes)) sources.push({ name, text: bytes.toString('utf8') })
    else {
      const place = { file: name, line: 1, column: 1, length: 1 }
      problems.push({ severity: 'error', message: 'the file is not text in UTF-8', place })
    }
  }
  return { sources, problems }
}

/** The policy of a file or folder. @throws CONFIG_INVALID when something is wrong with the files, which is printed */
export function policyAt(path: string): PolicyFile {
  const found = readSources([path], process.cwd())
  const { policy, problems } = readPolicy(found.sources)
  const errors = [...found.problems, ...problems].filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return policy
  process.stderr.write(printProblems(errors, found.sources, printOptions(process.stderr)))
  throw invalid(`\`${path}\` is no policy`)
}

/** A file, also of another ending; of a folder those that end in `.yaml`, `.yml` or `.json`, by name. */
function filesAt(path: string, from: string, depth: number = 1): string[] {
  if (path === STANDARD_INPUT) return [path]
  const stats = statSync(resolve(from, path), { throwIfNoEntry: false })
  if (stats === undefined) throw invalid(`\`${path}\` does not exist`)
  if (!stats.isDirectory()) return [path]
  if (depth > POLICY_FOLDERS_DEPTH_MAX)
    throw invalid(`\`${path}\` is more than ${POLICY_FOLDERS_DEPTH_MAX} folders deep`)
  const entries = readdirSync(resolve(from, path), { withFileTypes: true })
  return entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules' && name !== PROJECT_FILE)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const inside = join(path, entry.name)
      if (entry.isDirectory()) return filesAt(inside, from, depth + 1)
      return /\.(ya?ml|json)$/i.test(entry.name) ? [inside] : []
    })
}

/** @throws CONFIG_INVALID when the file cannot be read, or is so large that it is not read */
function bytesOf(name: string, from: string): Buffer {
  if (name === STANDARD_INPUT) return standardInput()
  try {
    const file = resolve(from, name)
    const { size } = statSync(file)
    if (size > POLICY_FILE_BYTES_MAX) throw invalid(`\`${name}\` is larger than ${POLICY_FILE_BYTES_MAX} bytes`)
    return readFileSync(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined || error instanceof ZerohopError) throw error
    throw invalid(`\`${name}\` cannot be read: ${code}`)
  }
}

/** Everything of standard input. @throws CONFIG_INVALID when it is larger than a policy file may be */
export function standardInput(): Buffer {
  const chunks: Buffer[] = []
  for (let size = 0; ; ) {
    const chunk = Buffer.alloc(65_536)
    const read = readSync(0, chunk)
    if (read === 0) return Buffer.concat(chunks)
    size += read
    if (size > POLICY_FILE_BYTES_MAX) throw invalid(`standard input is larger than ${POLICY_FILE_BYTES_MAX} bytes`)
    chunks.push(chunk.subarray(0, read))
  }
}

const invalid = (reason: string): ZerohopError => new ZerohopError('CONFIG_INVALID', { reason })
