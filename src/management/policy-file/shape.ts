// Validates JSON that no server has validated, such as a file, against a schema from src/model/json-schema.ts: types,
// enums and members. Further constraints on values are checked by the use cases.
import { ZerohopError } from '../../model/errors.ts'
import type { TSchema } from '../../model/json-schema.ts'
import type { Path } from '../fields.ts'

/** The schema keywords that are checked here. */
interface Shape {
  readonly type?: 'string' | 'boolean' | 'object' | 'array'
  readonly enum?: readonly unknown[]
  readonly nullable?: boolean
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Shape
}

/** @throws INPUT_INVALID, with the place */
export function requireShape(schema: TSchema, value: unknown, path: Path): void {
  check(schema as Shape, value, path)
}

function check(shape: Shape, value: unknown, path: Path): void {
  if (value === null && shape.nullable) return
  if (shape.enum !== undefined && !shape.enum.includes(value)) {
    const words = new Set(shape.enum.filter((word) => word !== null).map(String))
    throw invalid(`permitted: ${[...words].join(', ')}`, path)
  }
  if (shape.type === 'object') checkObject(shape, value, path)
  else if (shape.type === 'array') checkList(shape, value, path)
  else if (shape.type !== undefined && typeof value !== shape.type)
    throw invalid(`value is not a valid ${shape.type}`, path)
}

function checkList({ items = {} }: Shape, value: unknown, path: Path): void {
  if (!Array.isArray(value)) throw invalid('value is not a valid array', path)
  for (const [at, one] of value.entries()) check(items, one, [...path, at])
}

function checkObject(
  { properties = {}, required = [], additionalProperties }: Shape,
  value: unknown,
  path: Path,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('value is not a valid object', path)
  for (const name of required) if (!Object.hasOwn(value, name)) throw invalid('field required', [...path, name])
  for (const [name, one] of Object.entries(value)) {
    const shape = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (shape === false) throw invalid('extra fields not permitted', [...path, name])
    if (shape !== undefined) check(shape, one, [...path, name])
  }
}

function invalid(reason: string, path: Path): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path })
}
