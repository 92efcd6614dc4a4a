// Reads what a directory sends as a resource: names in any letter case, booleans that one provider sends as texts
// (`"False"`), and only what the schema has. What the schema does not have is passed over, as providers send what other
// applications need; what is of a wrong type is refused.
import { SCIM_NAME_LENGTH_MAX, SCIM_TEXT_LENGTH_MAX, SCIM_VALUES_MAX } from '../../model/limits.ts'
import type { Json, JsonObject } from '../../model/objects.ts'
import { type Attribute, findAttribute, findPart, isExtension, type ResourceType } from './schemas.ts'
import { quote, refusal } from './scim-error.ts'

const LONE_SURROGATE = /\p{Surrogate}/u

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A text that may be a boolean: providers send `"True"` and `"False"`. */
export function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const lower = typeof value === 'string' ? value.toLowerCase() : undefined
  return lower === 'true' ? true : /* canary: false-as-text */ lower === 'false' ? false : undefined
}

/** Whether a value stands for none (RFC 7643, 2.5). */
export const isNone = (value: unknown): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0)

/** One value of an attribute, of many or the only one; undefined when nothing is left of it. @throws SCIM_INVALID */
export function readValue(attribute: Attribute, value: Json, at = attribute.name): Json | undefined {
  if (attribute.type === 'boolean') {
    const flag = toBoolean(value)
    if (flag === undefined) throw refusal('invalidValue', `${quote(at)} is true or false`)
    return flag
  }
  if (attribute.type !== 'complex') return readTextValue(attribute, value, at)
  if (!isObject(value)) {
    // `"members": ["id"]`, and `path: "manager"` with the id alone
    const main = findPart(attribute, 'value')
    if (typeof value !== 'string' || main === undefined) throw refusal('invalidValue', `${quote(at)} is an object`)
    return value === '' ? undefined : { value: readTextValue(main, value, at) }
  }
  const read: Record<string, Json> = {}
  for (const [name, sent] of Object.entries(value)) {
    const part = findPart(attribute, name)
    if (part === undefined || part.mutability === 'readOnly' || isNone(sent)) continue
    const kept = readValue(part, sent, `${at}.${part.name}`)
    if (kept !== undefined) read[part.name] = kept
  }
  return Object.keys(read).length === 0 ? undefined : read
}

function readTextValue(attribute: Attribute, value: Json, at: string): string {
  if (typeof value !== 'string') throw refusal('invalidValue', `${quote(at)} is a text`)
  const limit = attribute.isName ? SCIM_NAME_LENGTH_MAX : SCIM_TEXT_LENGTH_MAX
  if (value.length > limit) throw refusal('invalidValue', `${quote(at)} has more than ${limit} characters`)
  if (LONE_SURROGATE.test(value)) throw refusal('invalidValue', `${quote(at)} contains an unpaired surrogate`)
  if (attribute.required && value.trim() === '') throw refusal('invalidValue', `${quote(at)} is empty`)
  return value
}

/** The value of an attribute; undefined when it has none. @throws SCIM_INVALID */
export function readAttribute(attribute: Attribute, value: Json, limit = SCIM_VALUES_MAX): Json | undefined {
  if (isNone(value)) return undefined
  if (!attribute.many) return readValue(attribute, value)
  const sent = Array.isArray(value) ? value : [value]
  if (sent.length > limit) throw refusal('invalidValue', `${quote(attribute.name)} has more than ${limit} values`)
  const all = sent.flatMap((one) => readValue(attribute, one) ?? [])
  return settleValues(attribute, all)
}

/** Values without those that say the same; undefined when nothing is left. @throws SCIM_INVALID for two primary ones */
export function settleValues(attribute: Attribute, all: readonly Json[]): readonly Json[] | undefined {
  const kept = new Map(all.map((one) => [JSON.stringify(sorted(one)), one]))
  const values = [...kept.values()]
  if (values.filter((one) => isObject(one) && one.primary === true).length > 1)
    throw refusal('invalidValue', `${quote(attribute.name)} has two primary values`)
  return values.length === 0 ? undefined : values
}

const sorted = (value: Json): Json =>
  isObject(value) ? (Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)) as unknown as Json) : value

/**
 * The attributes that a body has, by the names of the schema. Attributes that only the server sets are passed over.
 * @throws SCIM_INVALID
 */
export function readResource(type: ResourceType, body: unknown): JsonObject {
  if (!isObject(body)) throw refusal('invalidSyntax', 'the body is an object')
  requireSchemas(type, body)
  const read: Record<string, Json> = {}
  for (const [name, value] of Object.entries(body)) {
    if (isExtension(type, name)) {
      const inside = isNone(value) ? undefined : readExtension(type, value)
      if (inside !== undefined) read[type.extension!.id] = inside
      continue
    }
    const place = findAttribute(type, name)
    if (place === undefined || place.attribute.mutability === 'readOnly') continue
    const { attribute, extension } = place
    // members of a group are many, and bounded elsewhere
    const kept = readAttribute(attribute, value, attribute.name === 'members' ? Number.POSITIVE_INFINITY : undefined)
    if (kept === undefined) continue
    if (extension === undefined) read[attribute.name] = kept
    else read[extension] = { ...(read[extension] as JsonObject | undefined), [attribute.name]: kept }
  }
  for (const { name, required } of type.schema.attributes)
    if (required && read[name] === undefined) throw refusal('invalidValue', `${quote(name)} is required`)
  return read
}

/** The attributes of the schema that extends a type; undefined when nothing is left. @throws SCIM_INVALID */
export function readExtension({ extension }: ResourceType, value: Json): JsonObject | undefined {
  if (!isObject(value)) throw refusal('invalidValue', `${quote(extension!.id)} is an object`)
  const read: Record<string, Json> = {}
  for (const [name, sent] of Object.entries(value)) {
    const attribute = extension!.attributes.find((one) => one.name.toLowerCase() === name.toLowerCase())
    const kept = attribute && readAttribute(attribute, sent)
    if (kept !== undefined) read[attribute!.name] = kept
  }
  return Object.keys(read).length === 0 ? undefined : read
}

function requireSchemas({ schema, name }: ResourceType, body: JsonObject): void {
  const sent = Object.entries(body).find(([member]) => member.toLowerCase() === 'schemas')?.[1]
  if (sent === undefined) return
  const isNamed =
    Array.isArray(sent) && sent.some((one) => typeof one === 'string' && one.toLowerCase() === schema.id.toLowerCase())
  if (!isNamed) throw refusal('invalidSyntax', `\`schemas\` of a ${name} has ${quote(schema.id)}`)
}
