// A rule that lets a user set do something on a resource set.
import { resourceRoleOfSet, type Stored, setRuleKey } from '../model/objects.ts'
import { type Claimed, claimedValues } from './claims.ts'
import type { Kind } from './kind.ts'
import { text } from './wire-values.ts'

/**
 * The users of `user_set` may do `permission` on the resources of `resource_set` (D6). `key` is `setRuleKey(…)`. A role
 * used as a user set is written `__autogen_<role>`, a role on instances (D17) `__autogen_<resource>#<role>`, a resource
 * used as a resource set `__autogen_<resource>`.
 */
export interface SetRule extends Stored, Claimed {
  readonly user_set: string
  readonly permission: string
  readonly resource_set: string
}

export interface SetRulePolicy {
  readonly user_set: string
  readonly permission: string
  readonly resource_set: string
}

export const setRule = {
  number: 11,
  newerNumbers: { role_sets: 70, claims: 88 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    rules_of_user_set: ({ user_set }) => [user_set],
    rules_of_resource_set: ({ resource_set }) => [resource_set],
    rules_of_permission: ({ permission }) => [permission],
    set_rules_claimed: (rule) => claimedValues('set_rule', rule),
  },
  projection: {
    code: 11,
    newer: [{ code: 17, isNeeded: ({ user_set }) => resourceRoleOfSet(user_set) !== undefined }],
    project: ({ user_set, permission, resource_set }) => ({ user_set, permission, resource_set }),
    write: ({ user_set, permission, resource_set }) => [user_set, permission, resource_set],
    read: (fields) => {
      const value = { user_set: text(fields[1]), permission: text(fields[2]), resource_set: text(fields[3]) }
      return {
        op: 'put',
        kind: 'set_rule',
        key: setRuleKey(value.user_set, value.permission, value.resource_set),
        value,
      }
    },
  },
  inFiles: { section: 'set_rules', isFact: false, key: 'connects' },
} as const satisfies Kind<'set_rule', SetRule, SetRulePolicy>
