// Users in the API: what is sent and what is answered at /v2/facts/{p}/{e}/users.
import { timeFields } from '../../kinds/times.ts'
import { userFields } from '../../kinds/user.ts'
import * as t from '../../model/json-schema.ts'
import { ASSIGNMENTS_PER_REQUEST_MAX, EMAIL_LENGTH_MAX } from '../../model/limits.ts'
import { claimMembers } from './claims.ts'
import { writtenMembers } from './fact-writes.ts'
import { answerMembers, bodyMembers } from './field-members.ts'
import { page, query, roleFilter, search, stateFilter, withInstanceRoles } from './query-parameters.ts'
import { RoleInTenant } from './role-assignments.ts'
import { known, sameKey, UserKey } from './schema-parts.ts'

const fields = bodyMembers(userFields, {
  email: t.maybe(t.described(t.Text, 'shown in logs', { maxLength: EMAIL_LENGTH_MAX })),
})
const withRoles = {
  ...fields,
  role_assignments: t.maybe(
    t.described(t.listOf(RoleInTenant), 'roles to assign to the user', { maxItems: ASSIGNMENTS_PER_REQUEST_MAX }),
  ),
}

export const UserCreate = t.named(
  'UserCreate',
  t.described(t.closed({ key: UserKey, ...withRoles }), 'a user, and the roles to assign', {
    examples: [
      { key: 'ann@example.com', email: 'ann@example.com', role_assignments: [{ role: 'editor', tenant: 'default' }] },
    ],
  }),
)
export type UserCreate = t.Static<typeof UserCreate>

/** Roles are kept when none are sent; else they are exactly these. */
export const UserReplace = t.named('UserReplace', t.closed({ ...sameKey, ...withRoles }))
export type UserReplace = t.Static<typeof UserReplace>

export const UserUpdate = t.named('UserUpdate', t.closed({ ...sameKey, ...fields }))
export type UserUpdate = t.Static<typeof UserUpdate>

export const UserRead = t.named(
  'User',
  t.open({
    ...known,
    email: t.nullable(t.Text),
    ...answerMembers(userFields),
    ...claimMembers,
    roles: t.described(
      t.listOf(t.open({ role: t.Text, tenant: t.Text, ...answerMembers(timeFields), ...claimMembers })),
      'roles in tenants; with their claims in the list of the users of a tenant, of the roles there',
    ),
    associated_tenants: t.described(
      t.listOf(
        t.open({
          tenant: t.Text,
          roles: t.Texts,
          status: t.enumOf('active'),
          ...claimMembers,
          resource_instance_roles: t.listOf(
            t.open({ resource_instance: t.Text, resource: t.Text, role: t.Text, ...answerMembers(timeFields) }),
          ),
        }),
      ),
      'tenants that the user belongs to; in the list of the users of a tenant with the claims on the membership there',
    ),
  }),
)
export type UserRead = t.Static<typeof UserRead>
export const UserWritten = t.named('UserWritten', t.withMembers(UserRead, writtenMembers))

export const UserQuery = query({ ...page, ...withInstanceRoles, ...roleFilter, ...search, ...stateFilter })
export const OneUserQuery = query(stateFilter)
