// Names of query parameters. A misspelt filter must not answer with everything, and a key whose `+` arrives as a space
// must not answer with nothing: both are refused. Names that the public API has on any of its routes are let through
// everywhere, because its clients send some that a route does not read.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ZerohopError } from '../model/errors.ts'
import { nearestName } from '../model/nearest-name.ts'

/** What the public API names on any of its routes, whether a route of this server has it or not. */
const PUBLIC: ReadonlySet<string> = new Set([
  ...['actor_display_name', 'actor_id', 'actor_type', 'client_ip', 'env_id', 'include_built_in', 'invite_code'],
  ...['inviter_email', 'inviter_name', 'missing_user_policy', 'proj_id', 'project_id', 'query', 'resource_id'],
  ...['resource_instance_id', 'resources', 'sort_by', 'status', 'status_code', 'success', 'timeout', 'timestamp_until'],
  ...['token', 'users', 'wait', 'action', 'decision', 'detailed', 'include_resource_instance_roles'],
  ...['include_total_count', 'method', 'object', 'object_type', 'page', 'path', 'pdp_id', 'per_page', 'permission'],
  ...['relation', 'resource', 'resource_instance', 'resource_set', 'return_deleted', 'role', 'search', 'subject'],
  ...['subject_type', 'tenant', 'timestamp_from', 'timestamp_to', 'type', 'url', 'user', 'user_set'],
])
/** A name that is made of a prefix and a name that users choose. */
const ATTRIBUTE = 'attr_'
/** Parameters with a key, or with keys joined by `:`. No key has a space. */
const KEYS: ReadonlySet<string> = new Set([
  ...['user', 'tenant', 'role', 'resource', 'resource_instance', 'action', 'permission', 'user_set', 'resource_set'],
  ...['subject', 'subject_type', 'object', 'object_type', 'relation', 'project', 'environment', 'type', 'user_key'],
])

/** The names that a schema of a query has. */
function namesIn(querystring: unknown): readonly string[] {
  const { properties } = (querystring ?? {}) as { readonly properties?: object }
  return Object.keys(properties ?? {})
}

/** Checks the queries of all routes that are added from now on. */
export function checkQueries(app: FastifyInstance): void {
  const known = new Set(PUBLIC)
  app.addHook('onRoute', ({ schema }) => {
    for (const name of namesIn(schema?.querystring)) known.add(name)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    try {
      requireNoSpaces(request)
      const read = namesRead(request)
      if (read !== undefined) requireKnown(request, read, known)
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * What a list, or another route that reads a query, reads of it; undefined for other routes, for the first version,
 * which stays as lenient as it was, and for SCIM, whose providers add parameters of their own.
 */
function namesRead({ method, routeOptions: { schema, url = '' } }: FastifyRequest): readonly string[] | undefined {
  if (method !== 'GET' || url.startsWith('/v1/') || url.startsWith('/scim/')) return undefined
  const { 200: answer } = (schema?.response ?? {}) as { readonly 200?: { readonly type?: string } }
  return schema?.querystring === undefined && answer?.type !== 'array' ? undefined : namesIn(schema?.querystring)
}

/** @throws INPUT_INVALID for a parameter that neither the route nor any other one has */
export function requireKnown(
  { query }: FastifyRequest,
  read: readonly string[],
  known: ReadonlySet<string> = PUBLIC,
): void {
  for (const name of Object.keys(query as object)) {
    if (known.has(name) || read.includes(name) || name.startsWith(ATTRIBUTE)) continue
    const meant = nearestName(name, read)
    const hint = meant === undefined ? '' : `: did you mean \`${meant}\`?`
    throw invalid(name, `there is no such parameter${hint}`)
  }
}

/** @throws INPUT_INVALID for a `+` in a key, which a query means as a space */
export function requireNoSpaces({ raw }: Pick<FastifyRequest, 'raw'>): void {
  const url = raw.url ?? ''
  const start = url.indexOf('?')
  if (start < 0 || !url.includes('+', start)) return
  for (const part of url.slice(start + 1).split('&')) {
    const [name = '', value = ''] = part.split('=', 2)
    if (value.includes('+') && KEYS.has(name)) throw invalid(name, 'in a query `+` means a space: write it as `%2B`')
  }
}

function invalid(name: string, reason: string): ZerohopError {
  return new ZerohopError('INPUT_INVALID', { reason }, { path: ['query', name] })
}
