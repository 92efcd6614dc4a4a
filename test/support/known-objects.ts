// One object of every kind in `development`, and where a route or a body names it. A route over a new kind of object
// adds its line here: tests that walk over all routes fail until it does.
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
  relations: 'within',
  action_groups: 'all',
  parents: 'viewer',
  groups: 'team',
  direct: 'team',
  condition_sets: 'grown',
  resource_instances: 'hello:one',
  user_invites: 'carl',
  invites: 'carl',
  proxy_configs: 'proxy',
}

/** Fields of bodies, to values that name objects that exist. A field `x[]` is an item of the list `x`. */
const FIELDS: Readonly<Record<string, unknown>> = {
  key: 'fresh',
  role: 'viewer',
  tenant: 'default',
  user: 'ben',
  as: 'ben',
  'approvers[]': 'admin',
  type: 'string',
  'permissions[]': 'hello:say',
  'extends[]': 'viewer',
  email: 'someone@example.com',
  on_resource: 'hello',
  linked_by_relation: 'within',
  subject_resource: 'hello',
  resource_id: 'hello',
  parent_id: 'grown',
  group_tenant: 'default',
  group_instance_key: 'crew',
  'relations{}': 'hello',
  'actions[]': 'say',
  resource: 'hello',
  subject: 'hello:one',
  relation: 'within',
  object: 'hello:two',
  permission: 'hello:say',
  user_set: 'admin',
  resource_set: 'hello',
  role_id: 'viewer',
  tenant_id: 'default',
  url: '/hello',
  secret: 'token',
  instance: 'instance-1',
  'idents[]': 'ben',
}

const TUPLE = { subject: 'hello:one', relation: 'within', object: 'hello:two' }
const INVITE = {
  key: 'carl',
  status: 'pending',
  email: 'carl@example.com',
  first_name: 'Carl',
  last_name: 'Coe',
  role_id: 'viewer',
  tenant_id: 'default',
}

export interface KnownObjects {
  /** values of body fields */
  readonly fields: Readonly<Record<string, unknown>>
  /** ids of what is known by its id alone */
  readonly ids: readonly string[]
  /** what a parameter of a path names. @throws when a new kind of object has no line here */
  ref(segment: Segment): string
  /** the path of a route with objects that exist */
  path(url: string): string
  /** a body that the route would take; undefined for one without */
  body(route: Pick<Route, 'method' | 'url' | 'body'>): object | undefined
}

/** Makes what the example policy lacks, in `development` of the organization of `key`. */
export async function makeKnownObjects({ ask }: Pick<Harness, 'ask'>, key?: string): Promise<KnownObjects> {
  const make = (path: string, sent: unknown) => write('POST', path, sent)
  const change = (path: string, sent: unknown) => write('PATCH', path, sent)
  const write = async (method: 'POST' | 'PATCH', path: string, sent: unknown) => {
    const { status, body } = await ask(method, path, sent, key === undefined ? {} : { key })
    if (status > 299) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
    return body
  }
  const get = async (path: string) => (await ask('GET', path, undefined, key === undefined ? {} : { key })).body
  const { organization_id } = await get('/v2/api-key/scope')
  const { id: environment_id } = await get('/v2/projects/default/envs/development')
  const [config] = await get('/v2/pdps/default/development/configs')
  await make('$S/resources/hello/attributes', { key: 'size', type: 'number' })
  await make('$S/users/attributes', { key: 'size', type: 'number' })
  await make('$S/condition_sets', { key: 'grown', conditions: { 'user.size': { 'greater-than': 170 } } })
  await make('$S/resources/hello/relations', { key: 'within', subject_resource: 'hello' })
  await make('$S/resources/hello/action_groups', { key: 'all', actions: ['say', 'wave'] })
  await make('$S/resources/hello/roles', { key: 'viewer', permissions: ['wave'] })
  await make('$S/resources/hello/roles', { key: 'admin', permissions: ['say'] })
  await make('$F/resource_instances', { key: 'one', resource: 'hello', tenant: 'default' })
  await make('$F/relationship_tuples', { ...TUPLE, tenant: 'default' })
  await make('$F/user_invites', INVITE)
  await change('$S/resources/hello/actions/say', { grantable: true })
  await change('$S/roles/viewer', { extendable: true })
  await make('$F/tenants/default/roles', { key: 'bookkeeper' })
  const requestable = { by: 'everybody', approvers: ['admin'], max_duration: 3_155_760_000, reason: 'optional' }
  await make('$S/roles', { key: 'asked', requestable })
  await make('$F/users', { key: 'approver', role_assignments: [{ role: 'admin', tenant: 'default' }] })
  await make('$F/users', { key: 'asker' })
  // one is decided by the routes of its tenant, and one by the others
  const requestOfAsker = await make('$F/access_requests', { as: 'asker', role: 'asked', duration: 60 })
  const request = await make('$F/access_requests', { as: 'ana', role: 'asked', until: '2099-01-01T00:00:00Z' })
  await make('$F/proxy_configs', { key: 'proxy', secret: 'token' })
  await make('$S/groups', { group_instance_key: 'team', group_tenant: 'default' })
  await make('$S/groups', { group_instance_key: 'crew', group_tenant: 'default' })
  const byName = (value: string) => ({ group: { by: 'display_name', value }, role: 'viewer', tenant: 'default' })
  const groupRule = await make('$F/group_rules', byName('known'))
  const apiKey = await make('/v2/api-key', { organization_id, environment_id })

  const COPY = '/v2/projects/default/envs/development/copy/async'
  const { task_id } = await make(COPY, { target_env: { existing: 'nothing-here' } })
  const { data: events } = await get(`/v2/history?env_id=${environment_id}`)
  const ids = {
    'api-key': apiKey.id,
    access_requests: request.id,
    group_rules: groupRule.id,
    configs: config.id,
    history: events[0].id,
    audit_logs: apiKey.id,
    async: task_id,
    revisions: '1',
  }

  const PROPOSALS = '/v2/projects/default/envs/development/proposals'
  const PROPOSED = { changes: [{ op: 'create', kind: 'role', key: 'proposed', value: {} }] }
  const { id: proposal } = await make(PROPOSALS, PROPOSED)
  const run = 'c'.repeat(32)
  await make('$F/syncs/known/lease', { source: run, run })
  const refs: Readonly<Record<string, string>> = { ...REFS, ...ids, proposals: proposal, syncs: 'known' }
  const fields = { ...FIELDS, organization_id, environment_id }
  const bodies: Readonly<Record<string, object>> = {
    'POST /v2/api-key': { organization_id, environment_id, object_type: 'tenant', tenant_id: 'default' },
    'POST /v2/facts/:p/:e/tenants/:ref/access_requests': { as: 'ben', role: 'asked', duration: 60 },
    'POST /v2/facts/:p/:e/tenants/:ref/access_requests/:request/approve': { as: 'approver' },
    'POST /v2/facts/:p/:e/tenants/:ref/access_requests/:request/deny': { as: 'approver' },
    'POST /v2/facts/:p/:e/tenants/:ref/access_requests/:request/cancel': { as: 'ana' },
    'POST /v2/facts/:p/:e/tenants/:ref/access_requests/:request/revoke': { as: 'approver' },
    'POST /v2/facts/:p/:e/syncs/:sync/lease': { source: run, run },
    'POST /v2/facts/:p/:e/syncs/:sync/release': { run },
    'POST /v2/facts/:p/:e/syncs/:sync/slices': { run, items: [] },
    'POST /v2/facts/:p/:e/syncs/:sync/plan': { items: [] },
    'POST /v2/facts/:p/:e/access_requests': { as: 'approver', role: 'asked', duration: 60 },
    'POST /v2/facts/:p/:e/access_requests/:ref/approve': { as: 'approver' },
    'POST /v2/facts/:p/:e/access_requests/:ref/deny': { as: 'approver' },
    'POST /v2/facts/:p/:e/access_requests/:ref/revoke': { as: 'approver' },
    'POST /v2/facts/:p/:e/access_requests/:ref/cancel': { as: 'asker' },
    'POST /v2/facts/:p/:e/group_rules': byName('another'),
    'PUT /v2/facts/:p/:e/group_rules/:ref': byName('known'),
    'PATCH /v2/facts/:p/:e/group_rules/:ref': { group: { value: 'changed' } },
    'POST /v2/facts/:p/:e/group_rules/plan': { create: byName('planned') },
    'POST /v2/projects/:p/envs/:e/copy': { target_env: { existing: 'production' } },
    'POST /v2/projects/:p/envs/:e/validate': { files: [{ name: 'policy.yaml', text: 'zerohop: 2' }] },
    'POST /v2/projects/:p/envs/:e/copy/plan': { target_env: { existing: 'production' } },
    'POST /v2/projects/:p/envs/:e/copy/async': { target_env: { existing: 'production' } },
    'DELETE /v2/facts/:p/:e/bulk/tenants': { idents: ['default'] },
    'DELETE /v2/facts/:p/:e/bulk/resource_instances': { idents: ['hello:one'] },
  }
  const ref = ({ kind, parameter }: Segment): string => {
    if (parameter === 'p') return 'default'
    if (parameter === 'e') return 'development'
    if (kind === 'access_requests' && parameter === 'ref') return requestOfAsker.id
    if (parameter === 'tenant_role') return 'bookkeeper'
    const known = kind === undefined ? undefined : refs[kind]
    if (known === undefined) throw new Error(`test/support/known-objects.ts names no object for /${kind}/:${parameter}`)
    return known
  }
  return {
    fields,
    ids: [...Object.values(ids), proposal],
    ref,
    path: (url) => fill(url, ref),
    body: ({ method, url, body }) =>
      body === undefined ? undefined : (bodies[`${method} ${url}`] ?? (goodValue(body, fields) as object)),
  }
}
