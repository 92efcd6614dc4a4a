// The form of a bundle, what `zerohop export` writes and `zerohop import` reads: the bodies of the API, without what
// only requests have.
import { closed, listOf, mapOf, maybe, membersOf, type Static, schemaOf, Text } from '../../model/json-schema.ts'
import { ActionGroupCreate } from '../action-groups/schema.ts'
import { ConditionSetCreate, ConditionSetReplace } from '../condition-sets/schema.ts'
import { InstanceCreate } from '../instances/schema.ts'
import { RelationCreate } from '../relations/schema.ts'
import { RoleBlock } from '../resource-roles/schema.ts'
import { ActionBlock, AttributeBlock, ResourceCreate } from '../resources/schema.ts'
import { RoleAssignmentCreate } from '../role-assignments/schema.ts'
import { RoleCreate } from '../roles/schema.ts'
import { SetRuleCreate } from '../set-rules/schema.ts'
import { TenantCreate } from '../tenants/schema.ts'
import { TupleCreate } from '../tuples/schema.ts'
import { UserCreate } from '../users/schema.ts'

const role = ['name', 'description', 'permissions', 'extends', 'attributes'] as const

const BundleResource = closed({
  ...membersOf(ResourceCreate, 'key', 'name', 'description', 'urn', 'type_attributes', 'attributes'),
  actions: maybe(mapOf(closed(membersOf(ActionBlock, 'name', 'description', 'attributes')))),
  action_groups: maybe(mapOf(closed(membersOf(ActionGroupCreate, 'name', 'description', 'attributes', 'actions')))),
  relations: maybe(mapOf(closed(membersOf(RelationCreate, 'subject_resource', 'name', 'description')))),
  roles: maybe(mapOf(closed(membersOf(RoleBlock, ...role, 'granted_to')))),
})
export type BundleResource = Static<typeof BundleResource>

const BundleConditionSet = closed({
  ...membersOf(ConditionSetCreate, 'key', 'name', 'description', 'type', 'resource_id', 'parent_id'),
  ...membersOf(ConditionSetReplace, 'conditions'),
})

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
