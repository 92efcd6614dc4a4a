// User invites in the API: what is sent and what is answered at /v2/facts/{p}/{e}/user_invites.
import { noteFields } from '../../kinds/role-assignment.ts'
import { timeFields } from '../../kinds/times.ts'
import * as t from '../../model/json-schema.ts'
import { answerMembers, noteMembers, timeMembers } from './field-members.ts'
import { page, query, roleFilter, search, tenantFilter } from './query-parameters.ts'
import { Attributes, Id, known, sameKey, UserKey } from './schema-parts.ts'

const Status = t.enumOf('pending', 'approved')
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
    ...answerMembers({ ...timeFields, ...noteFields }),
  }),
)
export type InviteRead = t.Static<typeof InviteRead>

export const InviteQuery = query({ ...page, ...roleFilter, ...search, ...tenantFilter })
