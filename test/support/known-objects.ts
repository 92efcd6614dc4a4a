// One object of every kind in `development`, and where a route or a body field names it. A route over a new kind adds its line.
import type { Ask } from '../http/management/harness.ts'
import { fill, type Segment } from './routes.ts'

/** The segment before a parameter of a path, to a reference that exists. */
const OBJECTS: Record<string, string> = {
  orgs: 'default',
  projects: 'default',
  envs: 'development',
  roles: 'admin',
  resources: 'hello',
  actions: 'say',
  attributes: 'size',
  users: 'ana',
  tenants: 'default',
}

/** Fields of bodies, to values that name objects that exist. A field `x[]` is an item of the list `x`. */
export const FIELDS: Readonly<Record<string, unknown>> = {
  key: 'fresh',
  role: 'viewer',
  tenant: 'default',
  organization_id: 'default',
  project_id: 'default',
  environment_id: 'development',
  user: 'ben',
  type: 'string',
  'permissions[]': 'hello:say',
  'extends[]': 'viewer',
  email: 'someone@example.com',
}

/** What a parameter of a path names in `development`. @throws when a new kind of object has no line here */
export function knownRef({ kind, parameter }: Segment): string {
  if (parameter === 'p') return 'default'
  if (parameter === 'e') return 'development'
  const ref = kind === undefined ? undefined : OBJECTS[kind]
  if (ref === undefined) throw new Error(`test/support/known-objects.ts names no object for /${kind}/:${parameter}`)
  return ref
}

/** The path of a route with objects that exist. */
export const knownPath = (url: string): string => fill(url, knownRef)

/** What the example policy lacks. */
export async function makeKnownObjects(ask: Ask): Promise<void> {
  const make = async (path: string, body: unknown) => {
    const { status, body: answer } = await ask('POST', path, body)
    if (status > 299) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`)
  }
  await make('$S/resources/hello/attributes', { key: 'size', type: 'number' })
  // these have no key, only an id
  OBJECTS.configs ??= (await ask('GET', '/v2/pdps/default/development/configs')).body[0].id
  const place = { organization_id: 'default', project_id: 'default', environment_id: 'development' }
  OBJECTS['api-key'] ??= (await ask('POST', '/v2/api-key', place)).body.id
}
