// Tenant roles in the API: what is sent and what is answered at /v2/schema/{p}/{e}/roles.
import { roleGivingFields } from '../../kinds/giving.ts'
import * as t from '../../model/json-schema.ts'
import { EXTENDS_MAX, PERMISSIONS_PER_REQUEST_MAX } from '../../model/limits.ts'
import { answerMembers, bodyNames, readNames, roleGivingMembers } from './field-members.ts'
import { attributeFilter, counted, page, query, search } from './query-parameters.ts'
import { ResourceRoleCreate } from './resource-roles.ts'
import { Attributes, Key, known, Null, sameKey } from './schema-parts.ts'

const fields = {
  ...bodyNames,
  permissions: t.maybe(
    t.described(t.Texts, 'permissions as `resource:action`, with keys or ids', {
      maxItems: PERMISSIONS_PER_REQUEST_MAX,
    }),
  ),
  extends: t.maybe(
    t.described(t.Texts, 'keys or ids of roles whose permissions this role also gets', { maxItems: EXTENDS_MAX }),
  ),
  attributes: t.maybe(Attributes),
  ...roleGivingMembers,
  granted_to: t.later(),
  v1compat_settings: t.maybe(Attributes),
  v1compat_attributes: t.maybe(Attributes),
}

export const RoleCreate = t.named(
  'RoleCreate',
  t.described(
    t.closed({ key: Key, ...fields, v1compat_is_built_in: t.later() }),
    'a role in tenants; only the key is required',
    {
      examples: [
        { key: 'editor', name: 'Editor', permissions: ['document:read', 'document:edit'], extends: ['viewer'] },
      ],
    },
  ),
)
export type RoleCreate = t.Static<typeof RoleCreate>

export const RoleReplace = t.named('RoleReplace', t.closed({ ...sameKey, ...fields }))
export type RoleReplace = t.Static<typeof RoleReplace>

export const RoleUpdate = t.named('RoleUpdate', t.closed({ ...sameKey, ...fields }))
export type RoleUpdate = t.Static<typeof RoleUpdate>

export const RolePermissions = t.named('RolePermissions', t.closed({ permissions: t.Texts }))
export type RolePermissions = t.Static<typeof RolePermissions>

export const RoleRead = t.named(
  'Role',
  t.open({
    ...known,
    ...readNames,
    permissions: t.Texts,
    attributes: t.nullable(Attributes),
    ...answerMembers(roleGivingFields),
    extends: t.described(t.Texts, 'keys of roles'),
    granted_to: Null,
    v1compat_settings: t.nullable(Attributes),
    v1compat_attributes: t.nullable(Attributes),
  }),
)
export type RoleRead = t.Static<typeof RoleRead>

export const RoleQuery = query({ ...page, ...attributeFilter, ...counted, ...search })

/** Roles above or below one. */
export const RoleFamily = t.named('Roles', t.open({ roles: t.listOf(RoleRead) }))
export type RoleFamily = t.Static<typeof RoleFamily>

/** An item with a resource is a role of that resource type. */
export const RoleBulk = t.named(
  'RoleBulk',
  t.closed({
    operations: t.listOf(
      t.closed({
        ...ResourceRoleCreate.properties,
        resource: t.maybe(t.described(t.Text, 'for a role of a resource type')),
      }),
    ),
  }),
)
export type RoleBulk = t.Static<typeof RoleBulk>

export const RoleBulkRead = t.named('RolesBulk', t.open({ created: t.described(t.Texts, 'keys'), updated: t.Texts }))
export type RoleBulkRead = t.Static<typeof RoleBulkRead>
