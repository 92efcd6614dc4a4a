// The form of an access diff: what a change of policy or data does to who may do what (docs/access-diff.md). Two parts:
// `policy` compares the rules without looking at facts, `access` names the users whose answers change. It is made by
// src/image/access-diff, and is part of the answer of a plan.
import {
  closed,
  described,
  enumOf,
  Flag,
  listOf,
  maybe,
  named,
  open,
  type Static,
  schemaOf,
  Text,
} from './json-schema.ts'

const Count = schemaOf<number>({ type: 'integer' })

/** How a user comes to have a permission. */
export const AccessSource = named(
  'AccessSource',
  open({
    kind: enumOf('role', 'resource_role', 'set_rule'),
    role: maybe(described(Text, 'the role assigned to the user; a resource role is `resource#role`')),
    user_set: maybe(described(Text, 'for a set rule: the user set, or the key of a role used as one')),
    resource_set: maybe(described(Text, 'for a set rule: the resource set, or the key of a resource type')),
  }),
)
export type AccessSource = Static<typeof AccessSource>

/** A pair that the policy gains or loses, whoever has the role. */
export const PolicyPair = named(
  'PolicyPair',
  open({
    source: AccessSource,
    permission: described(Text, '`resource:action`'),
    through: maybe(
      described(
        listOf(Text),
        'steps from the role to the permission, in order: an extended role, or `resource#role over relation` for a derivation',
      ),
    ),
    when: maybe(described(Text, 'for a set rule: the conditions of its sets, or `always`')),
  }),
)
export type PolicyPair = Static<typeof PolicyPair>

/**
 * The created or deleted object without which the answer would not change: the user, else the tenant, else the
 * instance. Null or absent: all of them are there before and after.
 */
export const Lifecycle = enumOf(
  'new_user',
  'deleted_user',
  'new_tenant',
  'deleted_tenant',
  'new_instance',
  'deleted_instance',
)
export type Lifecycle = Static<typeof Lifecycle>

/** A set rule that is there before and after, with other conditions. */
export const PolicyRule = named(
  'PolicyRule',
  open({
    source: AccessSource,
    permission: described(Text, '`resource:action`'),
    before: described(Text, 'the conditions of its sets, `always` or `never`'),
    after: Text,
  }),
)
export type PolicyRule = Static<typeof PolicyRule>

/** What the policy gains and loses, whoever has which role. */
export const PolicyDiff = named(
  'PolicyDiff',
  open({
    gained: listOf(PolicyPair),
    lost: listOf(PolicyPair),
    changed: described(listOf(PolicyRule), 'set rules whose conditions have another meaning'),
    complete: described(Flag, 'false if a limit was reached and the comparison is incomplete'),
    renamed: maybe(described(Count, 'number of pairs and rules that only have a new name; they are not listed')),
  }),
)
export type PolicyDiff = Static<typeof PolicyDiff>

/** Users who gain or lose one action on one type of resource in one tenant, by one source. */
export const AccessGroup = named(
  'AccessGroup',
  open({
    source: AccessSource,
    resource: described(Text, 'resource type'),
    action: Text,
    tenant: Text,
    lifecycle: maybe(described(Lifecycle, 'the object that is created or deleted; such answers have separate groups')),
    users: described(Count, 'number of different users'),
    decisions: described(Count, 'number of answers that change'),
  }),
)
export type AccessGroup = Static<typeof AccessGroup>

/**
 * One answer that changes. Without a key the resource is the type: the answer about all its instances in the tenant.
 */
export const AccessFlip = named(
  'AccessFlip',
  open({
    user: Text,
    action: Text,
    resource: closed({ type: Text, key: maybe(Text) }),
    tenant: Text,
    because: AccessSource,
    lifecycle: maybe(described(Lifecycle, 'the object that is created or deleted')),
  }),
)
export type AccessFlip = Static<typeof AccessFlip>

/** The answers that change in one direction. */
export const AccessChange = named(
  'AccessChange',
  open({
    users: described(Count, 'number of different users; a lower bound if not complete'),
    decisions: described(Count, 'number of answers that change; a lower bound if not complete'),
    complete: described(Flag, 'false if a limit was reached and the result is incomplete'),
    groups: described(listOf(AccessGroup), 'ordered by source, resource, action, tenant and lifecycle'),
    more_groups: described(Count, 'number of groups that are not listed'),
    first: described(
      listOf(AccessFlip),
      'one page of these answers, ordered by resource, action, tenant, user and key',
    ),
    next: maybe(described(Text, 'cursor of the next page')),
  }),
)
export type AccessChange = Static<typeof AccessChange>

/**
 * Access that users keep under another name, because the policy says that an object moved. Checks that use the old
 * name are denied.
 */
export const RenamedAccess = named(
  'RenamedAccess',
  open({
    users: described(Count, 'different users, by their keys before the change'),
    decisions: described(Count, 'answers that are lost under the old name and gained under the new one'),
  }),
)
export type RenamedAccess = Static<typeof RenamedAccess>

/**
 * Answers that may change, depending on what is sent with the question: attributes of the resource and the action,
 * relations, context. One line for each permission and pair of conditions.
 */
export const ConditionalChange = named(
  'ConditionalChange',
  open({
    resource: described(Text, 'resource type'),
    action: Text,
    before: described(Text, 'when it is allowed before the change, as text: `never`, `always`, or conditions'),
    after: described(Text, 'when it is allowed after the change'),
    tenants: described(Count, 'number of different tenants'),
    first_tenants: described(listOf(Text), 'the first tenants'),
    users: described(Count, 'number of different users'),
    first: described(listOf(Text), 'the first users'),
    complete: described(Flag, 'false if there can be more users or tenants'),
  }),
)
export type ConditionalChange = Static<typeof ConditionalChange>

/** A changed set rule that reads user attributes, which a request may send and so override. Nobody is counted. */
export const OverridableRule = named(
  'OverridableRule',
  open({ user_set: Text, permission: Text, resource_set: Text, attributes: listOf(Text) }),
)
export type OverridableRule = Static<typeof OverridableRule>

export const AccessDiff = named(
  'AccessDiff',
  open({
    policy: PolicyDiff,
    access: open({
      gained: AccessChange,
      lost: AccessChange,
      renamed: maybe(described(RenamedAccess, 'access that only has a new name; not counted as gained or lost')),
      conditional: listOf(ConditionalChange),
      overridable: listOf(OverridableRule),
      conditional_complete: Flag,
    }),
  }),
)
export type AccessDiff = Static<typeof AccessDiff>
