// Somebody who may become a user.
import type { Stored } from '../model/objects.ts'
import type { StoredFields } from './fields.ts'
import { type Kind, roleKeyIn } from './kind.ts'
import type { noteFields } from './role-assignment.ts'
import type { TimesPolicy } from './times.ts'

/**
 * Somebody who may become a user: approving makes the user `key` and gives it the role. `resource_instance` is
 * `type:key` when the role is one on an instance. The times, the reason and the ticket are those of
 * the assignment.
 */
export interface UserInvite extends Stored, TimesPolicy, StoredFields<typeof noteFields> {
  readonly status: 'pending' | 'approved'
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly role: string
  readonly tenant: string
  readonly resource_instance: string | null
  /** set when a key of the tenant made it: its role must still be one that tenants assign when it is approved */
  readonly by_tenant?: true
  /** the key of the only user who may be made of it, when a key was invited and not an email */
  readonly user?: string
}

export const userInvite = {
  number: 14,
  newerNumbers: { times: 66, by_tenant: 76 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    invites_of_role: ({ role, resource_instance: instance }) => [roleKeyIn(role, instance)],
    invites_on_instance: ({ resource_instance: instance }) => (instance === null ? [] : [instance]),
    invites_of_tenant: ({ tenant }) => [tenant],
  },
  search: { texts: ({ key, email, first_name, last_name }) => [key, email, first_name, last_name], exact: () => [] },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'user_invite', UserInvite>
