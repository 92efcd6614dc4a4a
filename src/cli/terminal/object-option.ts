// Options whose value is a JSON object.
import { ZerohopError } from '../../model/errors.ts'
import type { JsonObject } from '../../model/objects.ts'

/** The object; undefined without the option. @param option its name, for the error. @throws INPUT_INVALID */
export function readObject(json: string | undefined, option: string): JsonObject | undefined {
  if (json === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new ZerohopError('INPUT_INVALID', { reason: `${option} is not JSON: ${(error as Error).message}` })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ZerohopError('INPUT_INVALID', { reason: `${option} is not a JSON object: it is ${json}` })
  return value as JsonObject
}
