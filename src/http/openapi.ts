// The OpenAPI 3.1 document of an app, made from its routes: from the very schemas that validate bodies, and from those of query parameters and
// answers, which tests compare with what handlers read and answer. Nothing here answers a request.
import { isDeepStrictEqual } from 'node:util'
import type { RouteOptions } from 'fastify'
import { ACCESS, type Operation } from '../management/access.ts'
import { documentationOf, named, schemaName, type TSchema } from '../model/json-schema.ts'

/** A JSON schema, or any other part of the document. */
type Part = Readonly<Record<string, unknown>>

export interface OpenApiInput {
  readonly title: string
  readonly description: string
  readonly version: string
}

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

declare module 'fastify' {
  interface FastifySchema {
    /** what the operation does, for the reference */
    description?: string
  }
}

type Route = Pick<RouteOptions, 'url' | 'schema' | 'config'> & { readonly method: string }

/** Gathers the routes that are registered from now on. */
export class RouteList {
  readonly routes: Route[] = []

  /** To be given to `onRoute`. */
  readonly add = ({ method, url, schema, config }: RouteOptions): void => {
    for (const one of [method].flat()) {
      if (one === 'HEAD' || one === 'OPTIONS') continue
      this.routes.push({ method: one, url, ...(schema ? { schema } : {}), ...(config ? { config } : {}) })
    }
  }
}

const JSON_TYPE = 'application/json'

/** The document: paths in the order of registration. */
export function openApiOf(routes: readonly Route[], input: OpenApiInput): OpenApiDocument {
  const schemas = new NamedSchemas()
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  const tags = new Set<string>()
  for (const route of routes) {
    const operation = operationOf(route, schemas)
    for (const tag of operation.tags) tags.add(tag)
    const path = pathOf(route.url)
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operation
  }
  return {
    openapi: '3.1.0',
    info: { ...input, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'the server that this document comes from' }],
    tags: [...tags].map((name) => ({ name, description: TAGS[name] ?? name })),
    paths,
    components: { ...COMPONENTS, schemas: { ...COMPONENTS.schemas, ...schemas.schemas } },
    security: [{ key: [] }],
  }
}

const answerOf = (description: string, schema: string) => {
  return { description, content: { [JSON_TYPE]: { schema: { $ref: `#/components/schemas/${schema}` } } } }
}

const COMPONENTS = {
  responses: {
    KeyUnknown: answerOf('no API key, or one that is not known', 'Error'),
    KeyTooNarrow: answerOf('the API key may not do this', 'Error'),
    InvalidInput: answerOf('the input is not valid; says where and why', 'InvalidInput'),
    Error: answerOf('any other error', 'Error'),
  },
  securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'an API key' } },
  schemas: {
    Error: {
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
    },
    InvalidInput: {
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
    },
  },
} as const

function operationOf(route: Route, schemas: NamedSchemas): OpenApiOperation {
  const { method, url, schema, config } = route
  const path = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    return { name, in: 'path', required: true, schema: { type: 'string' }, description: 'an id or a key' }
  })
  const known = (schema?.querystring as { properties: Readonly<Record<string, Part>> } | undefined)?.properties ?? {}
  const query = Object.entries(known).map(([name, { description, ...of }]) => {
    return { name, in: 'query', schema: of, ...(description === undefined ? {} : { description }) }
  })
  const body = schema?.body === undefined ? undefined : schemas.published(schema.body)
  const all = [...path, ...query]
  const operation = config?.operation
  return {
    operationId: idOf(method, url),
    tags: [tagOf(url)],
    summary: summaryOf(method, url),
    description: [...(schema?.description ? [schema.description] : []), needOf(operation)].join(' '),
    ...(all.length === 0 ? {} : { parameters: all }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: { [JSON_TYPE]: { schema: body } } } }),
    responses: responsesOf(url, operation, schema?.response as Readonly<Record<string, Part>> | undefined, schemas),
    ...(operation === undefined ? { security: [] } : {}),
    ...(url.startsWith('/v1/') ? { deprecated: true } : {}),
  }
}

function responsesOf(
  url: string,
  operation: Operation | undefined,
  answers: Readonly<Record<string, Part>> | undefined,
  schemas: NamedSchemas,
): Part {
  const error = (name: string) => ({ $ref: `#/components/responses/${name}` })
  const other = /^\/v[12]\/feed\//.test(url) ? { 'application/octet-stream': {} } : { [JSON_TYPE]: {} }
  const done = Object.entries(answers ?? {}).map(([status, schema]) => {
    if (schema.type === 'null') return [status, { description: 'done, nothing to say' }]
    return [status, { description: 'done', content: { [JSON_TYPE]: { schema: schemas.published(answered(schema)) } } }]
  })
  return {
    ...(answers === undefined ? { '2XX': { description: 'done', content: other } } : Object.fromEntries(done)),
    ...(operation === undefined
      ? {}
      : { '401': error('KeyUnknown'), '403': error('KeyTooNarrow'), '422': error('InvalidInput') }),
    default: error('Error'),
  }
}

/** A list is called after what it holds, so that generated clients have a name for it. */
function answered(schema: Part): Part {
  const name = schema.type === 'array' ? schemaName(schema.items as object) : undefined
  return name === undefined ? schema : (named(`${name}List`, schema as TSchema) as object as Part)
}

function needOf(operation: Operation | undefined): string {
  if (operation === undefined) return 'Needs no API key.'
  const { level, access, ...more } = ACCESS[operation]
  const whose = {
    env: 'widest' in more ? 'the level of an environment' : 'any level',
    project: 'the level of a project or an organization',
    org: 'the level of an organization',
  }
  return `Needs an API key of access \`${access}\` or more, of ${whose[level]}.`
}

const pathOf = (url: string): string => url.replace(/:(\w+)/g, '{$1}')

/** Unique, because method and path are. */
const idOf = (method: string, url: string): string =>
  `${method.toLowerCase()}${url.replace(/^\/v2/, '').replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`

const TAGS: Readonly<Record<string, string>> = {
  server: 'The process itself: health, metrics and this reference.',
  'API keys': 'Keys of organizations, projects and environments.',
  PDPs: 'What PDPs are set up with, and the decisions that they recorded.',
  organizations: 'The owner of projects.',
  projects: 'Projects of an organization.',
  environments: 'Environments of a project, each with a policy and facts of its own.',
  roles: 'Roles in tenants, and roles on instances of a resource type.',
  bulk: 'Many objects in one write: all of them or none.',
  resources: 'Resource types with their actions, attributes, relations, roles and action groups.',
  users: 'Users, and the attributes that users may have.',
  condition_sets: 'Users or resources for which a condition holds.',
  groups: 'Groups of users, which have roles and members.',
  tenants: 'Tenants, and the users in them.',
  role_assignments: 'Which user has which role, in a tenant or on an instance.',
  resource_instances: 'Instances of resource types.',
  relationship_tuples: 'Relations between instances.',
  set_rules: 'Which users of a set may do what with the resources of another set.',
  user_invites: 'Users who are invited and not yet there.',
  proxy_configs: 'Services to which the PDP forwards requests, with their secrets.',
  history: 'What was done through this API, and by whom.',
  activity: 'The history in words.',
  auth: 'Logging users in to embedded elements.',
  feed: 'The images and changes that PDPs follow.',
  v1: 'The first API version. Deprecated: see /docs/migration.',
}

/** What the route is about: the first fixed part of its path that names a collection. */
function tagOf(url: string): string {
  const fixed = url.split('/').filter((part) => part !== '' && part !== 'v2' && !part.startsWith(':'))
  const [area = '', ...rest] = fixed
  if (['health', 'metrics', 'docs', 'openapi.json'].includes(area)) return 'server'
  if (area === 'projects') return rest.includes('envs') ? 'environments' : 'projects'
  if (area === 'schema' || area === 'facts') return rest[0] === 'bulk' ? 'bulk' : (rest[0] ?? area)
  return { orgs: 'organizations', 'api-key': 'API keys', pdps: 'PDPs' }[area] ?? area
}

const VERBS: Readonly<Record<string, string>> = {
  GET: 'Read',
  POST: 'Create',
  PUT: 'Replace',
  PATCH: 'Change',
  DELETE: 'Delete',
}

function summaryOf(method: string, url: string): string {
  const parts = url.split('/').filter((part) => part !== '' && part !== 'v2')
  const last = parts.at(-1) ?? ''
  const verb = VERBS[method] ?? method
  if (last.startsWith(':')) return `${verb} one of ${words(parts.findLast((part) => !part.startsWith(':')) ?? '')}`
  return method === 'GET' ? `Read ${words(last)}` : `${verb} ${words(last)}`
}

const words = (text: string): string => (text === 'api-key' ? 'API keys' : text.replaceAll(/[_-]/g, ' '))

/** Schemas as others read them: `nullable` in the words of 3.1, objects by their names, without the fields that only take null so far. */
class NamedSchemas {
  /** by name, as far as they were met */
  readonly schemas: Record<string, unknown> = {}

  published(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.published(one))
    if (typeof schema !== 'object' || schema === null) return schema
    const name = schemaName(schema)
    if (name === undefined) return this.#inline(schema as Part)
    const { nullable, ...one } = schema as Part
    const shown = this.#inline(one)
    this.schemas[name] ??= shown
    if (!isDeepStrictEqual(this.schemas[name], shown)) throw new Error(`two schemas are called ${name}`)
    const reference = { $ref: `#/components/schemas/${name}` }
    return nullable === true ? { anyOf: [reference, { type: 'null' }] } : reference
  }

  #inline(schema: Part): Part {
    const { nullable, properties, ...rest } = { ...schema, ...documentationOf(schema) } as Part
    const out: Record<string, unknown> = {}
    for (const [word, value] of Object.entries(rest)) out[word] = VALUES.has(word) ? value : this.published(value)
    if (nullable === true && typeof out.type === 'string') out.type = [out.type, 'null']
    if (properties !== undefined) {
      const shown = Object.entries(properties as Part).filter(([, value]) => !(value as { later?: unknown }).later)
      out.properties = Object.fromEntries(shown.map(([name, value]) => [name, this.published(value)]))
    }
    return out
  }
}

/** Words of a schema that hold values, not schemas. */
const VALUES = new Set(['enum', 'examples', 'default'])
