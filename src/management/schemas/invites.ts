// User invites in the API: what is sent and what is answered at /v2/facts/{p}/{e}/user_invites.
import { noteFields } from '../../kinds/role-assignment.ts'
import { timeFields } from '../../kinds/times.ts'
import * as t from '../../model/json-schema.ts'
import { answerMembers, noteMembers, timeMembers } from './field-members.ts'
import { page, query, roleFilter, search, tenantFilter, textParameter } from './query-parameters.ts'
import { Attributes, Id, known, place, sameKey, stamps, UserKey } from './schema-parts.ts'

export const INVITE_STATUSES = ['pending', 'approved'] as const
const Status = t.enumOf(...INVITE_STATUSES)
const RoleRef = t.described(t.Text, 'key or id of a tenant role; with an instance, of a role of its resource type')
const InstanceRef = t.described(t.Text, 'id or `type:key`')

const fields = {
  status: Status,
  email: t.Text,
  first_name: t.Text,
  last_name: t.Text,
  role_id: RoleRef,
  tenant_id: t.described(t.Text, 'key or id'),
  resource_instance_id: t.maybe(InstanceRef),
  ...timeMembers,
  ...noteMembers,
}

export const InviteCreate = t.named('UserInviteCreate', t.closed({ key: UserKey, ...fields }))
export type InviteCreate = t.Static<typeof InviteCreate>

export const InviteReplace = t.named('UserInviteReplace', t.closed({ ...sameKey, ...fields }))
export type InviteReplace = t.Static<typeof InviteReplace>

export const InviteUpdate = t.named(
  'UserInviteUpdate',
  t.closed({
    key: t.maybe(t.Text),
    status: t.maybe(Status),
    email: t.maybe(t.Text),
    first_name: t.maybe(t.Text),
    last_name: t.maybe(t.Text),
    role_id: t.maybe(RoleRef),
    tenant_id: t.maybe(t.Text),
    resource_instance_id: t.maybe(InstanceRef),
    ...timeMembers,
    ...noteMembers,
  }),
)
export type InviteUpdate = t.Static<typeof InviteUpdate>

/** The user that is made. */
export const InviteApprove = t.named(
  'UserInviteApprove',
  t.closed({ key: UserKey, email: t.Text, attributes: Attributes }),
)
export type InviteApprove = t.Static<typeof InviteApprove>

export const InviteRead = t.named(
  'UserInvite',
  t.open({
    ...known,
    status: Status,
    email: t.Text,
    first_name: t.Text,
    last_name: t.Text,
    role_id: t.nullable(Id),
    tenant_id: t.nullable(Id),
    resource_instance_id: t.nullable(Id),
    by_tenant: t.optional(t.described(t.Flag, 'a key of the tenant made it')),
    user: t.optional(t.described(t.Text, 'key of the only user who may be made of it')),
    ...answerMembers({ ...timeFields, ...noteFields }),
  }),
)
export type InviteRead = t.Static<typeof InviteRead>

/** An invite to the tenant that the path names: to an email, to the key of a user, or to both. */
export const InviteInTenant = t.named(
  'TenantInviteCreate',
  t.closed({
    email: t.maybe(t.Text),
    user: t.maybe(t.described(t.Text, 'key; it may be that of a user or not')),
    first_name: t.maybe(t.Text),
    last_name: t.maybe(t.Text),
    role: t.described(t.Text, 'key or id of a role; with an instance, of a role of its resource type'),
    resource_instance: t.maybe(InstanceRef),
    ...timeMembers,
    ...noteMembers,
  }),
)
export type InviteInTenant = t.Static<typeof InviteInTenant>

export const TenantInviteRead = t.named(
  'TenantInvite',
  t.open({
    id: Id,
    email: t.nullable(t.Text),
    user: t.nullable(t.described(t.Text, 'key')),
    first_name: t.Text,
    last_name: t.Text,
    status: Status,
    role: t.Text,
    tenant: t.Text,
    resource_instance: t.nullable(t.described(t.Text, '`type:key`')),
    ...place,
    ...stamps,
    ...answerMembers({ ...timeFields, ...noteFields }),
  }),
)
export type TenantInviteRead = t.Static<typeof TenantInviteRead>

export const InviteQuery = query({ ...page, ...roleFilter, ...search, ...tenantFilter })
export const TenantInviteQuery = query({
  ...page,
  status: textParameter('only those that are `pending`, or `approved`'),
})
