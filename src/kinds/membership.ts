// A user who belongs to a tenant.
import { membershipKey, type Stored } from '../model/objects.ts'
import { type Claimed, claimedValues } from './claims.ts'
import { fields, own, type StoredFields } from './fields.ts'
import type { Kind } from './kind.ts'
import { text } from './wire-values.ts'

export const membershipFields = fields({
  user: own<string>(),
  tenant: own<string>(),
  /* canary: payload-of-memberships */ explicit: own<boolean>(),
})

/**
 * A user who belongs to a tenant. `key` is `membershipKey(tenant, user)`. An explicit one was asked for; another came
 * with an assignment and goes with the last one, so that the users of a tenant can be paged by one index. Only an explicit
 * one has claims.
 */
export interface Membership extends Stored, StoredFields<typeof membershipFields>, Claimed {}

export interface MembershipPolicy {
  readonly user: string
  readonly tenant: string
}

export const membership = {
  number: 6,
  newerNumbers: { claims: 84 },
  fields: membershipFields,
  hasIds: false,
  hasOwnTable: true,
  indexes: {
    memberships_of_user: ({ user }) => [user],
    memberships_of_tenant: ({ tenant }) => [tenant],
    memberships_claimed: (membership) => claimedValues('membership', membership),
  },
  projection: {
    code: 6,
    // a membership implied by a role adds nothing to the role
    project: ({ user, tenant, explicit }) => (explicit ? { user, tenant } : undefined),
    write: ({ user, tenant }) => [user, tenant],
    read: (fields) => {
      const user = text(fields[1])
      const tenant = text(fields[2])
      return { op: 'put', kind: 'membership', key: membershipKey(tenant, user), value: { user, tenant } }
    },
  },
  inFiles: { section: 'memberships', isFact: true, key: 'connects' },
} as const satisfies Kind<'membership', Membership, MembershipPolicy>
