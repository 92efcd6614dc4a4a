// The universe of questions of a casbin model: every combination of the subjects, objects, actions and domains of the
// files, one unknown name of each, and for each beginning of objects names that have it and that do not. First what the
// rules themselves are about.

import type { Question, Questions } from '../frame/importer.ts'
import { encodeKey } from '../frame/keys.ts'
import { combinationAt, countCombinations, type Dimension, findUnknown, stateDimensions } from '../frame/universe.ts'
import { ONLY_ACTION, type Parts } from './alternatives.ts'
import type { CasbinFiles } from './casbin-files.ts'
import { type Shape, toResource, toTenant } from './conversion.ts'
import type { Grant, Granted } from './grants.ts'
import type { Roles } from './roles.ts'

/** A question by its parts. */
type Asked = { readonly [P in keyof Parts]?: string }

export interface ToAsk {
  readonly files: CasbinFiles
  readonly granted: Granted
  readonly roles: Roles
  readonly shape: Shape
  readonly users: readonly string[]
  readonly closedActions: boolean
}

export function makeQuestions(source: ToAsk): Questions<readonly string[]> {
  const { granted, files } = source
  const dimensions = listDimensions(source)
  const parts = dimensions.map(({ part }) => part)
  const product = countCombinations(dimensions)
  const first = granted.grants.flatMap((grant) => askAbout(grant, source, dimensions))
  return {
    stated: `${stateDimensions(dimensions)}, one of each unknown${source.closedActions && parts.includes('action') ? ' but of the actions' : ''}, after ${first.length} about the rules themselves`,
    total: first.length + product,
    always: first.length,
    at(index) {
      const values = combinationAt(dimensions, index - first.length)
      const asked = first[index] ?? Object.fromEntries(parts.map((part, at) => [part, values[at]]))
      return toQuestion(asked, files, granted.parts, source.shape)
    },
  }
}

function toQuestion(asked: Asked, files: CasbinFiles, parts: Parts, shape: Shape): Question<readonly string[]> {
  const byName = new Map((Object.keys(parts) as (keyof Parts)[]).map((part) => [parts[part], asked[part] ?? '']))
  const old = files.request.map((name) => byName.get(name) ?? '')
  return {
    text: `enforce(${old.join(', ')})`,
    old,
    check: {
      user: asked.subject === undefined ? null : encodeKey(asked.subject, 'user'),
      action: encodeKey(asked.action ?? ONLY_ACTION),
      resource: toResource(asked.object ?? '', toTenant(asked.domain), shape),
    },
  }
}

interface Part extends Dimension {
  readonly part: keyof Parts
}

function listDimensions({ files, granted, users, closedActions }: ToAsk): Part[] {
  const { parts } = granted
  const taken = new Set([...files.rules, ...files.unread].flatMap(({ values }) => values))
  for (const links of files.links.values()) for (const { from, to } of links.all) taken.add(from).add(to)
  const unknown = (wanted: string): string => findUnknown(taken, wanted)
  const listed: (Part | undefined)[] = [
    parts.subject === undefined
      ? undefined
      : { part: 'subject', word: ['subject', 'subjects'], names: [...users, unknown('unknown-subject')] },
    parts.domain === undefined
      ? undefined
      : { part: 'domain', word: ['domain', 'domains'], names: [...granted.domains, unknown('unknown-domain')] },
    parts.object === undefined
      ? undefined
      : {
          part: 'object',
          word: ['object', 'objects'],
          names: [...listObjects(files, granted, parts.object), unknown('unknown-object')],
        },
    parts.action === undefined
      ? undefined
      : {
          part: 'action',
          word: ['action', 'actions'],
          names: [...granted.actions, ...(closedActions ? [] : [unknown('unknown-action')])],
        },
  ]
  return listed.flatMap((each) => each ?? [])
}

/** Names of objects in rules and ranges, and around each beginning. */
function listObjects({ rules, columns }: CasbinFiles, { grants }: Granted, token: string): readonly string[] {
  const names = new Set<string>()
  const column = columns.indexOf(token)
  for (const { values } of rules) if (values[column] !== undefined && values[column] !== '') names.add(values[column])
  for (const { object } of grants) {
    if (object.kind === 'names') for (const name of object.names) names.add(name)
    if (object.kind !== 'prefix') continue
    for (const name of [
      object.prefix,
      `${object.prefix}a`,
      `${object.prefix}/é b`,
      [...object.prefix].slice(0, -1).join(''),
    ])
      if (name !== '') names.add(name)
  }
  return [...names]
}

/** What the rule of a grant is about: someone who has it, one of its objects and each of its actions. */
function askAbout(
  grant: Grant,
  { granted, roles, users, files }: ToAsk,
  dimensions: readonly Part[],
): readonly Asked[] {
  const { subject, domain, object, actions } = grant
  const someone = subject.kind === 'anyone' ? users[0] : findHolder(subject, domain, granted, roles, files)
  const something =
    object.kind === 'names' ? object.names[0] : object.kind === 'prefix' ? `${object.prefix}b` : undefined
  const has = (part: keyof Parts): boolean => dimensions.some((each) => each.part === part)
  if (has('subject') && someone === undefined) return []
  return actions.map((action) => ({
    ...(has('subject') ? { subject: someone } : {}),
    ...(has('domain') ? { domain } : {}),
    ...(has('object') ? { object: something ?? 'some-object' } : {}),
    ...(has('action') ? { action } : {}),
  }))
}

function findHolder(
  subject: { readonly name: string },
  domain: string | undefined,
  granted: Granted,
  roles: Roles,
  files: CasbinFiles,
): string | undefined {
  if (!roles.isRole(subject.name)) return subject.name
  const links = granted.roles === undefined ? undefined : files.links.get(granted.roles)
  return [...(links?.listLinkedTo(subject.name, domain).keys() ?? [])].find((name) => !roles.isRole(name))
}
