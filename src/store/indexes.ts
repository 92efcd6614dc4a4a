// The indexes over objects: under which values each object is listed. A change here changes the disk format, as in
// src/store/tables.ts. Does not import LMDB: use cases and the declarations of the package name indexes.
import { pathEntries, readBy } from '../model/condition-reads.ts'
import { type Kind, type Objects, partKey, type RoleAssignment } from '../model/objects.ts'

/** An index lists objects of one kind under values that the object itself names. */
interface IndexDefinition<K extends Kind> {
  readonly kind: K
  readonly values: (object: Objects[K]) => readonly string[]
}

const index = <K extends Kind>(kind: K, values: (object: Objects[K]) => readonly string[]): IndexDefinition<K> => ({
  kind,
  values,
})

/** The resource type of `type:key`. */
const typeOf = (instance: string): string => instance.slice(0, instance.indexOf(':'))

/**
 * The value under which an index lists every object of its kind: skipping to a deep page reads six bytes for each row
 * instead of the object.
 */
export const EVERY = '*'
const every = (): readonly string[] => [EVERY]

/** The name of an index is part of its keys: renaming an index changes the disk format. */
export const INDEXES = {
  every_user: index('user', every),
  every_tenant: index('tenant', every),
  every_assignment: index('role_assignment', every),
  every_instance: index('resource_instance', every),
  every_tuple: index('relationship_tuple', every),
  assignments_of_user: index('role_assignment', (assignment) => [assignment.user]),
  /** of a tenant role under its key, of a role on instances under `resource/role` */
  assignments_of_role: index('role_assignment', ({ role, resource_instance: instance }) => [
    instance === null ? role : `${typeOf(instance)}/${role}`,
  ]),
  assignments_of_tenant: index('role_assignment', (assignment) => [assignment.tenant]),
  /** tenant roles only */
  assignments_of_user_in_tenant: index('role_assignment', ({ user, tenant, resource_instance: instance }) =>
    instance === null ? [`${user}/${tenant}`] : [],
  ),
  /** as assignments_of_role, then the tenant */
  assignments_of_role_in_tenant: index('role_assignment', ({ role, tenant, resource_instance: instance }) => [
    instance === null ? `${role}/${tenant}` : `${typeOf(instance)}/${role}/${tenant}`,
  ]),
  instance_assignments_of_user_in_tenant: index('role_assignment', ({ user, tenant, resource_instance: instance }) =>
    instance === null ? [] : [`${user}/${tenant}`],
  ),
  assignments_of_user_on_instance: index('role_assignment', ({ user, resource_instance: instance }) =>
    instance === null ? [] : [`${user}/${instance}`],
  ),
  /** tenant roles only; says whether a user still stands in users_of_role */
  assignments_of_user_with_role: index('role_assignment', ({ user, role, resource_instance: instance }) =>
    instance === null ? [`${user}/${role}`] : [],
  ),
  /** each user once who has the tenant role anywhere; kept by REFERENCES */
  users_of_role: index('user', () => []),
  memberships_of_user: index('membership', (membership) => [membership.user]),
  memberships_of_tenant: index('membership', (membership) => [membership.tenant]),
  roles_with_parent: index('role', (role) => role.extends),
  roles_on_resource: index('role', (role) => [
    ...new Set(role.permissions.map((permission) => permission.slice(0, permission.indexOf(':')))),
  ]),
  assignments_on_instance: index('role_assignment', ({ resource_instance: instance }) =>
    instance === null ? [] : [instance],
  ),
  assignments_on_resource: index('role_assignment', ({ resource_instance: instance }) =>
    instance === null ? [] : [typeOf(instance)],
  ),
  resource_roles_named: index('resource_role', ({ role }) => [role]),
  resource_roles_of_resource: index('resource_role', (role) => [role.resource]),
  resource_roles_with_parent: index('resource_role', (role) =>
    role.extends.map((parent) => partKey(role.resource, parent)),
  ),
  resource_roles_linked_by: index('resource_role', (role) =>
    (role.granted_to?.users_with_role ?? []).map((rule) => partKey(role.resource, rule.linked_by_relation)),
  ),
  resource_roles_derived_from: index('resource_role', (role) =>
    (role.granted_to?.users_with_role ?? []).map((rule) => `${rule.on_resource}/${rule.role}`),
  ),
  relations_named: index('relation', ({ relation }) => [relation]),
  groups_named: index('group', ({ instance }) => [instance]),
  groups_of_resource: index('group', ({ resource }) => [resource]),
  groups_of_tenant: index('group', ({ tenant }) => [tenant]),
  relations_of_resource: index('relation', (relation) => [relation.resource]),
  relations_from_subject: index('relation', (relation) => [relation.subject_resource]),
  action_groups_of_resource: index('action_group', (group) => [group.resource]),
  sets_on_resource: index('condition_set', (set) => (set.resource === null ? [] : [set.resource])),
  /** by what the conditions read: `type/attribute`, and `type` where they follow keys of instances */
  sets_reading: index('condition_set', readBy),
  /** by the paths that the conditions read, one entry for each (pathEntries) */
  sets_by_path: index('condition_set', pathEntries),
  sets_with_parent: index('condition_set', (set) => (set.parent === null ? [] : [set.parent])),
  rules_of_user_set: index('set_rule', (rule) => [rule.user_set]),
  rules_of_resource_set: index('set_rule', (rule) => [rule.resource_set]),
  rules_of_permission: index('set_rule', (rule) => [rule.permission]),
  instances_of_resource: index('resource_instance', (instance) => [instance.resource]),
  instances_of_tenant: index('resource_instance', (instance) => [instance.tenant]),
  tuples_of_subject: index('relationship_tuple', (tuple) => [tuple.subject]),
  tuples_of_object: index('relationship_tuple', (tuple) => [tuple.object]),
  tuples_of_tenant: index('relationship_tuple', (tuple) => [tuple.tenant]),
  tuples_of_relation: index('relationship_tuple', (tuple) => [`${typeOf(tuple.object)}/${tuple.relation}`]),
  invites_of_role: index('user_invite', ({ role, resource_instance: instance }) => [
    instance === null ? role : `${typeOf(instance)}/${role}`,
  ]),
  invites_on_instance: index('user_invite', ({ resource_instance: instance }) => (instance === null ? [] : [instance])),
  invites_of_tenant: index('user_invite', ({ tenant }) => [tenant]),
  environments_of_project: index('environment', (environment) => [environment.project]),
  keys_of_environment: index('api_key', (key) => (key.environment_id === null ? [] : [key.environment_id])),
  pdp_configs_of_environment: index('pdp_config', (config) => [config.environment_id]),
  keys_of_project: index('api_key', (key) => (key.project_id === null ? [] : [key.project_id])),
  deleted_environments_of_key: index('deleted_environment', (environment) => environment.key_hashes),
} as const

/**
 * Indexes that list objects which other objects name. A user must be put before the assignments that name it, and
 * deleted after them. Drafts do not have these indexes: they are for lists.
 */
export const REFERENCES = {
  users_of_role: {
    of: 'role_assignment',
    to: 'user',
    /** the value, the key of the object to list, and the index that tells whether another assignment lists it too */
    entry: ({ user, role, resource_instance: instance }: RoleAssignment) =>
      instance === null ? { value: role, key: user, same: `${user}/${role}` } : undefined,
    sameIndex: 'assignments_of_user_with_role',
  },
} as const

export type IndexName = keyof typeof INDEXES
export type IndexKind<I extends IndexName> = (typeof INDEXES)[I]['kind']
