// The importer of casbin: a model, and rules as CSV or as rows of a database adapter. docs/moving.md says what becomes of
// each construct.
import { inOrder, type Problem } from '../../management/policy-file/problem.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { ClaimedKeys } from '../frame/claimed-keys.ts'
import type { Finding, Imported, Importer, ImporterOptions, Reading } from '../frame/importer.ts'
import { findParts, ONLY_ACTION, type Parts } from './alternatives.ts'
import { at, type CasbinFiles, readCasbinFiles } from './casbin-files.ts'
import { convert, RESOURCE_IN_HELPER, refuseRange, type Shape } from './conversion.ts'
import { applyEffect } from './effects.ts'
import { openCasbin } from './engine.ts'
import { formatRule, type Grant, type Granted, readGrants } from './grants.ts'
import { findUnsaidLinks, type Link, Links } from './links.ts'
import type { PolicyLine } from './policy-lines.ts'
import { makeQuestions } from './questions.ts'
import { Roles } from './roles.ts'

export const importer: Importer = {
  async read(named, options): Promise<Reading> {
    if (named.length < 1)
      throw new ZerohopError('CONFIG_INVALID', {
        reason: 'name the model and the files with the rules: model.conf policy.csv',
      })
    const { files, problems, sources } = readCasbinFiles(named)
    if (files === undefined || problems.length > 0) return { problems: inOrder(problems, named), sources }
    const read = readModelAndRules(files, options)
    return Array.isArray(read)
      ? { problems: inOrder(read, named), sources }
      : { imported: read as Imported, problems: [] }
  },
}

function readModelAndRules(
  files: CasbinFiles,
  options: ImporterOptions,
): Imported<readonly string[]> | readonly Problem[] {
  const closedActions = options.closedActions === true
  const rolesAsUsers = options.rolesAsUsers === true
  const { r } = files.model.definitions
  const parts = findParts(files.request)
  const place = { file: files.model.source.name, line: r[0]?.line ?? 1 }
  if (parts === undefined)
    return [
      at(
        place,
        `what the parts of \`${r[0]?.value}\` are is known by these names: sub, dom, obj, act (user, domain, tenant, object, resource, action, method)`,
      ),
    ]
  const granted = readGrants(files, parts, { closedActions })
  const allowed = applyEffect(files, granted)
  const problems = [...granted.problems, ...allowed.problems]
  if (problems.length > 0) return problems
  const shape: Shape = parts.object === undefined ? 'application' : granted.hasRanges ? 'instances' : 'types'
  const findings = [...listUnread(files), ...granted.findings, ...allowed.findings]
  const grants = allowed.grants.filter((grant) => isSaid(grant, shape, findings))
  const links = granted.roles === undefined ? undefined : files.links.get(granted.roles)
  const { kept, users } = keepLinks(files, links, granted, rolesAsUsers, findings)
  try {
    const keys = new ClaimedKeys()
    const roles = new Roles(kept, grants, keys)
    if (rolesAsUsers) findings.push(...findForRolesAlone(grants, roles))
    const { policy, facts } = convert({
      ...{ shape, roles, keys, users, rolesAsUsers },
      domains: parts.domain === undefined ? undefined : granted.domains,
    })
    if (!rolesAsUsers) findings.push(...noteRoles(files, kept))
    const asked = rolesAsUsers ? [...new Set([...users, ...(kept?.all.map(({ to }) => to) ?? [])])] : users
    return {
      ...{ policy, facts, findings: inLineOrder(findings, files) },
      helper: printHelper(files, parts, shape),
      questions: makeQuestions({ files, granted: { ...granted, grants }, roles, shape, users: asked, closedActions }),
      open: () => openCasbin(files.sources),
    }
  } catch (error) {
    if (!isZerohopError(error, 'INPUT_INVALID') && !isZerohopError(error, 'KEY_TOO_LONG')) throw error
    return [at(place, error.message)]
  }
}

/** Definitions and lines that decide nothing in casbin, unless the application asks with another context. */
function listUnread(files: CasbinFiles): Finding[] {
  const { model, unread } = files
  const { r, p, e, m } = model.definitions
  const others = [...r.slice(1), ...p.slice(1), ...e.slice(1), ...m.slice(1)]
  const nearest = 'import what it asks about as a model of its own'
  const more = others.map(
    ({ key, value, line }): Finding => ({
      ...{ kind: 'unsaid', file: model.source.name, line, what: `${key} = ${value}`, nearest },
      reason: 'only r, p, e and m are read: the others decide when the application passes a context of its own',
    }),
  )
  const ignored = model.unread.map(
    ({ key, value, line }): Finding => ({
      ...{ kind: 'note', file: model.source.name, line, what: `${key} = ${value}`, nearest: 'nothing is to be done' },
      reason: 'casbin does not read it',
    }),
  )
  const defined = new Set(others.map(({ key }) => key))
  const patterns = files.patterns.map(
    (line): Finding => ({
      ...{ kind: 'unsaid', file: line.file, line: line.line, what: formatRule(line) },
      reason: 'a name looks like a pattern, and whether a matching function is registered for it stands in no file',
      nearest: 'give the role, or put into the group, each of those that are meant',
    }),
  )
  return [
    ...more,
    ...ignored,
    ...patterns,
    ...unread.map(
      (line): Finding => ({
        ...{
          kind: defined.has(line.type) ? 'unsaid' : 'note',
          file: line.file,
          line: line.line,
          what: formatRule(line),
        },
        reason: defined.has(line.type)
          ? `\`${line.type}\` is not the first definition`
          : `the model has no \`${line.type}\`, so it gives nothing`,
        nearest: defined.has(line.type) ? nearest : 'nothing is to be done',
      }),
    ),
  ]
}

function isSaid({ object, subject, rule }: Grant, shape: Shape, findings: Finding[]): boolean {
  const why = refuseRange(object, subject, shape)
  if (why === undefined) return true
  if (rule !== undefined) {
    const { file, line } = rule
    findings.push({
      kind: 'unsaid',
      file,
      line,
      what: formatRule(rule),
      reason: why,
      nearest: 'a resource type of its own for these objects',
    })
  }
  return false
}

/** What rules give to a role itself as a subject, and not to those who have it. */
function findForRolesAlone(grants: readonly Grant[], roles: Roles): Finding[] {
  const rules = new Set<PolicyLine>()
  for (const { subject, rule } of grants)
    if (subject.kind === 'name' && rule !== undefined && roles.isRole(subject.name)) rules.add(rule)
  return [...rules].map((rule) => ({
    ...{ kind: 'unsaid', file: rule.file, line: rule.line, what: formatRule(rule) },
    reason: 'it is for the role itself as a subject, and not for those who have the role',
    nearest: 'give it to a role of another name, and that role to the user',
  }))
}

/** The links that can be said, and the names that are no roles. */
function keepLinks(
  files: CasbinFiles,
  links: Links | undefined,
  granted: Granted,
  rolesAsUsers: boolean,
  findings: Finding[],
) {
  const isParent = new Set(links?.all.map(({ to }) => to))
  const unsaid: ReadonlyMap<Link, string> =
    links === undefined ? new Map() : findUnsaidLinks(links, (name) => rolesAsUsers || !isParent.has(name))
  for (const [{ line }, reason] of unsaid)
    findings.push({
      ...{ kind: 'unsaid', file: line.file, line: line.line, what: formatRule(line), reason },
      nearest: 'give the role to each user who shall have it',
    })
  const kept =
    links === undefined
      ? undefined
      : new Links(
          links.hasDomains,
          links.all.filter((link) => !unsaid.has(link)),
        )
  const names = new Set<string>()
  const column = files.columns.indexOf(granted.parts.subject ?? '')
  for (const { subject } of granted.grants) if (subject.kind !== 'anyone') names.add(subject.name)
  for (const { values } of files.rules) if ((values[column] ?? '') !== '') names.add(values[column] ?? '')
  for (const { from } of links?.all ?? []) names.add(from)
  const roles = new Set(kept?.all.map(({ to }) => to))
  return { kept, users: granted.parts.subject === undefined ? [] : [...names].filter((name) => !roles.has(name)) }
}

function noteRoles({ model }: CasbinFiles, links: Links | undefined): Finding[] {
  const names = [...new Set(links?.all.map(({ to }) => to))]
  if (names.length === 0) return []
  const { line = 1, key = 'g', value = '' } = model.definitions.g[0] ?? {}
  return [
    {
      ...{ kind: 'note', file: model.source.name, line, what: `${key} = ${value}` },
      reason: `casbin also answers for a role as the subject, and these are not asked about: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}`,
      nearest: '--roles-as-users makes each role a user, too, who has it',
    },
  ]
}

function inLineOrder(findings: readonly Finding[], { sources }: CasbinFiles): Finding[] {
  const order = new Map(sources.map(({ name }, index) => [name, index]))
  const rank = ({ file }: Finding): number => order.get(file) ?? 0
  return [...findings].sort((one, other) => rank(one) - rank(other) || one.line - other.line)
}

/** A function with the parts of the old request, in their order. */
function printHelper({ request }: CasbinFiles, parts: Parts, shape: Shape): string {
  const words = Object.fromEntries((Object.keys(parts) as (keyof Parts)[]).map((part) => [parts[part], part]))
  const names = request.map((name) => words[name] ?? name)
  const resource = RESOURCE_IN_HELPER[shape].replace(
    'tenant',
    parts.domain === undefined ? "tenant: 'default'" : 'tenant: key(domain)',
  )
  return `/** What \`enforce(${request.join(', ')})\` asked, for \`pdp.check(user, action, resource)\`. */
export const toQuestion = (${names.join(', ')}) => ({
  user: ${parts.subject === undefined ? 'null' : 'userKey(subject)'},
  action: ${parts.action === undefined ? `'${ONLY_ACTION}'` : 'key(action)'},
  resource: ${resource},
})
`
}
