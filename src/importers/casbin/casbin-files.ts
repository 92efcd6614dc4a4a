// The files of a casbin application, read and checked for their form: the model, the rules, and the links of each role
// definition. What a wrong file would mean is not guessed.
import type { Problem, Source } from '../../management/policy-file/problem.ts'
import { isZerohopError } from '../../model/errors.ts'
import { encodeKey } from '../frame/keys.ts'
import { readText } from '../frame/read-text.ts'
import { type Link, Links, looksLikePattern } from './links.ts'
import { type ModelFile, readModel } from './model-file.ts'
import { type PolicyLine, readPolicyLines } from './policy-lines.ts'

export interface CasbinFiles {
  readonly model: ModelFile
  /** the parts of a request, in their order */
  readonly request: readonly string[]
  /** the columns of a `p` rule, in their order */
  readonly columns: readonly string[]
  /** `p` rules */
  readonly rules: readonly PolicyLine[]
  /** by definition: `g`, `g2` …; without those whose names look like patterns */
  readonly links: ReadonlyMap<string, Links>
  /** links whose names look like patterns: whether a matching function is registered for them stands in no file */
  readonly patterns: readonly PolicyLine[]
  /** lines of definitions that the model does not have, or that its matcher does not read */
  readonly unread: readonly PolicyLine[]
  readonly sources: readonly Source[]
}

/** @throws CONFIG_INVALID when a file cannot be read */
export function readCasbinFiles(named: readonly string[]): {
  readonly files?: CasbinFiles
  readonly problems: readonly Problem[]
  readonly sources: readonly Source[]
} {
  const sources = named.map(readText)
  const [modelSource, ...policySources] = sources
  if (modelSource === undefined) return { problems: [], sources }
  const { model, problems: wrong } = readModel(modelSource)
  const read = policySources.map(readPolicyLines)
  const problems = [...wrong, ...read.flatMap((each) => each.problems)]
  const lines = read.flatMap((each) => each.lines)
  if (problems.length > 0) return { problems, sources }
  const { r, p, g } = model.definitions
  const [request, columns] = [splitTokens(r[0]?.value), splitTokens(p[0]?.value)]
  const links = new Map<string, Links>()
  const patterns = lines.filter(
    ({ type, values }) => g.some(({ key }) => key === type) && values.some(looksLikePattern),
  )
  const isPattern = new Set(patterns)
  const plain = lines.filter((line) => !isPattern.has(line))
  for (const { key, value, line } of g) {
    const count = value.split('_').length - 1
    if (count === 2 || count === 3) links.set(key, readLinks(plain, key, count === 3, problems))
    else
      problems.push(
        at({ file: model.source.name, line }, `\`${key} = ${value}\`: a role definition is \`_, _\` or \`_, _, _\``),
      )
  }
  const rules = lines.filter(({ type }) => type === 'p')
  for (const rule of rules) requireColumns(rule, columns.length, problems)
  const unread = lines.filter(({ type }) => type !== 'p' && !links.has(type))
  return { files: { model, request, columns, rules, links, patterns, unread, sources }, problems, sources }
}

const splitTokens = (value: string = ''): readonly string[] => value.split(',').map((token) => token.trim())

function readLinks(lines: readonly PolicyLine[], type: string, hasDomains: boolean, problems: Problem[]): Links {
  const links: Link[] = []
  for (const line of lines) {
    if (line.type !== type || !requireColumns(line, hasDomains ? 3 : 2, problems)) continue
    if (!line.values.every((name) => requireName(name, line, problems))) continue
    const [from = '', to = '', domain] = line.values
    if (from !== to) links.push({ from, to, domain: hasDomains ? domain : undefined, line })
  }
  return new Links(hasDomains, links)
}

function requireColumns(line: PolicyLine, wanted: number, problems: Problem[]): boolean {
  const has = line.values.length
  if (has === wanted) return true
  problems.push(at(line, `a rule \`${line.type}\` has ${wanted} values in the model, this one has ${has}`))
  return false
}

/** Whether the name can be a key; otherwise a problem says why. */
export function requireName(
  name: string,
  line: { readonly file: string; readonly line: number },
  problems: Problem[],
): boolean {
  try {
    encodeKey(name)
    return true
  } catch (error) {
    if (!isZerohopError(error)) throw error
    problems.push(at(line, error.message))
    return false
  }
}

export function at({ file, line }: { readonly file: string; readonly line: number }, message: string): Problem {
  return { severity: 'error', message, place: { file, line, column: 1, length: 1 } }
}
