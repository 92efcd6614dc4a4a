// The OpenAPI 3.1 document of an app, made from its routes: from the very schemas that validate bodies, and from those
// of query parameters and answers, which tests compare with what handlers read and answer. @fastify/swagger writes it
// when the project is built (scripts/build-openapi.mjs); no server loads this file, servers answer with what it made
// (http/management/reference.ts).
import swagger from '@fastify/swagger'
import Fastify from 'fastify'
import { ACCESS, type Operation } from '../management/rules/access.ts'
import * as t from '../model/json-schema.ts'
import { TAGS } from './description.ts'
import { NamedSchemas } from './named-schemas.ts'
import type { NotedRoute } from './route-methods.ts'

/** A JSON schema, or any other part of the document. */
type Part = Readonly<Record<string, unknown>>

export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Part
  readonly servers: readonly Part[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: Part
  readonly security: readonly Part[]
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Part[]
  readonly requestBody?: Part
  readonly responses: Part
  readonly security?: readonly Part[]
  readonly deprecated?: boolean
}

const INFO = {
  title: 'Zerohop management API',
  description:
    'Policy and facts of environments. In a path `{p}` is a project and `{e}` an environment; every name is an id or a key. ' +
    'A write answers `x-revision`, the revision of the environment that has it, and in `warning` headers (`299 zerohop "text"`) what its caller should know of it. ' +
    'It may say why in the header `x-reason` and for what in `x-ticket`, as percent-encoded UTF-8: the history shows both.',
  version: '2',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

/** The document: paths in the order of registration. */
export async function makeOpenApi(routes: readonly NotedRoute[]): Promise<OpenApiDocument> {
  const schemas = new NamedSchemas()
  const shown = routes.filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
  const operations = shown.map(({ method, url, ...route }) => ({
    method,
    url,
    schema: makeOperation({ method, url, ...route }, schemas),
    handler: () => undefined,
  }))
  const used = new Set(operations.map(({ schema }) => schema.tags[0]))
  const app = Fastify({ exposeHeadRoutes: false })
  // it only describes: nothing is validated, and no answer is written
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: INFO,
      servers: [{ url: '/', description: 'the server that sent this document' }],
      tags: [...used].map((name) => ({ name, description: TAGS[name] })),
      components: { securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'an API key' } } },
      security: [{ key: [] }],
    },
    refResolver: { buildLocalReference: (schema) => String(schema.$id) },
    convertConstToEnum: false,
  })
  for (const schema of [...schemas.all(), ERROR, INVALID_INPUT]) app.addSchema(schema)
  for (const operation of operations) app.route(operation)
  await app.ready()
  const document = app.swagger() as unknown as OpenApiDocument
  await app.close()
  // swagger marks every body as required, and knows only those that are JSON
  for (const { method, url, config } of shown) {
    const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    if (config?.bodyIsOptional) Object.assign(operation?.requestBody ?? {}, { required: false })
    if (operation === undefined || config?.bodyType === undefined) continue
    const content = { [config.bodyType]: { schema: { type: 'string' } } }
    Object.assign(operation, { requestBody: { required: true, content } })
  }
  return document
}

const ERROR = {
  $id: 'Error',
  type: 'object',
  required: ['id', 'title', 'error_code', 'message'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    title: { type: 'string' },
    error_code: { type: 'string' },
    message: { type: 'string' },
    support_link: { type: ['string', 'null'] },
    additional_info: {},
  },
}
const INVALID_INPUT = {
  $id: 'InvalidInput',
  type: 'object',
  required: ['detail'],
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        required: ['loc', 'msg', 'type'],
        properties: {
          loc: { type: 'array', items: { type: ['string', 'integer'] } },
          msg: { type: 'string' },
          type: { type: 'string' },
        },
      },
    },
  },
}

/** The schema of a route, as @fastify/swagger takes it. */
function makeOperation({ method, url, schema, config }: NotedRoute, schemas: NamedSchemas) {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const inPath = names.map((name) => [name, { type: 'string', description: 'an id or a key' }])
  const { operation, tag } = config ?? {}
  const summary = schema?.summary
  if (tag === undefined || summary === undefined) throw new Error(`route ${method} ${url} has no tag or no summary`)
  return {
    operationId: makeOperationId(method, url),
    tags: [tag] as const,
    summary,
    description: [...(schema?.description ? [schema.description] : []), formatNeed(operation)].join(' '),
    ...(names.length === 0 ? {} : { params: { type: 'object', properties: Object.fromEntries(inPath) } }),
    ...(schema?.querystring === undefined ? {} : { querystring: schemas.published(schema.querystring) }),
    ...(schema?.body === undefined ? {} : { body: schemas.published(schema.body) }),
    response: listResponses(url, operation, schema?.response as Readonly<Record<string, Part>> | undefined, schemas),
    ...(operation === undefined ? { security: [] } : {}),
    ...(url.startsWith('/v1/') ? { deprecated: true } : {}),
  }
}

function listResponses(
  url: string,
  operation: Operation | undefined,
  answers: Readonly<Record<string, Part>> | undefined,
  schemas: NamedSchemas,
): Part {
  const isScim = url.startsWith('/scim/')
  const done = Object.entries(answers ?? {}).map(([status, schema]) => {
    if (schema.type === 'null') return [status, { description: 'done, without a body', type: 'null' }]
    return [status, answer('done', schemas.published(nameList(schema)), isScim ? SCIM_JSON_TYPE : JSON_TYPE)]
  })
  if (isScim) return { ...Object.fromEntries(done), ...SCIM_ERRORS }
  const type = /^\/v[12]\/feed\//.test(url) ? 'application/octet-stream' : (TYPES[url] ?? JSON_TYPE)
  return {
    ...(answers === undefined ? { '2XX': answer('done', {}, type) } : Object.fromEntries(done)),
    ...(operation === undefined ? {} : ERRORS),
    default: answer('any other error', { $ref: 'Error#' }),
  }
}

const JSON_TYPE = 'application/json'
const SCIM_JSON_TYPE = 'application/scim+json'
/** For answers that are not JSON. */
const TYPES: Readonly<Record<string, string>> = {
  '/docs': 'text/html',
  '/docs/scalar.js': 'text/javascript',
  '/docs/migration': 'text/markdown',
  '/metrics': 'text/plain',
  '/v2/facts/:p/:e/export': 'application/x-ndjson',
  '/v2/facts/:p/:e/stream': 'application/x-ndjson',
}
const answer = (description: string, schema: unknown, type = JSON_TYPE) => ({
  description,
  content: { [type]: { schema } },
})
const ERRORS = {
  401: answer('no API key, or one that is not known', { $ref: 'Error#' }),
  403: answer('the API key is not allowed to do this', { $ref: 'Error#' }),
  422: answer('the input is not valid; says where and why', { $ref: 'InvalidInput#' }),
}
/** Errors in the form of RFC 7644. */
const SCIM_ERRORS = Object.fromEntries(
  [
    ['401', 'no API key, or one that is not known'],
    ['403', 'the API key is not allowed to do this'],
    ['default', 'any other error'],
  ].map(([status, description]) => [status, answer(`${description}, as RFC 7644 says it`, {}, SCIM_JSON_TYPE)]),
)

/** A list is called after what it holds, so that generated clients have a name for it. */
function nameList(schema: Part): Part {
  const name = schema.type === 'array' ? t.schemaName(schema.items as object) : undefined
  return name === undefined ? schema : (t.named(`${name}List`, schema as t.TSchema) as object as Part)
}

function formatNeed(operation: Operation | undefined): string {
  if (operation === undefined) return 'Needs no API key.'
  const { level, access, ...more } = ACCESS[operation]
  const whose = {
    directory: 'the level of a directory',
    tenant: 'any level, also of the tenant that the path names',
    env: 'widest' in more ? 'the level of an environment' : 'any level but that of a tenant',
    project: 'the level of a project or an organization',
    org: 'the level of an organization',
  }
  return `Needs an API key of access \`${access}\` or more, of ${whose[level]}.`
}

/** Unique, because method and path are. */
const makeOperationId = (method: string, url: string): string =>
  `${method.toLowerCase()}${url.replace(/^\/v2/, '').replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`
