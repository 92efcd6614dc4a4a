// Random policy files of version 2 that are right: references lead to what is there, roles and sets extend earlier
// ones.
import fc from 'fast-check'
import type { PolicyFile } from '../../../src/management/schemas/policy-file.ts'

const TYPES = ['document', 'folder', '__proto__', 'a-b']
const ACTIONS = ['read', 'write', '404', 'constructor']
const ATTRIBUTES = { level: 'number', secret: 'bool', '0': 'string' } as const
const TEXT = fc.constantFrom('Name', '', 'yes', '404', 'a: b', 'line\nbreak', '«é😀»', '# no')
/** Numbers that can be kept exactly, and what YAML could take for something else. */
const VALUE = fc.oneof(
  fc.constantFrom(null, true, 0, -1.5, 9007199254740991, '404', 'null', '~', 'yes'),
  fc.array(fc.constantFrom(1, 'a', false), { maxLength: 2 }),
  fc.record({ '1': fc.boolean(), __proto__: fc.constant('own') }, { requiredKeys: [] }),
)
const VALUES = fc.dictionary(fc.constantFrom('free', 'x'), VALUE, { maxKeys: 2 })

/** The fields that an object may have, some of them. */
const about = fc.record({ name: TEXT, description: TEXT, attributes: VALUES }, { requiredKeys: [] })
const named = fc.record({ name: TEXT, description: TEXT }, { requiredKeys: [] })
const some = <T>(from: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...from])
const arbitraryMap = <T>(
  keys: readonly string[],
  value: (key: string) => fc.Arbitrary<T>,
): fc.Arbitrary<Record<string, T>> =>
  fc.tuple(...keys.map((key) => fc.tuple(fc.constant(key), value(key)))).map((members) => Object.fromEntries(members))

const declared = some(Object.entries(ATTRIBUTES)).map((picked) =>
  Object.fromEntries(picked.map(([key, type]) => [key, { type }])),
)

function arbitraryResource(key: string, types: readonly string[], actions: readonly string[]) {
  const permissions = some(actions)
  return fc.record({
    key: fc.constant(key),
    name: TEXT,
    urn: TEXT,
    type_attributes: VALUES,
    actions: arbitraryMap(actions, () => about),
    attributes: declared,
    action_groups: arbitraryMap(['all'], () =>
      fc.tuple(about, permissions).map(([more, held]) => ({ ...more, actions: held })),
    ),
    relations: fc
      .constantFrom(...types)
      .chain((from) =>
        fc
          .tuple(some(['parent', 'copy']), named)
          .map(([keys, more]) =>
            Object.fromEntries(
              keys.map((each) => [each, each === 'copy' ? { subject_resource: from, ...more } : from]),
            ),
          ),
      ),
    roles: fc.tuple(about, permissions, permissions, fc.boolean()).map(([more, low, high, direct]) => ({
      reader: { ...more, permissions: low },
      owner: {
        permissions: high,
        extends: ['reader'],
        granted_to: { when: { no_direct_roles_on_object: direct }, users_with_role: [] as object[] },
      },
    })),
  })
}

const policies = fc
  .record({ types: fc.subarray(TYPES, { minLength: 1 }), actions: some(ACTIONS) })
  .chain(({ types, actions }) => {
    const permissions = types.flatMap((type) => actions.map((action) => `${type}:${action}`))
    const level = fc.nat(9).map((least) => ({ 'user.level': { 'greater-than': least } }))
    return fc.record(
      {
        zerohop: fc.constant(2 as const),
        user_attributes: fc.constant({ level: { type: 'number' as const, description: 'how high' } }),
        tenant_attributes: declared,
        resources: fc.tuple(...types.map((type) => arbitraryResource(type, types, actions))),
        roles: fc.tuple(about, some(permissions), some(permissions)).map(([more, low, high]) => [
          { key: 'admin', permissions: high, extends: ['viewer'] },
          { key: 'viewer', ...more, permissions: low },
        ]),
        condition_sets: fc.tuple(level, named).map(([conditions, more]) => [
          { key: 'chiefs', type: 'userset' as const, parent: 'staff', conditions: {}, ...more },
          { key: 'staff', type: 'userset' as const, conditions },
          { key: 'viewer', type: 'resourceset' as const, resource: types[0] ?? '', conditions: {} },
        ]),
        set_rules: some(permissions.filter((each) => each.startsWith(`${types[0]}:`))).map((held) =>
          held.flatMap((permission) => [
            { user_set: 'chiefs', permission, resource_set: 'viewer' },
            { user_set: 'viewer', is_role: true, permission, resource_set: types[0] ?? '', is_resource: true },
          ]),
        ),
        tenants: about.map((more) => [{ key: 'acme', ...more }]),
        users: fc
          .nat(9)
          .map((height) => [{ key: 'a@b|c', attributes: { level: height }, email: 'a@b.org' }, { key: 'ben' }]),
        memberships: fc.constant([{ user: 'ben', tenant: 'acme' }]),
        resource_instances: some(types).map((of) => of.map((resource) => ({ key: 'one', resource, tenant: 'acme' }))),
        role_assignments: some(['a@b|c', 'ben']).map((users) =>
          users.map((user) => ({ user, role: 'admin', tenant: 'acme' })),
        ),
      },
      { requiredKeys: ['zerohop', 'user_attributes', 'resources', 'roles', 'condition_sets', 'tenants', 'users'] },
    )
  })

/** The policies, with derivations over the relations that there are. */
export const randomPolicies: fc.Arbitrary<PolicyFile> = policies.map((policy) => {
  const resources = policy.resources.map(({ relations, roles, ...resource }) => {
    const rules = Object.entries(relations).map(([linked_by_relation, from]) => {
      return {
        role: 'reader',
        on_resource: typeof from === 'string' ? from : from.subject_resource,
        linked_by_relation,
      }
    })
    const granted_to = { ...roles.owner.granted_to, users_with_role: rules }
    return { ...resource, relations, roles: { ...roles, owner: { ...roles.owner, granted_to } } }
  })
  return { ...policy, resources } as PolicyFile
})
