// Compares JSON that no server has validated, such as a file, with a schema from src/model/json-schema.ts: types, enums
// and members. Finds everything that is wrong, each with its place. Further constraints on values are checked by the
// use cases.
import { ZerohopError } from '../../model/errors.ts'
import type { TSchema } from '../../model/json-schema.ts'
import type { Path } from './fields.ts'

/** The schema keywords that are checked here. */
export interface Shape {
  readonly type?: ShapeType | readonly ShapeType[]
  readonly enum?: readonly unknown[]
  readonly nullable?: boolean
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Shape
  readonly anyOf?: readonly Shape[]
}
export type ShapeType = 'string' | 'integer' | 'boolean' | 'object' | 'array'

/** A place at which a value is not as its schema says. */
export type Misfit =
  | { readonly kind: 'type'; readonly path: Path; readonly wanted: readonly ShapeType[]; readonly got: unknown }
  | { readonly kind: 'word'; readonly path: Path; readonly words: readonly string[]; readonly got: unknown }
  /** a member that the object cannot have; the path ends with it */
  | { readonly kind: 'unknown'; readonly path: Path; readonly names: readonly string[] }
  /** a member that the object must have; the path ends with it */
  | { readonly kind: 'missing'; readonly path: Path }

/** Everything that is wrong with the value, in the order in which it stands there. */
export function misfits(schema: TSchema, value: unknown, path: Path): Misfit[] {
  const found: Misfit[] = []
  check(schema as Shape, value, path, found)
  return found
}

/**
 * The value, in which a member of a map that says nothing, such as `read` in `actions: { read: }`, is an empty object
 * where that is enough.
 */
export function withEmptyBlocks(schema: TSchema, value: unknown): unknown {
  return filled(schema as Shape, value)
}

function filled(shape: Shape, value: unknown): unknown {
  if (Array.isArray(value)) return shape.items === undefined ? value : value.map((item) => filled(shape.items!, item))
  if (typeof value !== 'object' || value === null) return value
  const form = shape.anyOf?.find(({ type }) => type === 'object') ?? shape
  const { properties = {}, additionalProperties: block } = form
  const members = Object.entries(value).map(([name, inside]): [string, unknown] => {
    if (Object.hasOwn(properties, name)) return [name, filled(properties[name]!, inside)]
    if (!block) return [name, inside]
    return [name, inside === null && mayBeEmpty(block) ? {} : filled(block, inside)]
  })
  return Object.fromEntries(members)
}

const mayBeEmpty = ({ type, nullable, required = [] }: Shape): boolean =>
  type === 'object' && nullable !== true && required.length === 0

/** @throws INPUT_INVALID for the first thing that is wrong, with the place */
export function requireShape(schema: TSchema, value: unknown, path: Path): void {
  const [first] = misfits(schema, value, path)
  if (first !== undefined)
    throw new ZerohopError('INPUT_INVALID', { reason: formatMisfit(first) }, { path: first.path })
}

/** In the words of the API. */
function formatMisfit(misfit: Misfit): string {
  switch (misfit.kind) {
    case 'type':
      return `value is not a valid ${misfit.wanted.join(' or ')}`
    case 'word':
      return `permitted: ${misfit.words.join(', ')}`
    case 'missing':
      return 'field required'
    default:
      return 'extra fields not permitted'
  }
}

function check(shape: Shape, value: unknown, path: Path, found: Misfit[]): void {
  if (value === null && shape.nullable) return
  if (shape.anyOf !== undefined) checkForms(shape.anyOf, value, path, found)
  else if (shape.enum !== undefined && !shape.enum.includes(value)) {
    const words = [...new Set(shape.enum.filter((word) => word !== null).map(String))]
    found.push({ kind: 'word', path, words, got: value })
  } else if (shape.type !== undefined && !listTypes(shape).includes(nameType(value))) {
    found.push({ kind: 'type', path, wanted: listTypes(shape), got: value })
  } else if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) check(shape.items ?? {}, one, [...path, at], found)
  } else if (nameType(value) === 'object') {
    checkObject(shape, value as object, path, found)
  }
}

/** Several forms are told apart by their types. */
function checkForms(forms: readonly Shape[], value: unknown, path: Path, found: Misfit[]): void {
  const form = forms.find((one) => listTypes(one).includes(nameType(value)))
  const wanted = forms.flatMap(listTypes)
  if (form !== undefined) check(form, value, path, found)
  else found.push({ kind: 'type', path, wanted, got: value })
}

type Members = Readonly<Record<string, unknown>>

function checkObject(
  { properties = {}, required = [], additionalProperties }: Shape,
  value: object,
  path: Path,
  found: Misfit[],
): void {
  for (const name of required) {
    if ((value as Members)[name] === undefined) found.push({ kind: 'missing', path: [...path, name] })
  }
  for (const [name, one] of Object.entries(value)) {
    if (one === undefined) continue // of a caller in this process: as if it were not there
    const shape = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (shape === false) found.push({ kind: 'unknown', path: [...path, name], names: Object.keys(properties) })
    else if (shape !== undefined) check(shape, one, [...path, name], found)
  }
}

const listTypes = ({ type }: Shape): readonly ShapeType[] =>
  type === undefined ? [] : ((typeof type === 'string' ? [type] : type) as readonly ShapeType[])

/** A name of none of the types for what is of none. */
function nameType(value: unknown): ShapeType {
  if (value === null) return 'null' as ShapeType
  if (Number.isInteger(value)) return 'integer'
  return (Array.isArray(value) ? 'array' : typeof value) as ShapeType
}
