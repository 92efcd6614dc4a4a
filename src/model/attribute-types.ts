// What a value of a declared type is (docs/conditions.md). No value is ever turned into one of another type (D7).
import { parseInstant } from './instant.ts'
import type { AttributeType, Json, JsonObject } from './objects.ts'

/** Is the value one that an attribute declared as `type` may have? `null` is a value of no type but `json`. */
export function isOfType(value: Json | undefined, type: AttributeType): boolean {
  switch (type) {
    case 'bool':
      return typeof value === 'boolean'
    case 'number':
      return typeof value === 'number'
    case 'string':
      return typeof value === 'string'
    case 'time':
      return parseInstant(value) !== undefined
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'object_array':
      return Array.isArray(value) && value.every(isObject)
    case 'json':
      return true
  }
}

/** An object, not a list and not `null`. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
