// Role assignments in the API: what is sent and what is answered at /v2/facts/{p}/{e}/role_assignments and at the roles
// of a user.
import {
  anyOf,
  closed,
  described,
  listOf,
  maybe,
  named,
  nullable,
  open,
  type Static,
  Text,
  Texts,
} from '../../model/json-schema.ts'
import {
  counted,
  detailed,
  page,
  query,
  resourceFilter,
  returnDeleted,
  roleFilter,
  tenantFilter,
  textParameter,
  userFilter,
} from './query-parameters.ts'
import { Attributes, Id, pageOf, place, Time } from './schema-parts.ts'

const roleInTenant = {
  role: described(Text, 'key or id of a role; with an instance, of a role of its resource type'),
  tenant: maybe(described(Text, 'key or id; `default` if neither a tenant nor an instance is sent')),
  resource_instance: maybe(
    described(Text, 'id or `type:key`; an instance that does not exist is created if the tenant is sent'),
  ),
}

/** A role in a tenant or on a resource instance, of a user who is named elsewhere. */
export const RoleInTenant = named('RoleInTenantInput', closed(roleInTenant))
export type RoleInTenant = Static<typeof RoleInTenant>

export const RoleAssignmentCreate = named(
  'RoleAssignmentCreate',
  closed({ user: described(Text, 'key or id'), ...roleInTenant }),
)
export type RoleAssignmentCreate = Static<typeof RoleAssignmentCreate>

export const RoleAssignmentRead = named(
  'RoleAssignment',
  open({
    id: Id,
    user: Text,
    role: Text,
    tenant: Text,
    resource_instance: nullable(described(Text, '`type:key`')),
    ...place,
    created_at: Time,
    user_id: Id,
    role_id: Id,
    tenant_id: Id,
    resource_instance_id: nullable(Id),
  }),
)
export type RoleAssignmentRead = Static<typeof RoleAssignmentRead>

const Instance = named('RoleAssignmentInstance', open({ id: Id, key: Text, resource: Text, attributes: Attributes }))

export const RoleAssignmentDetailed = named(
  'RoleAssignmentDetailed',
  open({
    id: Id,
    ...place,
    created_at: Time,
    user: open({
      id: Id,
      key: Text,
      email: nullable(Text),
      first_name: nullable(Text),
      last_name: nullable(Text),
      attributes: Attributes,
    }),
    role: open({ id: Id, key: Text, name: Text, permissions: Texts }),
    tenant: open({ id: Id, key: Text, name: Text, attributes: Attributes }),
    resource_instance: nullable(Instance),
  }),
)
export type RoleAssignmentDetailed = Static<typeof RoleAssignmentDetailed>

/** By `detailed` and `include_total_count`. */
export const RoleAssignmentList = named(
  'RoleAssignmentListOrPage',
  anyOf(
    listOf(RoleAssignmentRead),
    pageOf(RoleAssignmentRead),
    listOf(RoleAssignmentDetailed),
    pageOf(RoleAssignmentDetailed),
  ),
)

const filters = {
  ...resourceFilter,
  resource_instance: textParameter('only those on this instance, an id or `type:key`'),
  ...roleFilter,
  ...tenantFilter,
  ...userFilter,
}
export const RoleAssignmentQuery = query({ ...page, ...detailed, ...counted, ...filters })
export const RoleAssignmentDetailedQuery = query({ ...page, ...filters })
export const UnassignQuery = query(returnDeleted)
