// A question of the Why page in its three forms: in the address, so that it can be shared; as text in the form; and as
// the API takes it.
import type { components } from 'zerohop/client'
import { type JsonObject, parseObject } from '../../components/json-object.ts'

/** In the address. Absent is what was not asked. */
export interface QuestionSearch {
  readonly user?: string
  readonly action?: string
  /** a type, or `type:key` */
  readonly resource?: string
  readonly tenant?: string
  /** a revision, or an instant in ISO 8601 */
  readonly at?: string
  readonly user_attributes?: JsonObject
  readonly attributes?: JsonObject
  readonly relations?: JsonObject
  readonly context?: JsonObject
}

const TEXTS = ['user', 'action', 'resource', 'tenant', 'at'] as const
const OBJECTS = ['user_attributes', 'attributes', 'relations', 'context'] as const
type TextName = (typeof TEXTS)[number]
export type ObjectName = (typeof OBJECTS)[number]

/** As text, each field as it was typed. */
export type Draft = Readonly<Record<TextName | ObjectName, string>>

/** Reads the question from an address; anything else is left out. */
export function parseSearch(search: Record<string, unknown>): QuestionSearch {
  const texts = TEXTS.map((name) => [name, typeof search[name] === 'number' ? String(search[name]) : search[name]])
  const objects = OBJECTS.map((name) => [name, search[name]])
  return Object.fromEntries([
    ...texts.filter(([, value]) => typeof value === 'string' && value !== ''),
    ...objects.filter(([, value]) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  ]) as QuestionSearch
}

export function makeDraft(search: QuestionSearch): Draft {
  const texts = TEXTS.map((name) => [name, search[name] ?? ''])
  const objects = OBJECTS.map((name) => [name, search[name] === undefined ? '' : JSON.stringify(search[name], null, 2)])
  return Object.fromEntries([...texts, ...objects]) as Draft
}

/** What is wrong with a draft, by field; empty when it can be asked. */
export function findProblems(draft: Draft): Readonly<Partial<Record<keyof Draft, string>>> {
  const problems: Partial<Record<keyof Draft, string>> = {}
  if (draft.user.trim() === '') problems.user = 'Which user?'
  if (draft.action.trim() === '') problems.action = 'What do they want to do?'
  const { type } = splitResource(draft.resource)
  if (type === '') problems.resource = 'On what? A type, or type:key'
  if (!isInstant(draft.at.trim())) problems.at = 'A revision such as 118, or a time such as 2026-11-20T08:30:00Z'
  for (const name of OBJECTS) {
    const { object, problem } = parseObject(draft[name])
    if (problem !== undefined) problems[name] = problem
    else if (name === 'relations' && !isRelations(object ?? {}))
      problems.relations = 'Enter a list of instances for each relation, such as {"parent": ["folder:f1"]}'
  }
  return problems
}

/** The address of a draft without problems. */
export function searchOfDraft(draft: Draft): QuestionSearch {
  const objects = OBJECTS.map((name) => [name, parseObject(draft[name]).object])
  const texts = TEXTS.map((name) => [name, draft[name].trim()])
  return parseSearch(Object.fromEntries([...texts, ...objects]))
}

/** What the API is asked; undefined while the address has no whole question. */
export function toQuestion(search: QuestionSearch): components['schemas']['PastQuestion'] | undefined {
  const { user, action, resource, tenant, at, user_attributes, attributes, relations, context } = search
  if (user === undefined || action === undefined || resource === undefined) return undefined
  const { type, key } = splitResource(resource)
  return {
    user: user_attributes === undefined ? user : { key: user, attributes: user_attributes },
    action,
    resource: {
      type,
      ...(key === undefined ? {} : { key }),
      ...(tenant === undefined ? {} : { tenant }),
      ...(attributes === undefined ? {} : { attributes }),
      ...(relations === undefined ? {} : { relations: relations as Record<string, string[]> }),
    },
    ...(context === undefined ? {} : { context }),
    ...(at === undefined ? {} : { at }),
  }
}

/** `type` or `type:key`: a key may have colons, a type has none. */
export function splitResource(text: string): { readonly type: string; readonly key?: string } {
  const [type = '', ...key] = text.trim().split(':')
  return key.length === 0 ? { type } : { type, key: key.join(':') }
}

const isInstant = (text: string): boolean =>
  text === '' || /^\d+$/.test(text) || (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)))

const isRelations = (relations: JsonObject): boolean =>
  Object.values(relations).every((each) => Array.isArray(each) && each.every((one) => typeof one === 'string'))
