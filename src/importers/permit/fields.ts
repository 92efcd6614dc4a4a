// Fields of an object as they stand.
import type { Answered } from './api.ts'

export const section = (name: string, content: object): object =>
  Object.keys(content).length === 0 ? {} : { [name]: content }

/** The fields that are there, and say something. */
export function pick(object: Answered, fields: readonly string[]): Record<string, unknown> {
  const isSaid = (value: unknown): boolean =>
    value !== undefined && value !== null && (typeof value !== 'object' || Object.keys(value).length > 0)
  // conditions are said, also those that are always true
  return Object.fromEntries(
    fields.flatMap((field) =>
      isSaid(object[field]) || (field === 'conditions' && object[field] !== null) ? [[field, object[field]]] : [],
    ),
  )
}

/** Of a list that may be absent. */
export const listIn = (value: unknown): readonly Answered[] => (Array.isArray(value) ? (value as Answered[]) : [])
export const textsIn = (value: unknown): readonly string[] => listIn(value).map(String)
export const partsIn = (value: unknown): readonly (readonly [string, Answered])[] =>
  Object.entries((value ?? {}) as Readonly<Record<string, Answered>>)
