// Random calls over a few keys of each kind, so that they meet: what exists is created again, referred to, changed and
// deleted, by key and by id. A call knows nothing of the state; half of them are refused, and the model says why.
import fc from 'fast-check'
import type { Call, Method } from './call.ts'

export const KEYS = {
  resources: ['doc', 'dir'],
  actions: ['read', 'write'],
  attributes: ['size', 'type_of'],
  roles: ['r1', 'r2', 'r3'],
  users: ['ana', 'auth0|ben'],
  tenants: ['default', 'acme'],
  relations: ['parent', 'owner'],
  groups: ['all'],
  userSets: ['staff', 'r1'],
  resourceSets: ['long', 'doc'],
  instances: ['plan', 'note'],
} as const

const one = (kind: keyof typeof KEYS) => fc.constantFrom(...KEYS[kind])
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const some = <T>(value: fc.Arbitrary<T>, maxLength = 3) => fc.array(value, { maxLength })
/** Any of the fields, absent or null or with a value. */
const fields = (of: Readonly<Record<string, fc.Arbitrary<unknown>>>) => {
  const nullable = Object.fromEntries(Object.entries(of).map(([name, value]) => [name, optional(value)]))
  return fc.record(nullable, { requiredKeys: [] })
}
const keyed = (key: fc.Arbitrary<string>, body: fc.Arbitrary<object>) =>
  fc.tuple(key, body).map(([k, b]) => ({ key: k, ...b }))

const text = fc.constantFrom('', 'Some text', 'ünï')
const bag = fc.constantFrom({}, { plan: 'free' }, { n: 1, deep: { list: [null, true] } })
const permission = fc.oneof(
  { weight: 9, arbitrary: fc.tuple(one('resources'), one('actions')).map((parts) => parts.join(':')) },
  { weight: 1, arbitrary: fc.constantFrom('doc', 'doc:fly', 'a:b:c') },
)

const action = fields({ name: text, description: text, attributes: bag })
const attribute = fc.record({ type: fc.constantFrom('string', 'number', 'bool') })
const settings = fc.record({ no_direct_roles_on_object: fc.boolean() })
const rule = fc.record(
  { role: one('roles'), on_resource: one('resources'), linked_by_relation: one('relations'), when: settings },
  { requiredKeys: ['role', 'on_resource', 'linked_by_relation'] },
)
/** An action of a resource with or without its name; sometimes of another one. */
const partPermission = fc.oneof({ weight: 5, arbitrary: one('actions') }, { weight: 2, arbitrary: permission })
const resourceRole = fields({
  name: text,
  description: text,
  permissions: some(partPermission),
  extends: some(one('roles'), 2),
  attributes: bag,
  granted_to: fields({ when: settings, users_with_role: some(rule, 2) }),
  everybody: fc.boolean(),
})
const relationChange = fields({ name: text, description: text, subject_resource: one('resources') })
const actionGroup = fields({ name: text, description: text, attributes: bag, actions: some(one('actions')) })
const resource = fields({
  name: text,
  urn: text,
  description: text,
  type_attributes: bag,
  actions: fc.dictionary(one('actions'), action, { maxKeys: 2 }),
  attributes: fc.dictionary(one('attributes'), attribute, { maxKeys: 2 }),
  relations: fc.dictionary(one('relations'), one('resources'), { maxKeys: 2 }),
  roles: fc.dictionary(one('roles'), resourceRole, { maxKeys: 2 }),
})
const role = fields({
  name: text,
  description: text,
  permissions: some(permission),
  extends: some(one('roles'), 2),
  attributes: bag,
  everybody: fc.boolean(),
})
const instance = fc.tuple(one('resources'), one('instances')).map((of) => of.join(':'))
const given = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ role: one('roles'), tenant: optional(one('tenants')) }, { requiredKeys: ['role'] }),
  },
  {
    weight: 2,
    arbitrary: fc.record(
      { role: one('roles'), tenant: optional(one('tenants')), resource_instance: instance },
      { requiredKeys: ['role', 'resource_instance'] },
    ),
  },
)
/** A user; sometimes everybody. */
const holder = fc.oneof({ weight: 4, arbitrary: one('users') }, { weight: 1, arbitrary: fc.constant('*') })
const givenTo = fc.tuple(holder, given).map(([user, of]) => ({ user, ...of }))
const user = fields({ email: fc.constant('a@b.cd'), first_name: text, last_name: text, attributes: bag })
const userWithRoles = fc.tuple(user, fields({ role_assignments: some(given) })).map(([a, b]) => ({ ...a, ...b }))
const tenant = fields({ name: text, description: text, attributes: bag })

const call = (
  method: Method,
  path: (string | fc.Arbitrary<string>)[],
  body?: fc.Arbitrary<unknown>,
): fc.Arbitrary<Call> =>
  fc
    .tuple(
      fc.tuple(...path.map((part) => (typeof part === 'string' ? fc.constant(part) : part.map(encodeURIComponent)))),
      body ?? fc.constant(undefined),
      fc.boolean(),
    )
    .map(([parts, sent, byId]) => ({
      method,
      path: parts.join('/'),
      ...(body ? { body: sent } : {}),
      ...(byId ? { byId } : {}),
    }))

/** The five calls on a collection; PUT where it is offered. */
function collection(path: string, key: fc.Arbitrary<string>, body: fc.Arbitrary<object>, changed = body) {
  return [
    { weight: 6, arbitrary: call('POST', [path], keyed(key, body)) },
    { weight: 1, arbitrary: call('GET', [path, key]) },
    { weight: 2, arbitrary: call('PATCH', [path, key], changed) },
    { weight: 2, arbitrary: call('PUT', [path, key], body) },
    { weight: 1, arbitrary: call('DELETE', [path, key]) },
  ]
}

const newInstance = fc
  .tuple(
    fc.record({ key: one('instances'), resource: one('resources'), tenant: one('tenants') }),
    fields({ attributes: bag }),
  )
  .map(([of, rest]) => ({ ...of, ...rest }))
const sameInstance = fields({ resource: one('resources'), tenant: one('tenants'), attributes: bag })
/** Mostly of the relations that the beginning declares. */
const tupleNames = fc.oneof(
  fc.record({
    subject: one('instances').map((key) => `dir:${key}`),
    relation: fc.constant('parent'),
    object: one('instances').map((key) => `doc:${key}`),
  }),
  fc.record({ subject: instance, relation: one('relations'), object: instance }),
)
const tuple = fc.tuple(tupleNames, fields({ tenant: one('tenants') })).map(([names, of]) => ({ ...names, ...of }))
const userSet = fc.oneof(
  one('roles'),
  one('userSets'),
  one('roles').map((key) => `__autogen_${key}`),
)
const resourceSet = fc.oneof(one('resources'), one('resourceSets'))
const setRule = fc.record(
  { user_set: userSet, permission, resource_set: resourceSet, is_role: fc.boolean(), is_resource: fc.boolean() },
  { requiredKeys: ['user_set', 'permission', 'resource_set'] },
)
/** What `bag` holds, what it lacks, and what may be declared. */
const ofUsers = fc.constantFrom(
  {},
  { 'user.plan': { equals: 'free' } },
  { allOf: [{ 'user.n': { 'less-than': 2 } }, { not: { 'tenant.plan': { equals: 'free' } } }] },
)
/** No type declares `n`; `size` is declared, or not yet. */
const ofResources = fc.constantFrom(
  {},
  { 'resource.n': { equals: 1 } },
  { 'resource.tenant': { equals: 'acme' } },
  { 'resource.size': { 'greater-than': 3 } },
)
const about = { name: text, description: text }
const userSetBody = fields({ ...about, type: fc.constant('userset'), conditions: ofUsers, parent_id: one('userSets') })
const resourceSetBody = fc
  .tuple(
    fc.record({ type: fc.constant('resourceset'), resource_id: one('resources') }, { requiredKeys: ['type'] }),
    fields({ ...about, conditions: ofResources, parent_id: fc.oneof(one('resourceSets'), one('userSets')) }),
  )
  .map(([of, rest]) => ({ ...of, ...rest }))
/** PATCH takes no type and no resource. */
const setChange = (conditions: fc.Arbitrary<object>, parents: fc.Arbitrary<string>) =>
  fields({ ...about, conditions, parent_id: parents })
const operations = (item: fc.Arbitrary<unknown>) => fc.record({ operations: some(item) })
const idents = (item: fc.Arbitrary<unknown>) => fc.record({ idents: some(item, 2) })

const RESOURCES = '$S/resources'
/** The one that the beginning has. */
const DERIVATION = { role: 'r1', on_resource: 'dir', linked_by_relation: 'parent' }
const weighted = (weight: number, arbitrary: fc.Arbitrary<Call>) => ({ weight, arbitrary })
const at = (...path: (string | fc.Arbitrary<string>)[]) => [RESOURCES, one('resources'), ...path]

const schemaCalls = [
  ...collection(RESOURCES, one('resources'), resource),
  weighted(2, call('POST', at('actions'), keyed(one('actions'), action))),
  weighted(1, call('PATCH', at('actions', one('actions')), fields({ name: text, description: text }))),
  weighted(1, call('PUT', at('actions', one('actions')), fields({ name: text, description: text }))),
  weighted(1, call('DELETE', at('actions', one('actions')))),
  weighted(1, call('POST', at('attributes'), keyed(one('attributes'), attribute))),
  weighted(1, call('PUT', at('attributes', one('attributes')), attribute)),
  weighted(4, call('DELETE', at('attributes', one('attributes')))),
  weighted(4, call('POST', at('roles'), keyed(one('roles'), resourceRole))),
  weighted(2, call('PATCH', at('roles', one('roles')), resourceRole)),
  weighted(1, call('DELETE', at('roles', one('roles')))),
  weighted(1, call('POST', at('roles', one('roles'), 'permissions'), fc.record({ permissions: some(partPermission) }))),
  weighted(
    3,
    call('DELETE', at('roles', one('roles'), 'permissions'), fc.record({ permissions: some(partPermission) })),
  ),
  weighted(2, call('POST', at('roles', one('roles'), 'implicit_grants'), rule)),
  weighted(2, call('DELETE', at('roles', one('roles'), 'implicit_grants'), rule)),
  weighted(2, call('DELETE', [`${RESOURCES}/doc/roles/r2/implicit_grants`], fc.constant(DERIVATION))),
  weighted(1, call('PUT', at('roles', one('roles'), 'implicit_grants', 'conditions'), settings)),
  weighted(
    4,
    call(
      'POST',
      at('relations'),
      fc.tuple(one('relations'), one('resources')).map(([key, subject_resource]) => ({ key, subject_resource })),
    ),
  ),
  weighted(2, call('PATCH', at('relations', one('relations')), relationChange)),
  weighted(1, call('PUT', at('relations', one('relations')), relationChange)),
  weighted(1, call('DELETE', at('relations', one('relations')))),
  weighted(1, call('POST', at('action_groups'), keyed(one('groups'), actionGroup))),
  weighted(1, call('PATCH', at('action_groups', one('groups')), actionGroup)),
  weighted(1, call('PUT', at('action_groups', one('groups')), actionGroup)),
  weighted(1, call('DELETE', at('action_groups', one('groups')))),
  ...collection('$S/condition_sets', one('userSets'), userSetBody, setChange(ofUsers, one('userSets'))),
  ...collection('$S/condition_sets', one('resourceSets'), resourceSetBody, setChange(ofResources, one('resourceSets'))),
  ...collection('$S/roles', one('roles'), role),
  weighted(3, call('POST', ['$S/roles', one('roles'), 'permissions'], fc.record({ permissions: some(permission) }))),
  weighted(2, call('DELETE', ['$S/roles', one('roles'), 'permissions'], fc.record({ permissions: some(permission) }))),
]

const factCalls = [
  ...collection('$F/users', one('users'), userWithRoles, user),
  weighted(3, call('POST', ['$F/users', one('users'), 'roles'], given)),
  weighted(4, call('DELETE', ['$F/users', one('users'), 'roles'], given)),
  ...collection('$F/tenants', one('tenants'), tenant),
  weighted(1, call('GET', ['$F/tenants', one('tenants'), 'users'])),
  weighted(2, call('POST', ['$F/tenants', one('tenants'), 'users'], keyed(one('users'), userWithRoles))),
  weighted(1, call('DELETE', ['$F/tenants', one('tenants'), 'users', one('users')])),
  weighted(4, call('POST', ['$F/role_assignments'], givenTo)),
  weighted(4, call('DELETE', ['$F/role_assignments'], givenTo)),
  weighted(5, call('POST', ['$F/resource_instances'], newInstance)),
  weighted(1, call('GET', ['$F/resource_instances', instance])),
  weighted(1, call('PATCH', ['$F/resource_instances', instance], fields({ attributes: bag }))),
  weighted(1, call('PUT', ['$F/resource_instances', instance], sameInstance)),
  weighted(1, call('DELETE', ['$F/resource_instances', instance])),
  weighted(5, call('POST', ['$F/relationship_tuples'], tuple)),
  weighted(4, call('DELETE', ['$F/relationship_tuples'], tupleNames)),
  weighted(3, call('POST', ['$F/set_rules'], setRule)),
  weighted(4, call('DELETE', ['$F/set_rules'], setRule)),
]

const newUser = keyed(one('users'), userWithRoles)
const bulkCalls = [
  weighted(2, call('POST', ['$F/bulk/users'], operations(newUser))),
  weighted(2, call('PUT', ['$F/bulk/users'], operations(newUser))),
  weighted(1, call('DELETE', ['$F/bulk/users'], idents(one('users')))),
  weighted(1, call('POST', ['$F/bulk/tenants'], operations(keyed(one('tenants'), tenant)))),
  weighted(1, call('DELETE', ['$F/bulk/tenants'], idents(one('tenants')))),
  weighted(2, call('PUT', ['$F/bulk/resource_instances'], operations(newInstance))),
  weighted(1, call('DELETE', ['$F/bulk/resource_instances'], idents(instance))),
  weighted(2, call('POST', ['$F/relationship_tuples/bulk'], operations(tuple))),
  weighted(1, call('DELETE', ['$F/relationship_tuples/bulk'], idents(tupleNames))),
  weighted(1, call('POST', ['$F/role_assignments/bulk'], some(givenTo))),
  weighted(1, call('POST', ['$F/role_assignments/bulk?missing_user_policy=create'], some(givenTo))),
  weighted(1, call('POST', ['$F/role_assignments/bulk?missing_user_policy=ignore'], some(givenTo))),
  weighted(3, call('DELETE', ['$F/role_assignments/bulk'], some(givenTo))),
]

const calls: fc.Arbitrary<Call> = fc.oneof(...schemaCalls, ...factCalls, ...bulkCalls)

/** A beginning on which most calls find what they name. */
const POPULATED: readonly Call[] = [
  {
    method: 'POST',
    path: RESOURCES,
    body: { key: 'dir', actions: { read: {} }, roles: { r1: { permissions: ['read'] } } },
  },
  {
    method: 'POST',
    path: RESOURCES,
    body: {
      key: 'doc',
      actions: { read: {}, write: {} },
      attributes: { size: { type: 'number' } },
      relations: { parent: 'dir', owner: 'doc' },
      roles: { r1: { permissions: ['read', 'write'] }, r2: { extends: ['r1'] } },
    },
  },
  {
    method: 'POST',
    path: `${RESOURCES}/doc/roles/r2/implicit_grants`,
    body: DERIVATION,
  },
  { method: 'POST', path: `${RESOURCES}/doc/action_groups`, body: { key: 'all', actions: ['read', 'write'] } },
  { method: 'POST', path: '$S/roles', body: { key: 'r1', permissions: ['doc:read', 'dir:read'] } },
  { method: 'POST', path: '$S/roles', body: { key: 'r2', permissions: ['doc:write'], extends: ['r1'] } },
  { method: 'POST', path: '$F/tenants', body: { key: 'acme' } },
  { method: 'PUT', path: '$F/bulk/users', body: { operations: [{ key: 'ana' }, { key: 'auth0|ben' }] } },
  { method: 'POST', path: '$F/role_assignments', body: { user: 'ana', role: 'r2', tenant: 'acme' } },
  {
    method: 'POST',
    path: '$F/relationship_tuples',
    body: { subject: 'dir:plan', relation: 'parent', object: 'doc:plan', tenant: 'acme' },
  },
  {
    method: 'POST',
    path: '$F/role_assignments',
    body: { user: 'auth0|ben', role: 'r1', resource_instance: 'dir:plan' },
  },
  {
    method: 'POST',
    path: '$S/condition_sets',
    body: {
      key: 'long',
      type: 'resourceset',
      resource_id: 'doc',
      conditions: { 'resource.size': { 'greater-than': 3 } },
    },
  },
  {
    method: 'POST',
    path: '$S/condition_sets',
    body: { key: 'staff', type: 'userset', conditions: { 'user.plan': { equals: 'free' } } },
  },
  { method: 'PATCH', path: '$F/users/ana', body: { attributes: { plan: 'free' } } },
  { method: 'POST', path: '$F/set_rules', body: { user_set: 'staff', permission: 'dir:read', resource_set: 'dir' } },
  { method: 'POST', path: '$F/set_rules', body: { user_set: 'r2', permission: 'doc:read', resource_set: 'long' } },
  { method: 'POST', path: '$F/set_rules', body: { user_set: 'r1', permission: 'doc:read', resource_set: 'doc' } },
]

/** From an empty environment or from a populated one. */
export const sequences: fc.Arbitrary<Call[]> = fc
  .tuple(fc.boolean(), fc.array(calls, { minLength: 10, maxLength: 40, size: 'max' }))
  .map(([empty, random]) => (empty ? random : [...POPULATED, ...random]))
