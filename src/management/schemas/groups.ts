// Groups in the API: what is sent and what is answered at /v2/schema/{p}/{e}/groups.
import { timeFields } from '../../kinds/times.ts'
import * as t from '../../model/json-schema.ts'
import { BULK_ASSIGNMENTS_MAX } from '../../model/limits.ts'
import { writtenMembers } from './fact-writes.ts'
import { answerMembers, timeMembers } from './field-members.ts'
import {
  counted,
  page,
  query,
  resourceFilter,
  search,
  stateFilter,
  tenantFilter,
  withInstanceRoles,
} from './query-parameters.ts'
import { assignmentMembers } from './role-assignments.ts'
import { Attributes, Id } from './schema-parts.ts'

export const GroupCreate = t.named(
  'GroupCreate',
  t.closed({
    group_instance_key: t.Text,
    group_tenant: t.described(t.Text, 'key or id'),
    group_resource_type_key: t.maybe(
      t.described(t.Text, 'key of a resource type, which is created if it does not exist; default `group`'),
    ),
  }),
)
export type GroupCreate = t.Static<typeof GroupCreate>

export const GroupUser = t.named('GroupUserInput', t.closed({ tenant: t.Text, ...assignmentMembers }))
export type GroupUser = t.Static<typeof GroupUser>

/** Members of one group. */
export const GroupUsersPut = t.named(
  'GroupUserBulkPut',
  t.closed({
    operations: t.listOf(
      t.closed({ user: t.described(t.Text, 'key or id'), tenant: t.Text, ...assignmentMembers }),
      BULK_ASSIGNMENTS_MAX,
    ),
  }),
)
export type GroupUsersPut = t.Static<typeof GroupUsersPut>

/** A role on one instance. */
export const GroupRole = t.named(
  'GroupRoleInput',
  t.closed({
    role: t.Text,
    resource: t.Text,
    resource_instance: t.described(t.Text, 'id, `type:key` or key'),
    tenant: t.Text,
    ...timeMembers,
  }),
)
export type GroupRole = t.Static<typeof GroupRole>

export const GroupInGroup = t.named('GroupInGroupInput', t.closed({ group_instance_key: t.Text, ...timeMembers }))
export type GroupInGroup = t.Static<typeof GroupInGroup>

const group = { id: Id, group_resource_type_key: t.Text, group_instance_key: t.Text, group_tenant: t.Text }

export const GroupRead = t.named(
  'Group',
  t.open({ ...group, assigned_roles: t.Texts, users: t.described(t.listOf(Id), 'ids of users') }),
)
export type GroupRead = t.Static<typeof GroupRead>
export const GroupWritten = t.named('GroupWritten', t.withMembers(GroupRead, writtenMembers))
/** A group by itself. */
export const GroupBlock = t.named('GroupBlock', t.open(group))
export type GroupBlock = t.Static<typeof GroupBlock>
export const GroupRoleRead = t.named(
  'GroupRole',
  t.open({
    id: Id,
    key: t.Text,
    name: t.Text,
    resource: t.open({ id: Id, key: t.Text, name: t.Text }),
    resource_instance: t.open({ id: Id, key: t.Text, resource: t.Text, attributes: Attributes }),
    ...answerMembers(timeFields),
  }),
)
export type GroupRoleRead = t.Static<typeof GroupRoleRead>

const filters = { ...resourceFilter, ...search, ...tenantFilter }
export const GroupQuery = query({ ...page, ...counted, ...filters })
export const DirectGroupQuery = query({ ...page, ...filters })
export const GroupUserQuery = query({ ...page, ...withInstanceRoles, ...stateFilter })
/** Of what stands around a group by a tuple. */
export const GroupLinkQuery = query({ ...page, ...stateFilter })
