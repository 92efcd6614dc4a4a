// Users in the API: what is sent and what is answered at /v2/facts/{p}/{e}/users.
import {
  closed,
  described,
  enumOf,
  listOf,
  maybe,
  named,
  nullable,
  open,
  type Static,
  Text,
  Texts,
} from '../../model/json-schema.ts'
import { ASSIGNMENTS_PER_REQUEST_MAX, DESCRIPTION_LENGTH_MAX, EMAIL_LENGTH_MAX } from '../../model/limits.ts'
import { page, query, roleFilter, search, withInstanceRoles } from './query-parameters.ts'
import { RoleInTenant } from './role-assignments.ts'
import { Attributes, known, sameKey, UserKey } from './schema-parts.ts'

const fields = {
  email: maybe(described(Text, 'shown in logs', { maxLength: EMAIL_LENGTH_MAX })),
  first_name: maybe(described(Text, 'shown in logs', { maxLength: DESCRIPTION_LENGTH_MAX })),
  last_name: maybe(described(Text, 'shown in logs', { maxLength: DESCRIPTION_LENGTH_MAX })),
  attributes: maybe(Attributes),
}
const withRoles = {
  ...fields,
  role_assignments: maybe(
    described(listOf(RoleInTenant), 'roles to assign to the user', { maxItems: ASSIGNMENTS_PER_REQUEST_MAX }),
  ),
}

export const UserCreate = named(
  'UserCreate',
  described(closed({ key: UserKey, ...withRoles }), 'a user, and the roles to assign', {
    examples: [
      { key: 'ann@example.com', email: 'ann@example.com', role_assignments: [{ role: 'editor', tenant: 'default' }] },
    ],
  }),
)
export type UserCreate = Static<typeof UserCreate>

/** Roles are kept when none are sent; else they are exactly these. */
export const UserReplace = named('UserReplace', closed({ ...sameKey, ...withRoles }))
export type UserReplace = Static<typeof UserReplace>

export const UserUpdate = named('UserUpdate', closed({ ...sameKey, ...fields }))
export type UserUpdate = Static<typeof UserUpdate>

export const UserRead = named(
  'User',
  open({
    ...known,
    email: nullable(Text),
    first_name: nullable(Text),
    last_name: nullable(Text),
    attributes: Attributes,
    roles: described(listOf(open({ role: Text, tenant: Text })), 'roles in tenants'),
    associated_tenants: listOf(
      open({
        tenant: Text,
        roles: Texts,
        status: enumOf('active'),
        resource_instance_roles: listOf(open({ resource_instance: Text, resource: Text, role: Text })),
      }),
    ),
  }),
)
export type UserRead = Static<typeof UserRead>

export const UserQuery = query({ ...page, ...withInstanceRoles, ...roleFilter, ...search })
