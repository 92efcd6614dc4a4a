// The form of a policy file: the bodies of the API, by keys, without what only requests have.
// `Bundle` is version 1 of the form, which is still read.
import {
  anyOf,
  closed,
  described,
  enumOf,
  Flag,
  listOf,
  mapOf,
  maybe,
  membersOf,
  named,
  type Static,
  schemaOf,
  Text,
  Texts,
} from '../../model/json-schema.ts'
import { POLICY_KINDS } from '../../model/policy-kinds.ts'
import { ActionGroupCreate } from './action-groups.ts'
import { ConditionSetCreate, ConditionSetReplace } from './condition-sets.ts'
import { InstanceCreate } from './instances.ts'
import { RelationCreate } from './relations.ts'
import { RoleBlock } from './resource-roles.ts'
import { ActionBlock, AttributeBlock, ResourceCreate } from './resources.ts'
import { RoleAssignmentCreate } from './role-assignments.ts'
import { RoleCreate } from './roles.ts'
import { SetRuleCreate } from './set-rules.ts'
import { TenantCreate } from './tenants.ts'
import { TupleCreate } from './tuples.ts'
import { UserCreate } from './users.ts'

const role = ['name', 'description', 'permissions', 'extends', 'attributes'] as const

const BundleResource = closed({
  ...membersOf(ResourceCreate, 'key', 'name', 'description', 'urn', 'type_attributes', 'attributes'),
  actions: maybe(mapOf(closed(membersOf(ActionBlock, 'name', 'description', 'attributes')))),
  action_groups: maybe(mapOf(closed(membersOf(ActionGroupCreate, 'name', 'description', 'attributes', 'actions')))),
  relations: maybe(mapOf(closed(membersOf(RelationCreate, 'subject_resource', 'name', 'description')))),
  roles: maybe(
    mapOf(
      closed({
        ...membersOf(RoleBlock, ...role, 'granted_to'),
        bare_permissions: maybe(
          described(
            Flag,
            'true if a client wrote the permissions as `action` only; the API then lists them that way. Written by export',
          ),
        ),
      }),
    ),
  ),
})
export type BundleResource = Static<typeof BundleResource>

const BundleConditionSet = closed({
  ...membersOf(ConditionSetCreate, 'key', 'name', 'description', 'type', 'resource_id', 'parent_id'),
  ...membersOf(ConditionSetReplace, 'conditions'),
})
export type BundleConditionSet = Static<typeof BundleConditionSet>

export const Bundle = closed({
  /** version of the form */
  zerohop: schemaOf<1>({ enum: [1, '1'] }),
  /** attributes that users and tenants have */
  user_attributes: maybe(mapOf(AttributeBlock)),
  tenant_attributes: maybe(mapOf(AttributeBlock)),
  resources: maybe(listOf(BundleResource)),
  roles: maybe(listOf(closed(membersOf(RoleCreate, 'key', ...role)))),
  condition_sets: maybe(listOf(BundleConditionSet)),
  set_rules: maybe(listOf(SetRuleCreate)),
  tenants: maybe(listOf(TenantCreate)),
  users: maybe(listOf(closed(membersOf(UserCreate, 'key', 'email', 'first_name', 'last_name', 'attributes')))),
  /** users who were put into a tenant without a role */
  memberships: maybe(listOf(closed({ user: Text, tenant: Text }))),
  resource_instances: maybe(listOf(InstanceCreate)),
  relationship_tuples: maybe(listOf(TupleCreate)),
  role_assignments: maybe(listOf(RoleAssignmentCreate)),
})
export type Bundle = Static<typeof Bundle>

const Kind = enumOf(...POLICY_KINDS)

const Manages = named(
  'PolicyManages',
  closed({
    kind: Kind,
    keys: maybe(described(Texts, 'keys, with `*` for any characters; default: every object of the kind')),
  }),
)
export type Manages = Static<typeof Manages>

export const Moved = named(
  'PolicyMoved',
  closed({ kind: Kind, from: described(Text, 'the old key'), to: described(Text, 'the new key, as in this file') }),
)
export type Moved = Static<typeof Moved>

const PolicyResource = named(
  'PolicyResource',
  closed({
    ...membersOf(ResourceCreate, 'key', 'name', 'description', 'urn', 'type_attributes'),
    actions: BundleResource.properties.actions,
    ...membersOf(ResourceCreate, 'attributes'),
    action_groups: BundleResource.properties.action_groups,
    relations: maybe(
      mapOf(
        anyOf(
          described(Text, 'key of the source resource type'),
          closed(membersOf(RelationCreate, 'subject_resource', 'name', 'description')),
        ),
      ),
    ),
    roles: BundleResource.properties.roles,
  }),
)
export type PolicyResource = Static<typeof PolicyResource>

const PolicyConditionSet = named(
  'PolicyConditionSet',
  closed({
    ...membersOf(ConditionSetCreate, 'key', 'name', 'description', 'type'),
    resource: maybe(described(Text, 'for a resource set: key of the resource type')),
    parent: maybe(described(Text, 'key of the parent set')),
    ...membersOf(ConditionSetReplace, 'conditions'),
  }),
)
export type PolicyConditionSet = Static<typeof PolicyConditionSet>

/** Version 2 of the form. */
export const PolicyFile = named(
  'PolicyFile',
  closed({
    zerohop: described(schemaOf<2>({ enum: [2, '2'] }), 'version of the file format'),
    manages: maybe(described(listOf(Manages), 'what the file manages; default: the schema kinds that it contains')),
    moved: maybe(described(listOf(Moved), 'objects that were renamed')),
    user_attributes: described(Bundle.properties.user_attributes, 'attributes of users, by key'),
    tenant_attributes: described(Bundle.properties.tenant_attributes, 'attributes of tenants, by key'),
    context_attributes: maybe(
      described(
        mapOf(AttributeBlock),
        'attributes that applications send in `context`; used only for warnings of `validate`',
      ),
    ),
    resources: maybe(described(listOf(PolicyResource), 'resource types with their actions')),
    roles: described(Bundle.properties.roles, 'roles in tenants'),
    condition_sets: maybe(described(listOf(PolicyConditionSet), 'users or resources that match conditions')),
    set_rules: described(
      Bundle.properties.set_rules,
      'what users of a user set can do with resources of a resource set',
    ),
    tenants: described(Bundle.properties.tenants, 'facts: tenants'),
    users: described(Bundle.properties.users, 'facts: users'),
    memberships: described(
      Bundle.properties.memberships,
      'facts: users who are members of a tenant without a role in it',
    ),
    resource_instances: described(Bundle.properties.resource_instances, 'facts: resource instances'),
    relationship_tuples: described(Bundle.properties.relationship_tuples, 'facts: relations between instances'),
    role_assignments: described(Bundle.properties.role_assignments, 'facts: who has which role where'),
  }),
)
export type PolicyFile = Static<typeof PolicyFile>
