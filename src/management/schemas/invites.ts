// User invites in the API: what is sent and what is answered at /v2/facts/{p}/{e}/user_invites.
import { closed, described, enumOf, maybe, named, nullable, open, type Static, Text } from '../../model/json-schema.ts'
import { page, query, roleFilter, search, tenantFilter } from './query-parameters.ts'
import { Attributes, Id, known, sameKey, UserKey } from './schema-parts.ts'

const Status = enumOf('pending', 'approved')
const RoleRef = described(Text, 'key or id of a tenant role; with an instance, of a role of its resource type')
const InstanceRef = described(Text, 'id or `type:key`')

const fields = {
  status: Status,
  email: Text,
  first_name: Text,
  last_name: Text,
  role_id: RoleRef,
  tenant_id: described(Text, 'key or id'),
  resource_instance_id: maybe(InstanceRef),
}

export const InviteCreate = named('UserInviteCreate', closed({ key: UserKey, ...fields }))
export type InviteCreate = Static<typeof InviteCreate>

export const InviteReplace = named('UserInviteReplace', closed({ ...sameKey, ...fields }))
export type InviteReplace = Static<typeof InviteReplace>

export const InviteUpdate = named(
  'UserInviteUpdate',
  closed({
    key: maybe(Text),
    status: maybe(Status),
    email: maybe(Text),
    first_name: maybe(Text),
    last_name: maybe(Text),
    role_id: maybe(RoleRef),
    tenant_id: maybe(Text),
    resource_instance_id: maybe(InstanceRef),
  }),
)
export type InviteUpdate = Static<typeof InviteUpdate>

/** The user that is made. */
export const InviteApprove = named('UserInviteApprove', closed({ key: UserKey, email: Text, attributes: Attributes }))
export type InviteApprove = Static<typeof InviteApprove>

export const InviteRead = named(
  'UserInvite',
  open({
    ...known,
    status: Status,
    email: Text,
    first_name: Text,
    last_name: Text,
    role_id: nullable(Id),
    tenant_id: nullable(Id),
    resource_instance_id: nullable(Id),
  }),
)
export type InviteRead = Static<typeof InviteRead>

export const InviteQuery = query({ ...page, ...roleFilter, ...search, ...tenantFilter })
