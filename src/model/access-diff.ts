// The form of an access diff: what a change of policy or data does to who may do what (docs/access-diff.md). Two parts:
// `policy` compares the rules without looking at facts, `access` names the users whose answers change. It is made by
// src/image/access-diff, and is part of the answer of a plan.
import * as t from './json-schema.ts'

const Count = t.schemaOf<number>({ type: 'integer' })

/** How a user gets a permission. */
export const AccessSource = t.named(
  'AccessSource',
  t.open({
    kind: t.enumOf('role', 'resource_role', 'set_rule'),
    role: t.maybe(t.described(t.Text, 'the role assigned to the user; a resource role is `resource#role`')),
    user_set: t.maybe(t.described(t.Text, 'for a set rule: the user set, or the key of a role used as one')),
    resource_set: t.maybe(t.described(t.Text, 'for a set rule: the resource set, or the key of a resource type')),
  }),
)
export type AccessSource = t.Static<typeof AccessSource>

/** A pair that the policy gains or loses, whoever has the role. */
export const PolicyPair = t.named(
  'PolicyPair',
  t.open({
    source: AccessSource,
    permission: t.described(t.Text, '`resource:action`'),
    through: t.maybe(
      t.described(
        t.listOf(t.Text),
        'steps from the role to the permission, in order: an extended role, or `resource#role over relation` for a derivation',
      ),
    ),
    when: t.maybe(t.described(t.Text, 'for a set rule: the conditions of its sets, or `always`')),
  }),
)
export type PolicyPair = t.Static<typeof PolicyPair>

/**
 * The created or deleted object without which the answer would not change: the user, else the tenant, else the
 * instance. Null or absent: all of them are there before and after.
 */
export const Lifecycle = t.enumOf(
  'new_user',
  'deleted_user',
  'new_tenant',
  'deleted_tenant',
  'new_instance',
  'deleted_instance',
)
export type Lifecycle = t.Static<typeof Lifecycle>

/** A set rule that is there before and after, with other conditions. */
export const PolicyRule = t.named(
  'PolicyRule',
  t.open({
    source: AccessSource,
    permission: t.described(t.Text, '`resource:action`'),
    before: t.described(t.Text, 'the conditions of its sets, `always` or `never`'),
    after: t.Text,
  }),
)
export type PolicyRule = t.Static<typeof PolicyRule>

/** What the policy gains and loses, whoever has which role. */
export const PolicyDiff = t.named(
  'PolicyDiff',
  t.open({
    gained: t.listOf(PolicyPair),
    lost: t.listOf(PolicyPair),
    changed: t.described(t.listOf(PolicyRule), 'set rules whose conditions have another meaning'),
    complete: t.described(t.Flag, 'false if a limit was reached and the comparison is incomplete'),
    renamed: t.maybe(t.described(Count, 'number of pairs and rules that only have a new name; they are not listed')),
  }),
)
export type PolicyDiff = t.Static<typeof PolicyDiff>

/** Why an answer differs between two instants, where one cause suffices. */
const By = t.enumOf('condition')

/** What is given to everyone (D16) is asked about once, and not counted as a user. */
const everybody = t.maybe(t.described(t.Flag, 'true: everyone, `*`, is among them, and is not counted in `users`'))

/** Users who gain or lose one action on one type of resource in one tenant, by one source. */
export const AccessGroup = t.named(
  'AccessGroup',
  t.open({
    source: AccessSource,
    resource: t.described(t.Text, 'resource type'),
    action: t.Text,
    tenant: t.Text,
    lifecycle: t.maybe(
      t.described(Lifecycle, 'the object that is created or deleted; such answers have separate groups'),
    ),
    by: t.maybe(
      t.described(
        By,
        'of two instants: conditions that read the time are enough for it; nothing must start, end or change. Such answers have separate groups',
      ),
    ),
    users: t.described(Count, 'number of different users'),
    everybody,
    decisions: t.described(Count, 'number of answers that change'),
  }),
)
export type AccessGroup = t.Static<typeof AccessGroup>

/**
 * One answer that changes. Without a key the resource is the type: the answer about all its instances in the tenant.
 */
export const AccessFlip = t.named(
  'AccessFlip',
  t.open({
    user: t.described(t.Text, '`*` for everyone'),
    action: t.Text,
    resource: t.closed({ type: t.Text, key: t.maybe(t.Text) }),
    tenant: t.Text,
    because: AccessSource,
    lifecycle: t.maybe(t.described(Lifecycle, 'the object that is created or deleted')),
    by: t.maybe(t.described(By, 'as of the group')),
    since: t.maybe(
      t.described(t.Text, 'of two instants: since when it is so, where the passing of time makes it so, in ISO 8601'),
    ),
  }),
)
export type AccessFlip = t.Static<typeof AccessFlip>

/** The answers that change in one direction. */
export const AccessChange = t.named(
  'AccessChange',
  t.open({
    users: t.described(Count, 'number of different users; a lower bound if not complete'),
    everybody,
    decisions: t.described(Count, 'number of answers that change; a lower bound if not complete'),
    complete: t.described(t.Flag, 'false if a limit was reached and the result is incomplete'),
    groups: t.described(t.listOf(AccessGroup), 'ordered by source, resource, action, tenant and lifecycle'),
    more_groups: t.described(Count, 'number of groups that are not listed'),
    first: t.described(
      t.listOf(AccessFlip),
      'one page of these answers, ordered by resource, action, tenant, user and key',
    ),
    next: t.maybe(t.described(t.Text, 'cursor of the next page')),
  }),
)
export type AccessChange = t.Static<typeof AccessChange>

/**
 * Access that users keep under another name, because the policy says that an object moved. Checks that use the old
 * name are denied.
 */
export const RenamedAccess = t.named(
  'RenamedAccess',
  t.open({
    users: t.described(Count, 'different users, by their keys before the change'),
    everybody,
    decisions: t.described(Count, 'answers that are lost under the old name and gained under the new one'),
  }),
)
export type RenamedAccess = t.Static<typeof RenamedAccess>

/**
 * Answers that may change, depending on what is sent with the question: attributes of the resource and the action,
 * relations, context. One line for each permission and pair of conditions.
 */
export const ConditionalChange = t.named(
  'ConditionalChange',
  t.open({
    resource: t.described(t.Text, 'resource type'),
    action: t.Text,
    before: t.described(t.Text, 'when it is allowed before the change, as text: `never`, `always`, or conditions'),
    after: t.described(t.Text, 'when it is allowed after the change'),
    tenants: t.described(Count, 'number of different tenants'),
    first_tenants: t.described(t.listOf(t.Text), 'the first tenants'),
    users: t.described(Count, 'number of different users'),
    first: t.described(t.listOf(t.Text), 'the first users'),
    complete: t.described(t.Flag, 'false if there can be more users or tenants'),
  }),
)
export type ConditionalChange = t.Static<typeof ConditionalChange>

/** A changed set rule that reads user attributes, which a request may send and so override. No one is counted. */
export const OverridableRule = t.named(
  'OverridableRule',
  t.open({ user_set: t.Text, permission: t.Text, resource_set: t.Text, attributes: t.listOf(t.Text) }),
)
export type OverridableRule = t.Static<typeof OverridableRule>

export const AccessDiff = t.named(
  'AccessDiff',
  t.open({
    policy: PolicyDiff,
    access: t.open({
      gained: AccessChange,
      lost: AccessChange,
      renamed: t.maybe(t.described(RenamedAccess, 'access that only has a new name; not counted as gained or lost')),
      conditional: t.listOf(ConditionalChange),
      overridable: t.listOf(OverridableRule),
      conditional_complete: t.Flag,
    }),
  }),
)
export type AccessDiff = t.Static<typeof AccessDiff>
