// Values of a delta as they are read from a frame: each is checked before it is used. Attributes and conditions are sent
// as JSON text, which is exact and allows any member name.
import { ZerohopError } from '../model/errors.ts'
import type { JsonObject } from '../model/objects.ts'

export function invalid(reason: string): ZerohopError {
  return new ZerohopError('FRAME_INVALID', { reason })
}

/** @throws FRAME_INVALID, as all functions here */
export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`${what} is not a list`)
  return value
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw invalid('a text is missing')
  return value
}

export function optionalText(value: unknown): string | null {
  return value === undefined || value === null ? null : text(value)
}

export function texts(value: unknown): readonly string[] {
  return list(value, 'a list of texts').map(text)
}

export function readJson(value: unknown): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text(value))
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject
  } catch {
    // reported below
  }
  throw invalid('attributes or conditions are not a JSON object')
}

/** Attributes that may be absent, as the last field of a put: an absent value is an empty list. */
export function writeAttributes(value: object | undefined): string[] {
  return value === undefined || Object.keys(value).length === 0 ? [] : [JSON.stringify(value)]
}

export function readAttributes(value: unknown): { attributes?: JsonObject } {
  return value === undefined ? {} : { attributes: readJson(value) }
}

/** Empty attributes are absent: no decision can tell the difference. */
export function someAttributes(attributes: JsonObject | null): { attributes?: JsonObject } {
  return attributes === null || Object.keys(attributes).length === 0 ? {} : { attributes }
}
