// Tenant roles in the API: what is sent and what is answered at /v2/schema/{p}/{e}/roles.
import {
  closed,
  described,
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
import { EXTENDS_MAX, PERMISSIONS_PER_REQUEST_MAX } from '../../model/limits.ts'
import { attributeFilter, counted, page, query, search } from './query-parameters.ts'
import { ResourceRoleCreate } from './resource-roles.ts'
import { Attributes, bodyNames, Key, known, Null, readNames, sameKey } from './schema-parts.ts'

const fields = {
  ...bodyNames,
  permissions: maybe(
    described(Texts, 'permissions as `resource:action`, with keys or ids', { maxItems: PERMISSIONS_PER_REQUEST_MAX }),
  ),
  extends: maybe(
    described(Texts, 'keys or ids of roles whose permissions this role also gets', { maxItems: EXTENDS_MAX }),
  ),
  attributes: maybe(Attributes),
  granted_to: later(),
  v1compat_settings: maybe(Attributes),
  v1compat_attributes: maybe(Attributes),
}

export const RoleCreate = named(
  'RoleCreate',
  described(
    closed({ key: Key, ...fields, v1compat_is_built_in: later() }),
    'a role in tenants; only the key is required',
    {
      examples: [
        { key: 'editor', name: 'Editor', permissions: ['document:read', 'document:edit'], extends: ['viewer'] },
      ],
    },
  ),
)
export type RoleCreate = Static<typeof RoleCreate>

export const RoleReplace = named('RoleReplace', closed({ ...sameKey, ...fields }))
export type RoleReplace = Static<typeof RoleReplace>

export const RoleUpdate = named('RoleUpdate', closed({ ...sameKey, ...fields }))
export type RoleUpdate = Static<typeof RoleUpdate>

export const RolePermissions = named('RolePermissions', closed({ permissions: Texts }))
export type RolePermissions = Static<typeof RolePermissions>

export const RoleRead = named(
  'Role',
  open({
    ...known,
    ...readNames,
    permissions: Texts,
    attributes: nullable(Attributes),
    extends: described(Texts, 'keys of roles'),
    granted_to: Null,
    v1compat_settings: nullable(Attributes),
    v1compat_attributes: nullable(Attributes),
  }),
)
export type RoleRead = Static<typeof RoleRead>

export const RoleQuery = query({ ...page, ...attributeFilter, ...counted, ...search })

/** Roles above or below one. */
export const RoleFamily = named('Roles', open({ roles: listOf(RoleRead) }))
export type RoleFamily = Static<typeof RoleFamily>

/** An item with a resource is a role of that resource type. */
export const RoleBulk = named(
  'RoleBulk',
  closed({
    operations: listOf(
      closed({ ...ResourceRoleCreate.properties, resource: maybe(described(Text, 'for a role of a resource type')) }),
    ),
  }),
)
export type RoleBulk = Static<typeof RoleBulk>

export const RoleBulkRead = named('RolesBulk', open({ created: described(Texts, 'keys'), updated: Texts }))
export type RoleBulkRead = Static<typeof RoleBulkRead>
