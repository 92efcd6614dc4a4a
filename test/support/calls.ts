// Maps use cases (commits.ts) to the calls of the management API that run them.
import type { Commit } from './commits.ts'

/** Method, path below `/v2`, body; `$S` and `$F` are the schema and the facts of the environment. */
export type Call = readonly [method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown]

type Inputs = { [C in Commit as C[0]]: C[1] }
type Calls = { readonly [N in Commit[0]]?: (input: Inputs[N]) => Call }

export function toCall([name, input]: Commit): Call {
  const call = CALLS[name] as ((input: unknown) => Call) | undefined
  if (call === undefined) throw new Error(`no call runs ${name}`)
  return call(input)
}

const path = (...parts: readonly string[]) => [parts[0], ...parts.slice(1).map(encodeURIComponent)].join('/')
const post = (collection: string) => (input: unknown) => ['POST', collection, input] as const
const put = (collection: string) => (input: { readonly ref: string; readonly fields: object }) =>
  ['PUT', path(collection, input.ref), input.fields] as const
const remove = (collection: string) => (input: { readonly ref: string }) =>
  ['DELETE', path(collection, input.ref)] as const

const [RESOURCES, ROLES, SETS] = ['$S/resources', '$S/roles', '$S/condition_sets'] as const
const [USERS, TENANTS, INSTANCES] = ['$F/users', '$F/tenants', '$F/resource_instances'] as const
const builtIn = (resource: string, ...attribute: readonly string[]) =>
  `${path('$S/users/attributes', ...attribute)}?resource_id=${resource}`

const CALLS: Calls = {
  createUser: post(USERS),
  replaceUser: put(USERS),
  deleteUser: remove(USERS),
  createTenant: post(TENANTS),
  replaceTenant: put(TENANTS),
  deleteTenant: remove(TENANTS),
  addTenantUser: ({ tenant, user }) => ['POST', path(TENANTS, tenant, 'users'), user],
  removeTenantUser: ({ tenant, user }) => ['DELETE', path(TENANTS, tenant, 'users', user)],
  createRole: post(ROLES),
  replaceRole: put(ROLES),
  updateRole: ({ ref, fields }) => ['PATCH', path(ROLES, ref), fields],
  deleteRole: remove(ROLES),
  createTenantRole: ({ tenant, role }) => ['POST', path(TENANTS, tenant, 'roles'), role],
  updateTenantRole: ({ tenant, ref, fields }) => ['PATCH', path(TENANTS, tenant, 'roles', ref), fields],
  deleteTenantRole: ({ tenant, ref }) => ['DELETE', path(TENANTS, tenant, 'roles', ref)],
  updateAction: ({ resource, ref, fields }) => ['PATCH', path(RESOURCES, resource, 'actions', ref), fields],
  createResource: post(RESOURCES),
  updateResource: ({ ref, fields }) => ['PATCH', path(RESOURCES, ref), fields],
  deleteResource: remove(RESOURCES),
  createAttribute: ({ resource, attribute }) => ['POST', builtIn(resource), attribute],
  updateAttribute: ({ resource, ref, fields }) => ['PATCH', builtIn(resource, ref), fields],
  deleteAttribute: ({ resource, ref }) => ['DELETE', builtIn(resource, ref)],
  createResourceRole: ({ resource, role }) => ['POST', path(RESOURCES, resource, 'roles'), role],
  updateResourceRole: ({ resource, ref, fields }) => ['PATCH', path(RESOURCES, resource, 'roles', ref), fields],
  deleteResourceRole: ({ resource, ref }) => ['DELETE', path(RESOURCES, resource, 'roles', ref)],
  createRelation: ({ resource, relation }) => ['POST', path(RESOURCES, resource, 'relations'), relation],
  deleteRelation: ({ resource, ref }) => ['DELETE', path(RESOURCES, resource, 'relations', ref)],
  createInstance: post(INSTANCES),
  replaceInstance: put(INSTANCES),
  deleteInstance: remove(INSTANCES),
  createConditionSet: post(SETS),
  replaceConditionSet: put(SETS),
  deleteConditionSet: remove(SETS),
  assign: post('$F/role_assignments'),
  putAssignment: (input) => ['PUT', '$F/role_assignments', input],
  unassign: (input) => ['DELETE', '$F/role_assignments', input],
  createTuple: post('$F/relationship_tuples'),
  putTuple: (input) => ['PUT', '$F/relationship_tuples', input],
  deleteTuple: (input) => ['DELETE', '$F/relationship_tuples', input],
  createSetRule: post('$F/set_rules'),
  deleteSetRule: (input) => ['DELETE', '$F/set_rules', input],
}
