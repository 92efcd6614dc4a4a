// The fields of a form that makes or changes an object of the API, as text: what was typed, what is wrong with it, and
// what is sent, which is only what differs from the stored object.
import { DURATION_FORM, formatSeconds, parseDuration } from 'zerohop/durations'
import { parseObject } from './json-object.ts'

export interface Field {
  /** in the body of the request */
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  readonly description?: string
  readonly isRequired?: boolean
  /** a JSON object, such as attributes */
  readonly isObject?: boolean
  /** seconds, typed as `7d` */
  readonly isDuration?: boolean
  /** yes or no; the draft has `true` or nothing */
  readonly isFlag?: boolean
  /** one of these */
  readonly options?: readonly string[]
  /** any number of these; the draft has one in a line */
  readonly choices?: readonly string[]
  /** how the choices are shown, where their keys alone say too little */
  readonly groups?: readonly ChoiceGroup[]
}

/** Choices that belong together, such as the actions of one resource type. */
export interface ChoiceGroup {
  /** above them; none where there is one group */
  readonly heading?: string
  readonly choices: readonly {
    readonly key: string
    readonly name: string
    /** below the name */
    readonly about?: string | undefined
  }[]
}

/** By name of the field. */
export type Draft = Readonly<Record<string, string>>
export type Stored = Readonly<Record<string, unknown>>

/** As the object is stored; empty fields for a new one. */
export function makeDraft(fields: readonly Field[], stored: Stored = {}): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, toText(field, stored[field.name])]))
}

function toText({ isObject, isDuration, options, choices }: Field, value: unknown): string {
  if (choices) return choices.filter((choice) => Array.isArray(value) && value.includes(choice)).join('\n')
  if (options && value === undefined) return options[0] ?? ''
  if (value === null || value === undefined) return ''
  if (isDuration) return formatSeconds(Number(value))
  if (!isObject) return String(value)
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2)
}

/** What is chosen in a field with choices. */
export const parseChosen = (text: string): readonly string[] => text.split('\n').filter(Boolean)

/** By name of the field; empty when it can be sent. */
export function findProblems(fields: readonly Field[], draft: Draft): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {}
  for (const { name, label, isObject, isDuration = false, isRequired } of fields) {
    const text = draft[name] ?? ''
    const problem = isObject ? parseObject(text).problem : undefined
    if (problem !== undefined) problems[name] = problem
    else if (isDuration && text.trim() !== '' && parseDuration(text) === undefined) problems[name] = DURATION_FORM
    else if (isRequired && text.trim() === '') problems[name] = `${label} is required`
  }
  return problems
}

/** A draft on another state of the object: what was changed stays, the other fields are as stored there. */
export function rebased(fields: readonly Field[], draft: Draft, base: Stored, stored: Stored): Draft {
  const changed = makeBody(fields, draft, base)
  const fresh = makeDraft(fields, stored)
  const isMine = ({ name, isObject }: Field) =>
    name in changed || (isObject && parseObject(draft[name] ?? '').problem !== undefined)
  return Object.fromEntries(fields.map((field) => [field.name, (isMine(field) ? draft : fresh)[field.name] ?? '']))
}

/** True when something was typed that differs from the stored object. */
export const isChanged = (fields: readonly Field[], draft: Draft, stored: Stored): boolean =>
  Object.keys(makeBody(fields, draft, stored)).length > 0

/** What is sent: fields of a draft without problems that differ from the stored object. Emptied ones are null. */
export function makeBody(
  fields: readonly Field[],
  draft: Draft,
  stored: Stored = {},
): Readonly<Record<string, unknown>> {
  const before = makeDraft(fields, stored)
  const isNew = ({ name, options }: Field) => options !== undefined && stored[name] === undefined
  const changed = fields.filter(
    (field) => isNew(field) || !isSame(field, draft[field.name] ?? '', before[field.name] ?? ''),
  )
  return Object.fromEntries(changed.map((field) => [field.name, sentValue(field, draft[field.name] ?? '')]))
}

function isSame({ isObject }: Field, left: string, right: string): boolean {
  if (!isObject) return left.trim() === right.trim()
  const [one, other] = [parseObject(left), parseObject(right)]
  // the order of members is not compared away: who changes it means to
  return one.problem === undefined && JSON.stringify(one.object ?? {}) === JSON.stringify(other.object ?? {})
}

function sentValue({ isObject, isDuration, isFlag, choices }: Field, text: string): unknown {
  if (isFlag) return text !== ''
  if (choices) return parseChosen(text)
  if (isObject) return parseObject(text).object ?? {}
  if (isDuration) return parseDuration(text) ?? null
  return text.trim() === '' ? null : text.trim()
}
