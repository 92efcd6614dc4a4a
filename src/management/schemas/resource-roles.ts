// Roles of a resource type in the API, with their derivations: what is sent and what is answered at
// /v2/schema/{p}/{e}/resources/{resource}/roles, and in the map `roles` of a resource type.
import { givingFields } from '../../kinds/giving.ts'
import * as t from '../../model/json-schema.ts'
import { DERIVATIONS_PER_ROLE_MAX, EXTENDS_MAX, PERMISSIONS_PER_REQUEST_MAX } from '../../model/limits.ts'
import { answerMembers, bodyNames, givingMembers, readNames } from './field-members.ts'
import { Attributes, Id, Key, known, sameKey } from './schema-parts.ts'

export const DerivationSettings = t.named(
  'DerivationSettingsInput',
  t.closed({
    no_direct_roles_on_object: t.maybe(
      t.described(t.Flag, 'derive the role only if the user has no direct role on the object'),
    ),
  }),
)
export type DerivationSettings = t.Static<typeof DerivationSettings>

/** Whoever has the role on an instance of `on_resource` that is related to the object has this role on the object. */
export const DerivationRule = t.named(
  'DerivationRuleInput',
  t.closed({
    role: t.described(t.Text, 'key or id of a role of `on_resource`'),
    on_resource: t.described(t.Text, 'key or id of a resource type'),
    linked_by_relation: t.described(t.Text, 'key or id of a relation'),
    when: t.maybe(DerivationSettings),
  }),
)
export type DerivationRule = t.Static<typeof DerivationRule>

const Derivation = t.closed({
  when: t.maybe(DerivationSettings),
  users_with_role: t.maybe(
    t.described(t.listOf(DerivationRule), 'users with one of these roles also get this role', {
      maxItems: DERIVATIONS_PER_ROLE_MAX,
    }),
  ),
})
export type Derivation = t.Static<typeof Derivation>

const fields = {
  ...bodyNames,
  permissions: t.maybe(
    t.described(t.Texts, 'actions of the resource type, `action` or `resource:action`', {
      maxItems: PERMISSIONS_PER_REQUEST_MAX,
    }),
  ),
  extends: t.maybe(
    t.described(t.Texts, 'keys or ids of roles of the same resource type whose permissions this role also gets', {
      maxItems: EXTENDS_MAX,
    }),
  ),
  attributes: t.maybe(Attributes),
  ...givingMembers,
  granted_to: t.maybe(Derivation),
  v1compat_settings: t.later(),
  v1compat_attributes: t.later(),
}

/** In the map `roles` of a resource type the key stands outside. */
export const RoleBlock = t.closed(fields)
export type RoleBlock = t.Static<typeof RoleBlock>

export const ResourceRoleCreate = t.named('ResourceRoleCreate', t.closed({ key: Key, ...fields }))
export type ResourceRoleCreate = t.Static<typeof ResourceRoleCreate>

export const ResourceRoleReplace = t.named('ResourceRoleReplace', t.closed({ ...sameKey, ...fields }))
export type ResourceRoleReplace = t.Static<typeof ResourceRoleReplace>

export const ResourceRoleUpdate = t.named('ResourceRoleUpdate', t.closed({ ...sameKey, ...fields }))
export type ResourceRoleUpdate = t.Static<typeof ResourceRoleUpdate>

export const ResourceRolePermissions = t.named('ResourceRolePermissions', t.closed({ permissions: t.Texts }))
export type ResourceRolePermissions = t.Static<typeof ResourceRolePermissions>

export const DerivationSettingsRead = t.named('DerivationSettings', t.open({ no_direct_roles_on_object: t.Flag }))
export type DerivationSettingsRead = t.Static<typeof DerivationSettingsRead>
export const DerivationRuleRead = t.named(
  'DerivationRule',
  t.open({
    role: t.Text,
    on_resource: t.Text,
    linked_by_relation: t.Text,
    when: t.open({ no_direct_roles_on_object: t.Flag }),
    role_id: Id,
    resource_id: Id,
    relation_id: Id,
  }),
)
export type DerivationRuleRead = t.Static<typeof DerivationRuleRead>
export const DerivationRead = t.named(
  'Derivation',
  t.open({
    id: Id,
    when: t.open({ no_direct_roles_on_object: t.Flag }),
    users_with_role: t.listOf(DerivationRuleRead),
  }),
)
export type DerivationRead = t.Static<typeof DerivationRead>

export const ResourceRoleRead = t.named(
  'ResourceRole',
  t.open({
    ...known,
    ...readNames,
    permissions: t.Texts,
    attributes: t.nullable(Attributes),
    ...answerMembers(givingFields),
    extends: t.described(t.Texts, 'keys of roles of the same resource type'),
    granted_to: t.nullable(DerivationRead),
    resource: t.described(t.Text, 'key of the resource type'),
    resource_id: Id,
  }),
)
export type ResourceRoleRead = t.Static<typeof ResourceRoleRead>

/** Roles above or below one. */
export const ResourceRoleFamily = t.named('ResourceRoles', t.open({ roles: t.listOf(ResourceRoleRead) }))

export type ResourceRoleFamily = t.Static<typeof ResourceRoleFamily>
