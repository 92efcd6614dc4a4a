// One object of every kind in `development`, and where a route or a body names it. A route over a new kind of object adds its line here:
// tests that walk over all routes fail until it does.
import type { Harness } from '../http/management/harness.ts'
import { goodValue } from './bad-input.ts'
import { fill, type Route, type Segment } from './routes.ts'

/** The segment before a parameter of a path, to a reference that exists. */
const REFS: Readonly<Record<string, string>> = {
  orgs: 'default',
  roles: 'admin',
  resources: 'hello',
  actions: 'say',
  attributes: 'size',
  users: 'ana',
  tenants: 'default',
}

/** Fields of bodies, to values that name objects that exist. A field `x[]` is an item of the list `x`. */
const FIELDS: Readonly<Record<string, unknown>> = {
  key: 'fresh',
  role: 'viewer',
  tenant: 'default',
  user: 'ben',
  type: 'string',
  'permissions[]': 'hello:say',
  'extends[]': 'viewer',
  email: 'someone@example.com',
}

export interface KnownObjects {
  /** values of body fields */
  readonly fields: Readonly<Record<string, unknown>>
  /** id of the API key that is known */
  readonly apiKey: string
  /** what a parameter of a path names. @throws when a new kind of object has no line here */
  ref(segment: Segment): string
  /** the path of a route with objects that exist */
  path(url: string): string
  /** a body that the route would take; undefined for one without */
  body(route: Route): object | undefined
}

/** Makes what the example policy lacks, in `development` of the organization of `key`. */
export async function makeKnownObjects({ ask }: Pick<Harness, 'ask'>, key?: string): Promise<KnownObjects> {
  const make = async (path: string, sent: unknown) => {
    const { status, body } = await ask('POST', path, sent, key === undefined ? {} : { key })
    if (status > 299) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const get = async (path: string) => (await ask('GET', path, undefined, key === undefined ? {} : { key })).body
  const { organization_id } = await get('/v2/api-key/scope')
  const { id: environment_id } = await get('/v2/projects/default/envs/development')
  const [config] = await get('/v2/pdps/default/development/configs')
  await make('$S/resources/hello/attributes', { key: 'size', type: 'number' })
  const apiKey = await make('/v2/api-key', { organization_id, environment_id })

  const refs: Readonly<Record<string, string>> = { ...REFS, 'api-key': apiKey.id, configs: config.id }
  const fields = { ...FIELDS, organization_id, environment_id }
  const bodies: Readonly<Record<string, object>> = {
    'POST /v2/api-key': { organization_id, environment_id },
  }
  const ref = ({ kind, parameter }: Segment): string => {
    if (parameter === 'p') return 'default'
    if (parameter === 'e') return 'development'
    const known = kind === undefined ? undefined : refs[kind]
    if (known === undefined) throw new Error(`test/support/known-objects.ts names no object for /${kind}/:${parameter}`)
    return known
  }
  return {
    fields,
    apiKey: apiKey.id,
    ref,
    path: (url) => fill(url, ref),
    body: ({ method, url, body }) =>
      body === undefined ? undefined : (bodies[`${method} ${url}`] ?? (goodValue(body, fields) as object)),
  }
}
