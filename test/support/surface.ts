// The surface of an API as text: one line for each operation, parameter, field and answer of its OpenAPI document, with
// type and bounds. It is sorted and leaves descriptions and examples out, so that it changes only when clients could
// notice.
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi.ts'

type Part = Readonly<Record<string, unknown>>

/** What is said for readers, and what other words of a line say. */
const NOT_SHOWN = ['description', 'title', 'examples', 'type', 'properties', 'required', 'items', '$ref', 'anyOf']

export function formatSurface({ paths, components }: OpenApiDocument): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      formatOperation(`${method.toUpperCase()} ${path}`, operation),
    ),
  )
  const { schemas } = components as { schemas: Record<string, Part> }
  const objects = Object.entries(schemas).flatMap(([name, schema]) => fields(name, schema))
  return [...operations.sort(), ...objects.sort(), ''].join('\n')
}

function formatOperation(name: string, operation: OpenApiOperation): string[] {
  const { operationId, tags, parameters = [], requestBody, responses, security, deprecated } = operation
  const marks = [...(security?.length === 0 ? ['open'] : []), ...(deprecated ? ['deprecated'] : [])]
  const isError = ([status]: readonly [string, Part]) => status === 'default' || status.startsWith('4')
  const all = Object.entries(responses as Readonly<Record<string, Part>>)
  const errors = all.filter(isError).map(([status, response]) => `${status} ${formatType(contentSchema(response))}`)
  const answers = all.filter((entry) => !isError(entry))
  return [
    [`${name}: ${operationId}`, `tag=${tags.join(',')}`, ...marks, `errors=${errors.join(', ')}`].join(' '),
    // what stands in the path has its line already when it is any text
    ...(parameters as unknown as readonly Parameter[])
      .filter((parameter) => parameter.in !== 'path' || !isPlain(parameter.schema))
      .flatMap((parameter) =>
        fields(`${name} ${parameter.in} ${parameter.name}`, parameter.schema, parameter.required),
      ),
    ...(requestBody === undefined ? [] : answer(`${name} body`, requestBody)),
    ...answers.flatMap(([status, response]) => answer(`${name} ${status}`, response)),
  ]
}

const contentSchema = ({ content }: Part) =>
  (content as Readonly<Record<string, { readonly schema: Part }>>)['application/json']?.schema ?? {}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Part
}

/** What is sent or answered: nothing, or content of some type. */
function answer(name: string, response: Part): string[] {
  const content = Object.entries((response.content ?? {}) as Record<string, { readonly schema?: Part }>)
  if (content.length === 0) return [`${name}: nothing`]
  return content.flatMap(([type, { schema }]) => {
    const whole = type === 'application/json' ? name : `${name} ${type}`
    return schema === undefined ? [`${whole}: ${type}`] : fields(whole, schema, response.required === true)
  })
}

/** A line for the schema, and one for each field in it. */
function fields(name: string, schema: Part, required = false): string[] {
  const bounds = Object.entries(schema)
    .filter(([word]) => !NOT_SHOWN.includes(word) && !isSchema(schema[word]))
    .map(([word, value]) => `${word}=${JSON.stringify(value)}`)
    .sort()
  const line = [`${name}: ${formatType(schema)}`, ...bounds, ...(required ? ['required'] : [])].join(' ')
  const needed = (schema.required ?? []) as readonly string[]
  const members = Object.entries((schema.properties ?? {}) as Record<string, Part>)
  const inner = (one: Part, suffix: string) => (isPlain(one) ? [] : fields(`${name}${suffix}`, one))
  return [
    line,
    ...members.flatMap(([member, one]) => fields(`${name}.${member}`, one, needed.includes(member))),
    ...(isSchema(schema.items) ? inner(schema.items, '[]') : []),
    ...(isSchema(schema.additionalProperties) ? fields(`${name}.*`, schema.additionalProperties) : []),
    ...((schema.anyOf ?? []) as readonly Part[]).flatMap((one, at) => inner(one, ` (${at + 1})`)),
  ]
}

/** The type alone says everything. */
const isPlain = (schema: Part): boolean =>
  Object.keys(schema).every((word) => ['$ref', 'type', 'items', 'description'].includes(word)) &&
  (!isSchema(schema.items) || isPlain(schema.items))

const isSchema = (value: unknown): value is Part => typeof value === 'object' && value !== null && !Array.isArray(value)

function formatType(schema: Part): string {
  if (typeof schema.$ref === 'string') return referenceName(schema.$ref)
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(formatType).join(' | ')
  if (schema.type === undefined) return 'anything'
  return [schema.type]
    .flat()
    .map((type) => (type === 'array' && isSchema(schema.items) ? `${formatType(schema.items)}[]` : String(type)))
    .join(' | ')
}

const referenceName = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1)
