// The rules of CASL as files: JSON with the rules of one role (its name is that of the file) or of several, raw or
// packed, and modules whose `rolesOf()` answers the rules of each role. A member that CASL does not have is an error: a
// rule whose `conditions` are misspelt would otherwise have none.
import { basename, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { formSentence } from '../../management/policy-file/form-sentence.ts'
import type { Place, Problem, Source } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import type { Path } from '../../management/rules/fields.ts'
import { misfits } from '../../management/rules/shape.ts'
import { toErrorLine } from '../../model/error-line.ts'
import { ZerohopError } from '../../model/errors.ts'
import * as t from '../../model/json-schema.ts'
import { IMPORTED_LINES_MAX } from '../../model/limits.ts'
import { readText } from '../frame/read-text.ts'

export interface CaslRule {
  readonly actions: readonly string[]
  /** undefined: the rule names none */
  readonly subjects: readonly string[] | undefined
  readonly hasFields: boolean
  readonly conditions: Readonly<Record<string, unknown>> | undefined
  readonly inverted: boolean
  readonly place: Place
  /** as it stands there */
  readonly what: string
}

export interface RoleRules {
  readonly role: string
  readonly rules: readonly CaslRule[]
  /** as CASL reads them */
  readonly raw: readonly unknown[]
}

export interface RuleFiles {
  readonly roles: readonly RoleRules[]
  readonly problems: readonly Problem[]
  readonly sources: readonly Source[]
}

const Names = t.anyOf(t.Text, t.listOf(t.Text))
const Anything = t.schemaOf<Readonly<Record<string, unknown>>>({ type: 'object' })
const RawRule = t.closed({
  action: Names,
  subject: t.maybe(Names),
  fields: t.maybe(Names),
  conditions: t.maybe(Anything),
  inverted: t.maybe(t.Flag),
  reason: t.maybe(t.Text),
})
type RawRule = t.Static<typeof RawRule>
const RuleList = t.listOf(t.schemaOf<unknown>({}))
const RolesByName = t.mapOf(RuleList)

/** @throws CONFIG_INVALID when a file cannot be read, or a module does not answer rules */
export async function readRuleFiles(names: readonly string[]): Promise<RuleFiles> {
  const roles: RoleRules[] = []
  const problems: Problem[] = []
  const sources: Source[] = []
  for (const name of names) {
    const isModule = /^\.[cm]?js$/.test(extname(name))
    const source = isModule ? { name, text: '' } : readText(name)
    sources.push(source)
    const read = isModule ? await readModule(name) : readJson(source, problems)
    if (read !== undefined) roles.push(...listRoles(read, problems))
  }
  for (const [at, { role, rules }] of roles.entries())
    if (roles.findIndex((other) => other.role === role) < at)
      problems.push(refuse(`there are rules of the role \`${role}\` already`, rules[0]?.place ?? placeIn(names.at(-1))))
  return { roles, problems, sources }
}

interface Read {
  readonly name: string
  readonly value: unknown
  readonly findPlace: (path: Path) => Place
  readonly isModule: boolean
}

const placeIn = (file = ''): Place => ({ file, line: 1, column: 1, length: 1 })
const refuse = (message: string, place: Place): Problem => ({ severity: 'error', message, place })

function readJson(source: Source, problems: Problem[]): Read | undefined {
  const document = new YamlDocument(source)
  problems.push(...document.problems)
  if (document.problems.length > 0) return undefined
  const findPlace = (path: Path): Place => document.place(path)
  try {
    // what CASL is given is read as applications read it
    return { name: source.name, value: JSON.parse(source.text.replace(/^\ufeff/, '')), findPlace, isModule: false }
  } catch (error) {
    problems.push(refuse(`it is not JSON: ${toErrorLine(error)}`, findPlace([])))
    return undefined
  }
}

async function readModule(name: string): Promise<Read> {
  const failed = (reason: string, cause?: unknown) =>
    new ZerohopError('CONFIG_INVALID', { reason: `\`${name}\`: ${reason}` }, { cause })
  let value: unknown
  try {
    const made = (await import(/* @vite-ignore */ pathToFileURL(resolve(name)).href)) as { readonly rolesOf?: unknown }
    if (typeof made.rolesOf !== 'function') throw failed('the module exports no function `rolesOf`')
    value = await (made.rolesOf as () => unknown)()
  } catch (error) {
    throw error instanceof ZerohopError ? error : failed(toErrorLine(error), error)
  }
  return { name, value, findPlace: () => placeIn(name), isModule: true }
}

function listRoles({ name, value, findPlace, isModule }: Read, problems: Problem[]): readonly RoleRules[] {
  const isOne = Array.isArray(value) && !isModule
  const wrong = misfits(isOne ? RuleList : RolesByName, value, [])
  problems.push(...wrong.map((misfit) => refuse(formSentence(misfit), findPlace(misfit.path))))
  if (wrong.length > 0) return []
  const own = basename(name, extname(name))
  const byRole = isOne ? [[own, value] as const] : Object.entries(value as Readonly<Record<string, unknown[]>>)
  return byRole.flatMap(([role, raw]) => {
    const at: Path = isOne ? [] : [role]
    if (raw.length > IMPORTED_LINES_MAX) {
      problems.push(refuse(`more than ${IMPORTED_LINES_MAX} rules of one role`, findPlace(at)))
      return []
    }
    if (raw.some((rule) => Array.isArray(rule) !== Array.isArray(raw[0]))) {
      problems.push(refuse('rules are either packed or not: this list has both', findPlace(at)))
      return []
    }
    const rules = raw.map((rule, index) => {
      const label = isModule ? `${role}, rule ${index + 1}: ` : ''
      return readRule(rule, { path: [...at, index], findPlace, label }, problems)
    })
    return rules.includes(undefined) ? [] : [{ role, rules: rules as CaslRule[], raw }]
  })
}

interface At {
  readonly path: Path
  readonly findPlace: (path: Path) => Place
  /** what a finding begins with where there are no lines */
  readonly label: string
}

function readRule(rule: unknown, { path, findPlace, label }: At, problems: Problem[]): CaslRule | undefined {
  const raw = Array.isArray(rule) ? unpack(rule) : rule
  const place = findPlace(path)
  if (raw === undefined) {
    problems.push(
      refuse(`${label}a packed rule is [actions, subjects, conditions, inverted, fields, reason], texts first`, place),
    )
    return undefined
  }
  const wrong = misfits(RawRule, raw, path)
  for (const misfit of wrong)
    problems.push(refuse(`${label}${formSentence(misfit)}`, Array.isArray(rule) ? place : findPlace(misfit.path)))
  if (wrong.length > 0) return undefined
  const { action, subject, fields, conditions, inverted } = raw as RawRule
  const actions = listNames(action)
  // an empty name is the same to CASL
  const subjects = subject === undefined || subject === null || subject === '' ? undefined : listNames(subject)
  if ([...actions, ...(subjects ?? [])].includes('') || actions.length === 0 || subjects?.length === 0) {
    problems.push(refuse(`${label}an action or a subject has no name`, place))
    return undefined
  }
  const of = listNames(fields ?? [])
  if (Array.isArray(fields) && of.length === 0) {
    problems.push(refuse(`${label}\`fields\` is empty, which CASL refuses`, place))
    return undefined
  }
  return {
    ...{ actions, subjects, hasFields: of.length > 0, conditions: conditions ?? undefined },
    ...{ inverted: inverted === true, place, what: `${label}${JSON.stringify(rule)}`.slice(0, 300) },
  }
}

const listNames = (names: string | readonly string[]): readonly string[] =>
  typeof names === 'string' ? [names] : names

/** What `packRules` of CASL made of a rule; undefined for anything else. */
function unpack(rule: readonly unknown[]): object | undefined {
  const [actions, subjects, conditions = 0, inverted = 0, fields = 0, reason = ''] = rule
  if (rule.length > 6 || typeof actions !== 'string' || typeof subjects !== 'string') return undefined
  if (typeof reason !== 'string' || (typeof fields !== 'string' && fields !== 0)) return undefined
  if (inverted !== 0 && inverted !== 1) return undefined
  return {
    ...{ action: actions.split(','), subject: subjects.split(','), inverted: inverted === 1, reason },
    ...(conditions === 0 ? {} : { conditions }),
    ...(fields === 0 || fields === '' ? {} : { fields: fields.split(',') }),
  }
}
