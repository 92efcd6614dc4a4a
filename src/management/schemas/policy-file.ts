// The form of a policy file: the bodies of the API, by keys, without what only requests have.
// `Bundle` is version 1 of the form, which is still read.
import { givingFields, roleGivingFields } from '../../kinds/giving.ts'
import { KINDS, PLAIN_KINDS, type PlainKind } from '../../kinds/index.ts'
import * as t from '../../model/json-schema.ts'
import { POLICY_KINDS } from '../../model/policy-kinds.ts'
import { ActionGroupCreate } from './action-groups.ts'
import { ConditionSetCreate, ConditionSetReplace } from './condition-sets.ts'
import { InstanceCreate } from './instances.ts'
import { PLAIN_SCHEMAS } from './plain-kinds.ts'
import { RelationCreate } from './relations.ts'
import { RoleBlock } from './resource-roles.ts'
import { ActionBlock, AttributeBlock, ResourceCreate } from './resources.ts'
import { MembershipCreate, RoleAssignmentCreate } from './role-assignments.ts'
import { RoleCreate } from './roles.ts'
import { SetRuleCreate } from './set-rules.ts'
import { TupleCreate } from './tuples.ts'
import { UserCreate } from './users.ts'

const relation = {
  ...t.membersOf(RelationCreate, 'subject_resource'),
  ...t.membersExcept(RelationCreate, 'key', 'subject_resource'),
}
const role = [
  ...(['name', 'description', 'permissions', 'extends', 'attributes'] as const),
  ...(Object.keys(givingFields) as (keyof typeof givingFields)[]),
] as const

const roleInTenants = [...role, ...(Object.keys(roleGivingFields) as (keyof typeof roleGivingFields)[])] as const

const BundleResource = t.closed({
  ...t.membersOf(ResourceCreate, 'key', 'name', 'description', 'urn', 'type_attributes', 'attributes'),
  actions: t.maybe(t.mapOf(t.closed(t.membersOf(ActionBlock, 'name', 'description', 'attributes', 'grantable')))),
  action_groups: t.maybe(t.mapOf(t.closed(t.membersExcept(ActionGroupCreate, 'key')))),
  relations: t.maybe(t.mapOf(t.closed(relation))),
  roles: t.maybe(
    t.mapOf(
      t.closed({
        ...t.membersOf(RoleBlock, ...role, 'granted_to'),
        bare_permissions: t.maybe(
          t.described(
            t.Flag,
            'true if a client wrote the permissions as `action` only; the API then lists them that way. Written by export',
          ),
        ),
      }),
    ),
  ),
})
export type BundleResource = t.Static<typeof BundleResource>

const BundleConditionSet = t.closed({
  ...t.membersOf(ConditionSetCreate, 'key', 'name', 'description', 'type', 'resource_id', 'parent_id'),
  ...t.membersOf(ConditionSetReplace, 'conditions'),
})
export type BundleConditionSet = t.Static<typeof BundleConditionSet>

export const Bundle = t.closed({
  /** version of the form */
  zerohop: t.schemaOf<1>({ enum: [1, '1'] }),
  /** attributes that users and tenants have */
  user_attributes: t.maybe(t.mapOf(AttributeBlock)),
  tenant_attributes: t.maybe(t.mapOf(AttributeBlock)),
  resources: t.maybe(t.listOf(BundleResource)),
  roles: t.maybe(t.listOf(t.closed(t.membersOf(RoleCreate, 'key', ...roleInTenants)))),
  condition_sets: t.maybe(t.listOf(BundleConditionSet)),
  set_rules: t.maybe(t.listOf(SetRuleCreate)),
  tenants: t.maybe(t.listOf(PLAIN_SCHEMAS.tenant.create)),
  users: t.maybe(t.listOf(t.closed(t.membersExcept(UserCreate, 'role_assignments')))),
  /** users who were put into a tenant without a role */
  memberships: t.maybe(t.listOf(MembershipCreate)),
  resource_instances: t.maybe(t.listOf(InstanceCreate)),
  relationship_tuples: t.maybe(t.listOf(TupleCreate)),
  role_assignments: t.maybe(t.listOf(RoleAssignmentCreate)),
})
export type Bundle = t.Static<typeof Bundle>

const Kind = t.enumOf(...POLICY_KINDS)

const Manages = t.named(
  'PolicyManages',
  t.closed({
    kind: Kind,
    keys: t.maybe(t.described(t.Texts, 'keys, with `*` for any characters; default: every object of the kind')),
  }),
)
export type Manages = t.Static<typeof Manages>

export const Moved = t.named(
  'PolicyMoved',
  t.closed({
    kind: Kind,
    from: t.described(t.Text, 'the old key'),
    to: t.described(t.Text, 'the new key, as in this file'),
  }),
)
export type Moved = t.Static<typeof Moved>

const PolicyResource = t.named(
  'PolicyResource',
  t.closed({
    ...t.membersOf(ResourceCreate, 'key', 'name', 'description', 'urn', 'type_attributes'),
    actions: BundleResource.properties.actions,
    ...t.membersOf(ResourceCreate, 'attributes'),
    action_groups: BundleResource.properties.action_groups,
    relations: t.maybe(t.mapOf(t.anyOf(t.described(t.Text, 'key of the source resource type'), t.closed(relation)))),
    roles: BundleResource.properties.roles,
  }),
)
export type PolicyResource = t.Static<typeof PolicyResource>

const PolicyConditionSet = t.named(
  'PolicyConditionSet',
  t.closed({
    ...t.membersOf(ConditionSetCreate, 'key', 'name', 'description', 'type'),
    resource: t.maybe(t.described(t.Text, 'for a resource set: key of the resource type')),
    parent: t.maybe(t.described(t.Text, 'key of the parent set')),
    ...t.membersOf(ConditionSetReplace, 'conditions'),
  }),
)
export type PolicyConditionSet = t.Static<typeof PolicyConditionSet>

type Section<K extends PlainKind> = (typeof KINDS)[K]['inFiles']['section']
type PlainFact<K extends PlainKind> = (typeof KINDS)[K]['inFiles']['isFact'] extends true ? K : never
const makeList = <K extends PlainKind>(kind: K) => t.maybe(t.listOf(PLAIN_SCHEMAS[kind].create))
type PlainSections<K extends PlainKind> = { readonly [N in K as Section<N>]: ReturnType<typeof makeList<N>> }

/** The lists of plain kinds, of the schema or of facts. */
function plainSections(areFacts: boolean): object {
  const kinds = PLAIN_KINDS.filter((kind) => KINDS[kind].inFiles.isFact === areFacts)
  const entries = kinds.map((kind) => {
    const { section } = KINDS[kind].inFiles
    const about = section.replaceAll('_', ' ')
    return [section, t.described(makeList(kind), areFacts ? `facts: ${about}` : about)]
  })
  return Object.fromEntries(entries)
}
const PLAIN_SCHEMA = plainSections(false) as PlainSections<Exclude<PlainKind, PlainFact<PlainKind>>>
const PLAIN_FACTS = plainSections(true) as PlainSections<PlainFact<PlainKind>>

/** Version 2 of the form. */
export const PolicyFile = t.named(
  'PolicyFile',
  t.closed({
    zerohop: t.described(t.schemaOf<2>({ enum: [2, '2'] }), 'version of the file format'),
    manages: t.maybe(
      t.described(t.listOf(Manages), 'what the file manages; default: the schema kinds that it contains'),
    ),
    moved: t.maybe(t.described(t.listOf(Moved), 'objects that were renamed')),
    user_attributes: t.described(Bundle.properties.user_attributes, 'attributes of users, by key'),
    tenant_attributes: t.described(Bundle.properties.tenant_attributes, 'attributes of tenants, by key'),
    context_attributes: t.maybe(
      t.described(
        t.mapOf(AttributeBlock),
        'attributes that applications send in `context`; used only for warnings of `validate`',
      ),
    ),
    resources: t.maybe(t.described(t.listOf(PolicyResource), 'resource types with their actions')),
    roles: t.described(Bundle.properties.roles, 'roles in tenants'),
    condition_sets: t.maybe(t.described(t.listOf(PolicyConditionSet), 'users or resources that match conditions')),
    set_rules: t.described(
      Bundle.properties.set_rules,
      'what users of a user set can do with resources of a resource set',
    ),
    ...PLAIN_SCHEMA,
    ...PLAIN_FACTS,
    users: t.described(Bundle.properties.users, 'facts: users'),
    memberships: t.described(
      Bundle.properties.memberships,
      'facts: users who are members of a tenant without a role in it',
    ),
    resource_instances: t.described(Bundle.properties.resource_instances, 'facts: resource instances'),
    relationship_tuples: t.described(Bundle.properties.relationship_tuples, 'facts: relations between instances'),
    role_assignments: t.described(Bundle.properties.role_assignments, 'facts: who has which role where'),
  }),
)
export type PolicyFile = t.Static<typeof PolicyFile>
