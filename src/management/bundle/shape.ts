// Tells whether JSON that no schema has seen, such as a file, has the form that the use cases take: types and members. What a value must be
// beyond its type is theirs to say.
import { ZerohopError } from '../../model/errors.ts'
import type { Path } from '../fields.ts'

/** @throws INPUT_INVALID, with the place */
export type Shape = (value: unknown, path: Path) => void

const primitive =
  (type: 'string' | 'boolean'): Shape =>
  (value, path) => {
    if (typeof value !== type) throw invalid(`value is not a valid ${type}`, path)
  }
export const text = primitive('string')
export const flag = primitive('boolean')

export const object: Shape = (value, path) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('value is not a valid object', path)
}

export const oneOf =
  (...values: readonly string[]): Shape =>
  (value, path) => {
    if (!values.some((one) => one === value)) throw invalid(`permitted: ${values.join(', ')}`, path)
  }

export const listOf =
  (item: Shape): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) throw invalid('value is not a valid array', path)
    for (const [at, one] of value.entries()) item(one, [...path, at])
  }

export const mapOf =
  (item: Shape): Shape =>
  (value, path) => {
    object(value, path)
    for (const [name, one] of Object.entries(value as object)) item(one, [...path, name])
  }

/** An object with these members and no other; one whose name ends in `!` must be there, the others may be null. */
export function closed(members: Readonly<Record<string, Shape>>): Shape {
  const shapes = new Map(Object.entries(members).map(([name, shape]) => [name.replace('!', ''), shape]))
  const required = Object.keys(members)
    .filter((name) => name.endsWith('!'))
    .map((name) => name.slice(0, -1))
  return (value, path) => {
    object(value, path)
    const sent = value as Record<string, unknown>
    for (const name of required) if (!Object.hasOwn(sent, name)) throw invalid('field required', [...path, name])
    for (const [name, one] of Object.entries(sent)) {
      const shape = shapes.get(name)
      if (shape === undefined) throw invalid('extra fields not permitted', [...path, name])
      if (one !== null || required.includes(name)) shape(one, [...path, name])
    }
  }
}

function invalid(reason: string, path: Path): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path })
}
