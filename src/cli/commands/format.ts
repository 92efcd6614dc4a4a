// `zerohop fmt`: policy files in their canonical form.
import { existsSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { STANDARD_INPUT } from '../../management/policy-file/find-files.ts'
import { formatPolicy } from '../../management/policy-file/format.ts'
import type { Problem } from '../../management/policy-file/problem.ts'
import { ZerohopError } from '../../model/errors.ts'
import { plain } from '../../model/plain-text.ts'
import { printOptions, printProblems } from '../terminal/print-problems.ts'
import { findPolicy } from './policy-sources.ts'

export interface FormatOptions {
  readonly check?: boolean
  readonly json?: boolean
}

/**
 * Writes the files that are laid out differently. Returns the exit code: 1 with `check` when there are any.
 * @param from the working directory
 */
export function format(
  named: readonly string[],
  { check = false, json = false }: FormatOptions,
  from: string = process.cwd(),
): number {
  const { sources, problems: unreadable } = findPolicy(named, from)
  const problems: Problem[] = [...unreadable]
  const changed: string[] = []
  for (const source of sources) {
    const formatted = formatPolicy(source, schemaFor(resolve(from, source.name)))
    problems.push(...formatted.problems)
    const isStandard = source.name === STANDARD_INPUT
    if (isStandard && !check && !json) process.stdout.write(formatted.text ?? '')
    if (formatted.text === undefined || formatted.text === source.text) continue
    if (check || !isStandard) changed.push(source.name)
    if (!check && !isStandard) write(resolve(from, source.name), formatted.text)
  }
  const isFine = problems.length === 0 && !(check && changed.length > 0)
  if (json) {
    const flat = problems.map(({ place, severity, message }) => ({ severity, message, ...place }))
    process.stdout.write(`${JSON.stringify({ changed, problems: flat }, null, 2)}\n`)
  } else {
    process.stdout.write(printProblems(problems, sources, printOptions(process.stdout)))
    for (const name of changed) process.stdout.write(`${plain(name)}${check ? ' is laid out differently' : ''}\n`)
  }
  return isFine ? 0 : 1
}

/**
 * Where the JSON Schema of this package is, seen from the file: in the nearest `node_modules` that has the package.
 * Undefined when it is not installed around the file.
 */
export function schemaFor(file: string, name: string = 'policy.schema.json'): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const schema = join(folder, 'node_modules', 'zerohop', name)
    if (existsSync(schema)) return relative(dirname(file), schema).replaceAll(sep, '/')
    if (dirname(folder) === folder) return undefined
  }
}

/** Replaces the file as a whole, with its mode: a crash leaves the old one or the new one. A link to it stays a link. */
function write(file: string, text: string): void {
  try {
    const path = realpathSync(file)
    const beside = `${path}.${process.pid}.tmp`
    writeFileSync(beside, text, { mode: statSync(path).mode })
    renameSync(beside, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ZerohopError('CONFIG_INVALID', { reason: `\`${file}\` cannot be written: ${code}` }, { cause: error })
  }
}
