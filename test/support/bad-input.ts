// Generates bodies that are wrong in exactly one place from the JSON schema of a body. The meaning of a field beyond
// its type (a key, a reference, an email address) follows from its name, so that new routes are covered automatically;
// a new kind of field must be added here.
import {
  ASSIGNMENTS_PER_REQUEST_MAX,
  ATTRIBUTES_BYTES_MAX,
  DESCRIPTION_LENGTH_MAX,
  EXTENDS_MAX,
  JSON_DEPTH_MAX,
  KEY_BYTES_MAX,
  MAPPING_RULES_MAX,
  NAME_LENGTH_MAX,
  PERMISSIONS_PER_REQUEST_MAX,
} from '../../src/model/limits.ts'

/** The parts of JSON schema that our bodies use. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly maxItems?: number
  readonly later?: boolean
  readonly anyOf?: readonly Schema[]
  readonly pattern?: string
}

type Place = readonly (string | number)[]

/** A value that must be refused. */
export interface Bad {
  readonly what: string
  readonly value: unknown
  /** the place of the error in the body */
  readonly at: Place
  /** the status; 422 names the place */
  readonly status: number
  /** the error is reported for the body as a whole */
  readonly whole?: true
}

/** Values of fields by name, each of an object that exists. */
export type Values = Readonly<Record<string, unknown>>

const LONG = 'k'.repeat(KEY_BYTES_MAX + 1)
const ABSENT = 'nothing-here'

/** Fields that refer to another object: a missing one is 404. */
const REFERENCES = new Set([
  'role',
  'tenant',
  'user',
  'resource',
  'resource_set',
  'user_set',
  'on_resource',
  'subject_resource',
  'subject',
  'relation',
  'object',
  'role_id',
  'tenant_id',
  'idents[]',
])

/** Lists that a use case bounds. */
const MOST: Readonly<Record<string, number>> = {
  permissions: PERMISSIONS_PER_REQUEST_MAX,
  extends: EXTENDS_MAX,
  role_assignments: ASSIGNMENTS_PER_REQUEST_MAX,
  mapping_rules: MAPPING_RULES_MAX,
}

/** Instants: not a text of another form, nor a time without an offset, which nobody can tell. */
const INSTANTS = new Set(['valid_from', 'valid_until'])

/** Fields of free form: an object that is stored as it is sent. */
const FREE = new Set(['attributes', 'type_attributes', 'settings', 'v1compat_settings', 'v1compat_attributes'])

/**
 * All wrong values in place of a value of this schema; `name` is the field. `good` has the other members of an object
 * when the required ones are not enough.
 */
export function* badValues(schema: Schema, values: Values, name = '', good?: object): Generator<Bad> {
  if (schema.later || schema.const !== undefined) return
  yield* wrongTypes(schema)
  const type = schemaType(schema)
  if (INSTANTS.has(name)) yield* badInstants()
  if (type === 'object' && schema.properties) yield* badMembers(schema, values, good)
  else if (type === 'object' && typeof schema.additionalProperties === 'object') yield* badMap(schema, values, name)
  else if (type === 'object' && FREE.has(name)) yield* badFree()
  else if (type === 'array' && schema.items) yield* badItems(schema, values, name)
  else if (type === 'string') yield* badText(schema, name)
}

/** A value that is accepted, as small as the schema allows. */
export function goodValue(schema: Schema, values: Values, name = ''): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.includes(values[name]) ? values[name] : schema.enum[0]
  const type = schemaType(schema)
  const isAnother = type === 'object' && typeof values[name] === 'string' // `resource` is also a part of an answer
  if (name in values && !isAnother) return values[name]
  if (type === 'array') return schema.items ? [goodValue(schema.items, values, `${name}[]`)] : []
  if (type === 'object') {
    const entries = (schema.required ?? []).map((member) => [
      member,
      goodValue(schema.properties?.[member] ?? {}, values, member),
    ])
    return Object.fromEntries(entries)
  }
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return 1
  return 'text'
}

const schemaType = (schema: Schema): string | undefined =>
  typeof schema.type === 'string' ? schema.type : schema.type?.find((type) => type !== 'null')

function* wrongTypes(schema: Schema): Generator<Bad> {
  const type = schemaType(schema)
  if (type === undefined) return
  const others: Readonly<Record<string, unknown>> = {
    string: 'text',
    number: 1.5,
    boolean: true,
    array: [],
    object: {},
  }
  for (const [other, value] of Object.entries(others)) {
    if (other === type || (other === 'number' && type === 'integer')) continue
    yield { what: `${other} for ${type}`, value, at: [], status: 422 }
  }
  const nullable = schema.nullable || (Array.isArray(schema.type) && schema.type.includes('null'))
  if (!nullable) yield { what: 'null', value: null, at: [], status: 422 }
}

function* badMembers(schema: Schema, values: Values, given?: object): Generator<Bad> {
  const good = (given ?? goodValue(schema, values)) as Record<string, unknown>
  for (const [member, inner] of Object.entries(schema.properties ?? {})) {
    for (const bad of badValues(inner, values, member)) {
      yield { ...bad, value: { ...good, [member]: bad.value }, at: [member, ...bad.at] }
    }
    if (inner.later) {
      yield { what: 'not supported yet', value: { ...good, [member]: { some: 1 } }, at: [member], status: 422 }
    }
  }
  for (const member of schema.required ?? []) {
    const { [member]: _, ...rest } = good
    yield { what: 'missing', value: rest, at: [member], status: 422 }
  }
  if (schema.additionalProperties === false) {
    yield { what: 'unknown field', value: { ...good, nonsense: 1 }, at: ['nonsense'], status: 422 }
  }
}

function* badMap(schema: Schema, values: Values, name: string): Generator<Bad> {
  const inner = schema.additionalProperties as Schema
  for (const bad of badValues(inner, values, `${name}{}`)) {
    yield { ...bad, value: { inner: bad.value }, at: ['inner', ...bad.at] }
  }
  if (name === 'headers') return
  const good = goodValue(inner, values, `${name}{}`)
  for (const key of ['a b', '', LONG])
    yield { what: `key ${shown(key)}`, value: { [key]: good }, at: [key], status: 422 }
}

function* badItems(schema: Schema, values: Values, name: string): Generator<Bad> {
  const item = schema.items as Schema
  for (const bad of badValues(item, values, `${name}[]`)) {
    yield { ...bad, value: [bad.value], at: [0, ...bad.at] }
  }
  const most = schema.maxItems ?? MOST[name]
  if (most !== undefined) {
    const value = new Array(most + 1).fill(goodValue(item, values, `${name}[]`))
    yield { what: `more than ${most} items`, value, at: [], status: 422 }
  }
}

function* badText(schema: Schema, name: string): Generator<Bad> {
  const bad = (what: string, value: unknown, status = 422): Bad => ({ what, value, at: [], status })
  if (schema.enum) {
    yield bad('unknown word', 'nonsense')
    return
  }
  if (name === 'key') {
    for (const key of ['', 'a b', 'ä', 'a/b', 'a:b', LONG]) yield bad(`key ${shown(key)}`, key)
  }
  if (name === 'name') yield bad('too long', 'n'.repeat(NAME_LENGTH_MAX + 1))
  if (name === 'description' || /^v1compat_/.test(name)) yield bad('too long', 'd'.repeat(DESCRIPTION_LENGTH_MAX + 1))
  if (name === 'name' || name === 'description' || name === 'first_name') yield bad('half a surrogate pair', '\ud800')
  if (name === 'email') {
    for (const email of ['nobody', 'a@b', 'a b@c.de', `${'a'.repeat(250)}@b.cd`])
      yield bad(`email ${shown(email)}`, email)
  }
  if (REFERENCES.has(name) || name.endsWith('_id')) yield bad('reference to nothing', ABSENT, 404)
  if (name === 'permissions[]' || name === 'permission') {
    yield bad('permission on nothing', `${ABSENT}:read`, 404)
    yield bad('malformed permission', 'a:b:c', 400)
  }
}

function* badInstants(): Generator<Bad> {
  for (const value of ['tomorrow', '2026-01-01T00:00:00', 2 ** 60])
    yield { what: `instant ${value}`, value, at: [], status: 422 }
}

function* badFree(): Generator<Bad> {
  const bad = (what: string, value: unknown, at: Place = []): Bad => ({ what, value, at, status: 422 })
  yield bad('too large', { text: 'x'.repeat(ATTRIBUTES_BYTES_MAX) })
  let deep: unknown = {}
  for (let level = 0; level < JSON_DEPTH_MAX; level++) deep = { deep }
  yield { ...bad('too deep', deep), whole: true }
  yield bad('half a surrogate pair', { text: 'a\udc00' }, ['text'])
  yield bad('a number that cannot be kept', { big: 2 ** 53 + 2 }, ['big'])
}

const shown = (text: string): string =>
  JSON.stringify(text.length > 20 ? `${text.slice(0, 8)}… (${text.length})` : text)
