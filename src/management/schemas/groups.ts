// Groups in the API: what is sent and what is answered at /v2/schema/{p}/{e}/groups. In bodies that clients send with
// more members, the others are ignored.
import { closed, described, listOf, maybe, named, open, type Static, Text, Texts } from '../../model/json-schema.ts'
import { counted, page, query, resourceFilter, search, tenantFilter, withInstanceRoles } from './query-parameters.ts'
import { Attributes, Id } from './schema-parts.ts'

export const GroupCreate = named(
  'GroupCreate',
  closed({
    group_instance_key: Text,
    group_tenant: described(Text, 'key or id'),
    group_resource_type_key: maybe(
      described(Text, 'key of a resource type, which is created if it does not exist; default `group`'),
    ),
  }),
)
export type GroupCreate = Static<typeof GroupCreate>

export const GroupUser = named('GroupUserInput', open({ tenant: Text }))
export type GroupUser = Static<typeof GroupUser>

/** A role on one instance. */
export const GroupRole = named(
  'GroupRoleInput',
  open({
    role: Text,
    resource: Text,
    resource_instance: described(Text, 'id, `type:key` or key'),
    tenant: Text,
  }),
)
export type GroupRole = Static<typeof GroupRole>

export const GroupInGroup = named('GroupInGroupInput', open({ group_instance_key: Text }))
export type GroupInGroup = Static<typeof GroupInGroup>

const group = { id: Id, group_resource_type_key: Text, group_instance_key: Text, group_tenant: Text }

export const GroupRead = named(
  'Group',
  open({ ...group, assigned_roles: Texts, users: described(listOf(Id), 'ids of users') }),
)
export type GroupRead = Static<typeof GroupRead>
/** A group by itself. */
export const GroupBlock = named('GroupBlock', open(group))
export type GroupBlock = Static<typeof GroupBlock>
export const GroupRoleRead = named(
  'GroupRole',
  open({
    id: Id,
    key: Text,
    name: Text,
    resource: open({ id: Id, key: Text, name: Text }),
    resource_instance: open({ id: Id, key: Text, resource: Text, attributes: Attributes }),
  }),
)
export type GroupRoleRead = Static<typeof GroupRoleRead>

const filters = { ...resourceFilter, ...search, ...tenantFilter }
export const GroupQuery = query({ ...page, ...counted, ...filters })
export const DirectGroupQuery = query({ ...page, ...filters })
export const GroupUserQuery = query({ ...page, ...withInstanceRoles })
