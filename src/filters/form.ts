// Whether a value that came from elsewhere has the form of a filter. What reads filters must not guess at a form that
// it does not know: a condition that is skipped would let rows through.
import { ZerohopError } from '../model/errors.ts'
import { FILTER_FORMAT, type Filter } from '../model/filter.ts'
import { FilterSchema } from '../model/filter-schema.ts'
import { FILTER_DEPTH_MAX } from '../model/limits.ts'
import { printTime } from '../model/print-time.ts'

/** The words of JSON Schema that `FilterSchema` uses. */
interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string
  readonly minimum?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

const DEFINITIONS = FilterSchema.$defs as unknown as Readonly<Record<string, Schema>>
const checked = new WeakSet<object>()

/**
 * @param now the instant of the question, in ms since 1970; undefined: that of the clock
 * @throws INPUT_INVALID when the value is not a filter of the format that is known here, or `now` is not a time;
 *   FILTER_EXPIRED from its `validUntil` on
 */
export function requireFilter(value: Filter, now: number | undefined): Filter {
  requireTime(now)
  const { type, tenant, validUntil } = requireForm(value)
  if (validUntil !== undefined && /* canary: end-of-a-filter */ (now ?? Date.now()) >= validUntil)
    throw new ZerohopError('FILTER_EXPIRED', { type, tenant, until: printTime(validUntil) })
  return value
}

function requireForm(value: Filter): Filter {
  if (typeof value === 'object' && value !== null && checked.has(value)) return value
  const format: unknown = (value as { readonly format?: unknown } | null | undefined)?.format
  if (typeof format === 'number' && format !== FILTER_FORMAT)
    throw new ZerohopError('INPUT_INVALID', {
      reason: `\`filter.format\` is not of the form of a filter: ${format} is another format than ${FILTER_FORMAT}, so make it again`,
    })
  const found = fault(value, FilterSchema as unknown as Schema, 'filter', 0)
  if (found !== undefined)
    throw new ZerohopError('INPUT_INVALID', { reason: `\`${found}\` is not of the form of a filter` })
  freeze(value)
  checked.add(value)
  return value
}

/** What was found to be a filter stays one. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const each of Object.values(value)) freeze(each)
}

function requireTime(now: number | undefined): void {
  if (now !== undefined && !Number.isFinite(now))
    throw new ZerohopError('INPUT_INVALID', { reason: '`now` must be milliseconds since 1970' })
}

/** Where the value is not as the schema says; undefined when it is. */
function fault(value: unknown, schema: Schema, at: string, depth: number): string | undefined {
  if (depth > FILTER_DEPTH_MAX) return at
  if (schema.$ref !== undefined) return fault(value, DEFINITIONS[schema.$ref.slice('#/$defs/'.length)]!, at, depth + 1)
  if (schema.anyOf !== undefined) return faultOfAny(value, schema.anyOf, at, depth)
  if ('const' in schema) return value === schema.const ? undefined : at
  if (schema.enum !== undefined) return schema.enum.includes(value) ? undefined : at
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' ? undefined : at
    case 'boolean':
      return typeof value === 'boolean' ? undefined : at
    case 'integer':
      return Number.isSafeInteger(value) && (value as number) >= schema.minimum! ? undefined : at
    case 'array':
      if (!Array.isArray(value)) return at
      return findFirst(value.entries(), (index, item) => fault(item, schema.items!, `${at}.${index}`, depth))
    case 'object':
      if (!hasMembers(value, schema)) return at
      return findFirst(Object.entries(value), (name, inner) =>
        fault(inner, schema.properties![name]!, `${at}.${name}`, depth),
      )
    default:
      return isJson(value, depth) ? undefined : at
  }
}

/** The fault of the only form that has these members, if there is one. */
function faultOfAny(value: unknown, forms: readonly Schema[], at: string, depth: number): string | undefined {
  let found: string | undefined
  for (const form of forms) {
    const here = fault(value, form, at, depth)
    if (here === undefined) return undefined
    if (found === undefined || here.length > found.length) found = here
  }
  return found
}

function hasMembers(value: unknown, { properties = {}, required = [] }: Schema): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.keys(value).every((name) => Object.hasOwn(properties, name))
  )
}

function isJson(value: unknown, depth: number): boolean {
  if (depth > FILTER_DEPTH_MAX) return false
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value === 'object' && Object.values(value).every((each) => isJson(each, depth + 1))
}

function findFirst<K>(
  entries: Iterable<readonly [K, unknown]>,
  find: (key: K, value: unknown) => string | undefined,
): string | undefined {
  for (const [key, value] of entries) {
    const found = find(key, value)
    if (found !== undefined) return found
  }
  return undefined
}
