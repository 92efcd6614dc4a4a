// Roles of a resource type in the API, with their derivations: what is sent and what is answered at
// /v2/schema/{p}/{e}/resources/{resource}/roles, and in the map `roles` of a resource type.
import {
  closed,
  described,
  Flag,
  later,
  listOf,
  maybe,
  named,
  nullable,
  open,
  type Static,
  Text,
  Texts,
} from '../../model/json-schema.ts'
import { DERIVATIONS_PER_ROLE_MAX, EXTENDS_MAX, PERMISSIONS_PER_REQUEST_MAX } from '../../model/limits.ts'
import { Attributes, bodyNames, Id, Key, known, readNames, sameKey } from './schema-parts.ts'

export const DerivationSettings = named(
  'DerivationSettingsInput',
  closed({
    no_direct_roles_on_object: maybe(
      described(Flag, 'derive the role only if the user has no direct role on the object'),
    ),
  }),
)
export type DerivationSettings = Static<typeof DerivationSettings>

/** Whoever has the role on an instance of `on_resource` that is related to the object has this role on the object. */
export const DerivationRule = named(
  'DerivationRuleInput',
  closed({
    role: described(Text, 'key or id of a role of `on_resource`'),
    on_resource: described(Text, 'key or id of a resource type'),
    linked_by_relation: described(Text, 'key or id of a relation'),
    when: maybe(DerivationSettings),
  }),
)
export type DerivationRule = Static<typeof DerivationRule>

const Derivation = closed({
  when: maybe(DerivationSettings),
  users_with_role: maybe(
    described(listOf(DerivationRule), 'users with one of these roles also get this role', {
      maxItems: DERIVATIONS_PER_ROLE_MAX,
    }),
  ),
})
export type Derivation = Static<typeof Derivation>

const fields = {
  ...bodyNames,
  permissions: maybe(
    described(Texts, 'actions of the resource type, `action` or `resource:action`', {
      maxItems: PERMISSIONS_PER_REQUEST_MAX,
    }),
  ),
  extends: maybe(
    described(Texts, 'keys or ids of roles of the same resource type whose permissions this role also gets', {
      maxItems: EXTENDS_MAX,
    }),
  ),
  attributes: maybe(Attributes),
  granted_to: maybe(Derivation),
  v1compat_settings: later(),
  v1compat_attributes: later(),
}

/** In the map `roles` of a resource type the key stands outside. */
export const RoleBlock = closed(fields)
export type RoleBlock = Static<typeof RoleBlock>

export const ResourceRoleCreate = named('ResourceRoleCreate', closed({ key: Key, ...fields }))
export type ResourceRoleCreate = Static<typeof ResourceRoleCreate>

export const ResourceRoleReplace = named('ResourceRoleReplace', closed({ ...sameKey, ...fields }))
export type ResourceRoleReplace = Static<typeof ResourceRoleReplace>

export const ResourceRoleUpdate = named('ResourceRoleUpdate', closed({ ...sameKey, ...fields }))
export type ResourceRoleUpdate = Static<typeof ResourceRoleUpdate>

export const ResourceRolePermissions = named('ResourceRolePermissions', closed({ permissions: Texts }))
export type ResourceRolePermissions = Static<typeof ResourceRolePermissions>

export const DerivationSettingsRead = named('DerivationSettings', open({ no_direct_roles_on_object: Flag }))
export type DerivationSettingsRead = Static<typeof DerivationSettingsRead>
export const DerivationRuleRead = named(
  'DerivationRule',
  open({
    role: Text,
    on_resource: Text,
    linked_by_relation: Text,
    when: open({ no_direct_roles_on_object: Flag }),
    role_id: Id,
    resource_id: Id,
    relation_id: Id,
  }),
)
export type DerivationRuleRead = Static<typeof DerivationRuleRead>
export const DerivationRead = named(
  'Derivation',
  open({
    id: Id,
    when: open({ no_direct_roles_on_object: Flag }),
    users_with_role: listOf(DerivationRuleRead),
  }),
)
export type DerivationRead = Static<typeof DerivationRead>

export const ResourceRoleRead = named(
  'ResourceRole',
  open({
    ...known,
    ...readNames,
    permissions: Texts,
    attributes: nullable(Attributes),
    extends: described(Texts, 'keys of roles of the same resource type'),
    granted_to: nullable(DerivationRead),
    resource: described(Text, 'key of the resource type'),
    resource_id: Id,
  }),
)
export type ResourceRoleRead = Static<typeof ResourceRoleRead>

/** Roles above or below one. */
export const ResourceRoleFamily = named('ResourceRoles', open({ roles: listOf(ResourceRoleRead) }))

export type ResourceRoleFamily = Static<typeof ResourceRoleFamily>
