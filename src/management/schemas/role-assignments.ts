// Role assignments in the API: what is sent and what is answered at /v2/facts/{p}/{e}/role_assignments and at the roles
// of a user.
import { membershipFields } from '../../kinds/membership.ts'
import { roleAssignmentFields } from '../../kinds/role-assignment.ts'
import * as t from '../../model/json-schema.ts'
import { claimMembers } from './claims.ts'
import { answerMembers, bodyMembers } from './field-members.ts'
import {
  counted,
  detailed,
  page,
  query,
  resourceFilter,
  roleFilter,
  tenantFilter,
  textParameter,
  textsParameter,
  timeFilters,
  userFilter,
} from './query-parameters.ts'
import { Attributes, Id, makePage, place, Time } from './schema-parts.ts'

/** What a body may say of an assignment beside what it connects. */
export const assignmentMembers = bodyMembers(roleAssignmentFields, {})
export type SentGrant = t.Static<ReturnType<typeof t.closed<typeof assignmentMembers>>>

const roleInTenant = {
  role: t.described(t.Text, 'key or id of a role; with an instance, of a role of its resource type'),
  tenant: t.maybe(t.described(t.Text, 'key or id; `default` if neither a tenant nor an instance is sent')),
  resource_instance: t.maybe(
    t.described(t.Text, 'id or `type:key`; an instance that does not exist is created if the tenant is sent'),
  ),
  ...assignmentMembers,
}

/** A role in a tenant or on a resource instance, of a user who is named elsewhere. */
export const RoleInTenant = t.named('RoleInTenantInput', t.closed(roleInTenant))
export type RoleInTenant = t.Static<typeof RoleInTenant>

export const RoleAssignmentCreate = t.named(
  'RoleAssignmentCreate',
  t.closed({
    user: t.described(t.Text, 'key or id; `*` for everyone, also users who are not signed in'),
    ...roleInTenant,
  }),
)
export type RoleAssignmentCreate = t.Static<typeof RoleAssignmentCreate>

/** As above, in the tenant that the path names. */
const { tenant: _tenant, ...inTenant } = RoleAssignmentCreate.properties
export const AssignmentInTenant = t.named('RoleAssignmentInTenant', t.closed(inTenant))
export type AssignmentInTenant = t.Static<typeof AssignmentInTenant>

/** A user of a tenant, with or without a role there. */
export const MembershipCreate = t.closed({ user: t.Text, tenant: t.Text, ...bodyMembers(membershipFields, {}) })
export type MembershipCreate = t.Static<typeof MembershipCreate>

const origin = {
  origin: t.optional(t.described(t.Text, '`request/ID` of the access request that it comes from')),
}

export const RoleAssignmentRead = t.named(
  'RoleAssignment',
  t.open({
    id: Id,
    user: t.described(t.Text, 'key; `*`: everyone'),
    role: t.Text,
    tenant: t.Text,
    resource_instance: t.nullable(t.described(t.Text, '`type:key`')),
    ...place,
    created_at: Time,
    user_id: t.described(Id, 'all zeros: everyone'),
    role_id: Id,
    tenant_id: Id,
    resource_instance_id: t.nullable(Id),
    ...answerMembers(roleAssignmentFields),
    ...origin,
    ...claimMembers,
  }),
)
export type RoleAssignmentRead = t.Static<typeof RoleAssignmentRead>

const Instance = t.named(
  'RoleAssignmentInstance',
  t.open({ id: Id, key: t.Text, resource: t.Text, attributes: Attributes }),
)

export const RoleAssignmentDetailed = t.named(
  'RoleAssignmentDetailed',
  t.open({
    id: Id,
    ...place,
    created_at: Time,
    user: t.open({
      id: Id,
      key: t.Text,
      email: t.nullable(t.Text),
      first_name: t.nullable(t.Text),
      last_name: t.nullable(t.Text),
      attributes: Attributes,
    }),
    role: t.open({ id: Id, key: t.Text, name: t.Text, permissions: t.Texts }),
    tenant: t.open({ id: Id, key: t.Text, name: t.Text, attributes: Attributes }),
    resource_instance: t.nullable(Instance),
    ...answerMembers(roleAssignmentFields),
    ...origin,
    ...claimMembers,
  }),
)
export type RoleAssignmentDetailed = t.Static<typeof RoleAssignmentDetailed>

/** By `detailed` and `include_total_count`. */
export const RoleAssignmentList = t.named(
  'RoleAssignmentListOrPage',
  t.anyOf(
    t.listOf(RoleAssignmentRead),
    makePage(RoleAssignmentRead),
    t.listOf(RoleAssignmentDetailed),
    makePage(RoleAssignmentDetailed),
  ),
)

const filters = {
  ...resourceFilter,
  resource_instance: textParameter('only those on this instance, an id or `type:key`'),
  ...roleFilter,
  ...tenantFilter,
  ...userFilter,
  ticket: textsParameter('only those with this ticket'),
  ...timeFilters,
}
export const RoleAssignmentQuery = query({ ...page, ...detailed, ...counted, ...filters })
export const RoleAssignmentDetailedQuery = query({ ...page, ...filters })
const { tenant: _named, ...filtersInTenant } = filters
export const TenantAssignmentQuery = query({ ...page, ...filtersInTenant })
