// Random calls over a few keys of each kind, so that they meet: what exists is created again, referred to, changed and deleted, by key and
// by id. A call knows nothing of the state; half of them are refused, and the model says why.
import fc from 'fast-check'
import type { Call, Method } from './call.ts'

export const KEYS = {
  resources: ['doc', 'dir'],
  actions: ['read', 'write'],
  attributes: ['size', 'type_of'],
  roles: ['r1', 'r2', 'r3'],
  users: ['ana', 'auth0|ben'],
  tenants: ['default', 'acme'],
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
const resource = fields({
  name: text,
  urn: text,
  description: text,
  type_attributes: bag,
  actions: fc.dictionary(one('actions'), action, { maxKeys: 2 }),
  attributes: fc.dictionary(one('attributes'), attribute, { maxKeys: 2 }),
})
const role = fields({
  name: text,
  description: text,
  permissions: some(permission),
  extends: some(one('roles'), 2),
  attributes: bag,
})
const given = fc.record({ role: one('roles'), tenant: optional(one('tenants')) }, { requiredKeys: ['role'] })
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

const RESOURCES = '$S/resources'
export const calls: fc.Arbitrary<Call> = fc.oneof(
  ...collection(RESOURCES, one('resources'), resource),
  { weight: 2, arbitrary: call('POST', [RESOURCES, one('resources'), 'actions'], keyed(one('actions'), action)) },
  {
    weight: 1,
    arbitrary: call(
      'PATCH',
      [RESOURCES, one('resources'), 'actions', one('actions')],
      fields({ name: text, description: text }),
    ),
  },
  { weight: 1, arbitrary: call('DELETE', [RESOURCES, one('resources'), 'actions', one('actions')]) },
  {
    weight: 1,
    arbitrary: call('POST', [RESOURCES, one('resources'), 'attributes'], keyed(one('attributes'), attribute)),
  },
  { weight: 1, arbitrary: call('DELETE', [RESOURCES, one('resources'), 'attributes', one('attributes')]) },
  ...collection('$S/roles', one('roles'), role),
  {
    weight: 3,
    arbitrary: call('POST', ['$S/roles', one('roles'), 'permissions'], fc.record({ permissions: some(permission) })),
  },
  {
    weight: 1,
    arbitrary: call('DELETE', ['$S/roles', one('roles'), 'permissions'], fc.record({ permissions: some(permission) })),
  },
  ...collection('$F/users', one('users'), userWithRoles, user),
  { weight: 3, arbitrary: call('POST', ['$F/users', one('users'), 'roles'], given) },
  { weight: 2, arbitrary: call('DELETE', ['$F/users', one('users'), 'roles'], given) },
  ...collection('$F/tenants', one('tenants'), tenant),
  { weight: 1, arbitrary: call('GET', ['$F/tenants', one('tenants'), 'users']) },
  { weight: 2, arbitrary: call('POST', ['$F/tenants', one('tenants'), 'users'], keyed(one('users'), userWithRoles)) },
  { weight: 1, arbitrary: call('DELETE', ['$F/tenants', one('tenants'), 'users', one('users')]) },
  {
    weight: 3,
    arbitrary: call(
      'POST',
      ['$F/role_assignments'],
      fc.tuple(one('users'), given).map(([u, g]) => ({ user: u, ...g })),
    ),
  },
  {
    weight: 2,
    arbitrary: call(
      'DELETE',
      ['$F/role_assignments'],
      fc.tuple(one('users'), given).map(([u, g]) => ({ user: u, ...g })),
    ),
  },
)
