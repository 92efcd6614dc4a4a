// Names of attributes as filters and operations write them: `userName`, `name.givenName`, `emails.type`, with or without
// the id of a schema before them.
import type { Json, JsonObject } from '../../model/objects.ts'
import { isObject } from './read-resource.ts'
import { type Attribute, findAttribute, findPart, type Place, type ResourceType } from './schemas.ts'

/** An attribute of a resource, or a part of it. */
export interface AttributePath extends Place {
  readonly part?: Attribute
}

/** What an attribute is named by: letters, digits, `_`, `-` and `$`; the id of a schema has `:` and `.` besides. */
export const NAME = /[A-Za-z$][\w$:.-]*/y

/** The attribute that a text names; undefined when the type has none of that name. */
export function resolvePath(type: ResourceType, text: string): AttributePath | undefined {
  const whole = findAttribute(type, text)
  if (whole !== undefined) return whole
  // the id of a schema has dots too
  const dot = text.lastIndexOf('.')
  const place = dot < 0 ? undefined : findAttribute(type, text.slice(0, dot))
  const part = place && findPart(place.attribute, text.slice(dot + 1))
  return part && { ...place!, part }
}

/** The value of an attribute of a resource; undefined when it has none. */
export function findValue(resource: JsonObject, { attribute, extension }: Place): Json | undefined {
  const holder = extension === undefined ? resource : resource[extension]
  return isObject(holder) ? holder[attribute.name] : undefined
}

/** The resource with another value of an attribute, or without it. */
export function withValue(resource: JsonObject, { attribute, extension }: Place, value: Json | undefined): JsonObject {
  if (extension === undefined) return withMember(resource, attribute.name, value)
  const inside = withMember((resource[extension] ?? {}) as JsonObject, attribute.name, value)
  return withMember(resource, extension, Object.keys(inside).length === 0 ? undefined : inside)
}

/** The object with another value of a member, or without it. */
export function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const { [name]: _, ...rest } = object
  return value === undefined ? rest : { ...rest, [name]: value }
}
