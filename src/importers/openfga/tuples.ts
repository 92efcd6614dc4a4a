// Tuples as YAML, JSON and CSV, each with its place. A member that OpenFGA does not have is an error: a condition whose
// name is misspelt would otherwise be none.

import { formSentence } from '../../management/policy-file/form-sentence.ts'
import type { Place, Problem, Source } from '../../management/policy-file/problem.ts'
import { YamlDocument } from '../../management/policy-file/yaml-document.ts'
import type { Path } from '../../management/rules/fields.ts'
import { misfits } from '../../management/rules/shape.ts'
import * as t from '../../model/json-schema.ts'
import { IMPORTED_LINES_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { splitRows } from '../frame/rows.ts'

/** Who, or whatever else, stands on the left of a tuple. */
export interface TupleSubject {
  readonly type: string
  /** `*` for all of the type */
  readonly id: string
  /** of a userset, `group:eng#member` */
  readonly relation: string | undefined
}

export interface Tuple {
  readonly user: TupleSubject
  readonly relation: string
  readonly object: { readonly type: string; readonly id: string }
  readonly condition: { readonly name: string; readonly context: JsonObject } | undefined
  readonly place: Place
  /** as it is sent to OpenFGA */
  readonly written: TupleKey
}

const Context = t.schemaOf<JsonObject>({ type: 'object' })

export const TupleKey = t.closed({
  user: t.Text,
  relation: t.Text,
  object: t.Text,
  condition: t.maybe(t.closed({ name: t.Text, context: t.maybe(Context) })),
})
export type TupleKey = t.Static<typeof TupleKey>

/** As OpenFGA's API answers. */
const ReadTuple = t.closed({ key: TupleKey, timestamp: t.maybe(t.Text) })
const Anything = t.schemaOf<unknown>({})
const TupleList = t.listOf(Anything)
const ReadTuples = t.closed({ tuples: TupleList, continuation_token: t.maybe(t.Text) })

export type Refuse = (message: string, place: Place) => void

/** The tuples of a file, by its name: `.csv`, else YAML, which JSON is. */
export function readTuples(source: Source, problems: Problem[]): readonly Tuple[] {
  const refuse: Refuse = (message, place) => problems.push({ severity: 'error', message, place })
  if (source.name.endsWith('.csv')) return readRows(source, refuse)
  if (source.text.trim() === '') return []
  const document = new YamlDocument(source)
  problems.push(...document.problems)
  if (document.value === undefined) return []
  const isList = Array.isArray(document.value)
  const fits = (schema: t.TSchema, value: unknown, path: Path): boolean => {
    const wrong = misfits(schema, value, path)
    for (const misfit of wrong) refuse(formSentence(misfit), document.place(misfit.path))
    return wrong.length === 0
  }
  if (!fits(isList ? TupleList : ReadTuples, document.value, [])) return []
  const listed = isList ? document.value : (document.value as { readonly tuples: readonly unknown[] }).tuples
  const findPath = (at: number): Path => (isList ? [at] : ['tuples', at])
  const keys = (listed as readonly unknown[]).map((each, at) => {
    const isRead = typeof each === 'object' && each !== null && Object.hasOwn(each, 'key')
    if (!fits(isRead ? ReadTuple : TupleKey, each, findPath(at))) return undefined
    return isRead ? (each as t.Static<typeof ReadTuple>).key : (each as TupleKey)
  })
  if (keys.includes(undefined)) return []
  return toTuples(keys as readonly TupleKey[], (at) => document.place(findPath(at)), refuse)
}

/** The tuples of a list in a store file, which has the form already. */
export function toTuples(keys: readonly TupleKey[], placeOf: (at: number) => Place, refuse: Refuse): readonly Tuple[] {
  if (keys.length > IMPORTED_LINES_MAX) refuse(`more than ${IMPORTED_LINES_MAX} tuples in one file`, placeOf(0))
  return keys.slice(0, IMPORTED_LINES_MAX).flatMap((key, at) => toTuple(key, placeOf(at), refuse) ?? [])
}

function toTuple(key: TupleKey, place: Place, refuse: Refuse): Tuple | undefined {
  const { user, relation, object, condition } = key
  if (!isUser(user)) refuse(`\`${user}\` is not a user such as user:anne, user:* or group:eng#member`, place)
  else if (!isObject(object)) refuse(`\`${object}\` is not an object such as document:1`, place)
  else
    return {
      ...{ user: splitUser(user), relation, object: splitObject(object), place, written: key },
      condition: isNone(condition) ? undefined : { name: condition.name, context: condition.context ?? {} },
    }
  return undefined
}

/** As the server of OpenFGA has them; its parser is stricter. */
const OBJECT = /^[^:#@*\s]{1,254}:[^:#\s]+$/
const USERSET = /^[^:#@*\s]{1,254}:[^:#\s]+#[^:#@*\s]{1,50}$/
const NAME_LENGTH = { object: 256, user: 512 } as const

export const isObject = (text: string): boolean =>
  OBJECT.test(text) && !text.endsWith(':*') && text.length <= NAME_LENGTH.object

export const isUser = (text: string): boolean =>
  (OBJECT.test(text) || (USERSET.test(text) && !text.includes(':*#'))) && text.length <= NAME_LENGTH.user

const isNone = <T>(value: T | null | undefined): value is null | undefined => value === null || value === undefined

export function splitObject(text: string): { readonly type: string; readonly id: string } {
  const at = text.indexOf(':')
  return { type: text.slice(0, at), id: text.slice(at + 1) }
}

export function splitUser(text: string): TupleSubject {
  const at = text.indexOf('#')
  return { ...splitObject(at === -1 ? text : text.slice(0, at)), relation: at === -1 ? undefined : text.slice(at + 1) }
}

const COLUMNS = [
  'user_type',
  'user_id',
  'user_relation',
  'relation',
  'object_type',
  'object_id',
  'condition_name',
  'condition_context',
] as const
type Column = (typeof COLUMNS)[number]
const REQUIRED: readonly Column[] = ['user_type', 'user_id', 'relation', 'object_type', 'object_id']

/** CSV with a line of column names, as OpenFGA's command line reads it. */
function readRows(source: Source, refuse: Refuse): readonly Tuple[] {
  const at = (line: number): Place => ({ file: source.name, line, column: 1, length: 1 })
  const rows = splitRows(source.text, (message, line) => refuse(message, at(line)))
  if (rows === undefined) return []
  const [head, ...body] = rows
  const names = head?.values.map((name) => name.trim()) ?? []
  const unknown = names.find((name) => !COLUMNS.includes(name as Column))
  const missing = REQUIRED.find((name) => !names.includes(name))
  if (unknown !== undefined || missing !== undefined || new Set(names).size !== names.length) {
    const reason =
      unknown !== undefined
        ? `unknown column \`${unknown}\``
        : missing !== undefined
          ? `the column \`${missing}\` is missing`
          : 'a column appears twice'
    refuse(`${reason}: the first line has ${COLUMNS.join(', ')}`, at(1))
    return []
  }
  const keys: TupleKey[] = []
  const lines: number[] = []
  for (const { values, line } of body) {
    if (values.length !== names.length) {
      refuse(`the first line has ${names.length} columns, this one has ${values.length}`, at(line))
      continue
    }
    const key = toKey(
      (column) => values[names.indexOf(column)] ?? '',
      (message) => refuse(message, at(line)),
    )
    if (key === undefined) continue
    keys.push(key)
    lines.push(line)
  }
  return toTuples(keys, (index) => at(lines[index] ?? 1), refuse)
}

function toKey(value: (column: Column) => string, refuse: (message: string) => void): TupleKey | undefined {
  const [relation, name, context] = [value('user_relation'), value('condition_name'), value('condition_context')]
  let read: unknown = {}
  try {
    if (context !== '') read = JSON.parse(context)
  } catch {
    read = undefined
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    refuse('`condition_context` is not a JSON object')
    return undefined
  }
  if (name === '' && context !== '') {
    refuse('there is a `condition_context`, and no `condition_name`')
    return undefined
  }
  const user = `${value('user_type')}:${value('user_id')}`
  return {
    ...{ user: relation === '' ? user : `${user}#${relation}`, relation: value('relation') },
    object: `${value('object_type')}:${value('object_id')}`,
    ...(name === '' ? {} : { condition: { name, context: read as JsonObject } }),
  }
}

/** The schema of a list of tuples in a store file. */
export const TupleKeys = t.listOf(TupleKey)
