// When roles, permissions and users were last used, by the decision log: GET /v2/facts/{p}/{e}/last_used/….
import * as t from '../../model/json-schema.ts'
import { LAST_USED_ROWS_DEFAULT, LAST_USED_ROWS_PER_PAGE_MAX } from '../../model/limits.ts'
import { numberParameter, query, textParameter } from './query-parameters.ts'
import { Count, Time } from './schema-parts.ts'

/** Why it cannot be known whether something was used. */
const UNKNOWN = ['nothing_recorded', 'not_recorded_so_long', 'read_by_conditions', 'role_not_in_policy'] as const
export type Unknown = (typeof UNKNOWN)[number]

const LIMIT = {
  type: 'integer',
  minimum: 1,
  maximum: LAST_USED_ROWS_PER_PAGE_MAX,
  default: LAST_USED_ROWS_DEFAULT,
}

/** For how long something was not used. */
export const unusedFor = textParameter(
  'only what was not used for this time, such as `30d`, and what it cannot be known of; default: all',
)

const asked = {
  unused_for: unusedFor,
  after: textParameter('`next` of the previous page; keep the other parameters the same'),
  limit: numberParameter(LIMIT, 'rows per page'),
}

export const LastUsedRolesQuery = query({
  user: textParameter('only role assignments of this user; `*` for those of everyone'),
  role: textParameter('only this role; a role on instances is `type#role`'),
  tenant: textParameter('only in this tenant'),
  ...asked,
})
export const LastUsedPermissionsQuery = query({ resource: textParameter('only this resource type'), ...asked })
export const LastUsedUsersQuery = query({ user: textParameter('only this user'), ...asked })

/** When something was last used. */
export const used = {
  last_used: t.described(t.nullable(Time), 'the newest recorded decision that allowed it; null: none is known'),
  unused: t.described(
    t.nullable(t.Flag),
    'with `unused_for`: whether it was not used for so long; null: it cannot be known, or is not asked for',
  ),
  unknown: t.described(
    t.nullable(t.enumOf(...UNKNOWN)),
    'why it cannot be known. `nothing_recorded`: no decision was recorded in this time. `not_recorded_so_long`: recording ' +
      'began later. `read_by_conditions`: conditions read the roles of users, and records do not say what they allowed by one. ' +
      '`role_not_in_policy`: the policy of the environment does not say what the role gives',
  ),
}

/** What is known of uses. */
export const knownUses = {
  known_since: t.described(
    t.nullable(Time),
    'uses from then on are known; null: none are, or older records are looked at',
  ),
  known_until: t.described(t.nullable(Time), 'the newest recorded decision'),
  dropped: t.described(Count, 'decisions that PDPs could not record, ever: what only they used looks unused'),
  dropped_at: t.described(t.nullable(Time), 'the last time that there were such decisions'),
}

const makeUsedPage = <T extends t.TSchema>(name: string, row: T) =>
  t.named(
    name,
    t.open({
      data: t.described(t.listOf(row), 'a page can have fewer than `limit` rows, or none, although more follow'),
      ...knownUses,
      next: t.described(t.nullable(t.Text), 'cursor of the next page; null on the last page'),
    }),
  )

export const LastUsedRoles = makeUsedPage(
  'LastUsedRoles',
  t.named(
    'LastUsedRole',
    t.open({
      user: t.Text,
      role: t.Text,
      tenant: t.Text,
      resource_instance: t.described(t.nullable(t.Text), '`type:key`; null: the role is in the tenant'),
      given_at: t.described(Time, 'when the role was given'),
      ...used,
    }),
  ),
)
export type LastUsedRoles = t.Static<typeof LastUsedRoles>

export const LastUsedPermissions = makeUsedPage(
  'LastUsedPermissions',
  t.named('LastUsedPermission', t.open({ permission: t.described(t.Text, '`resource:action`'), ...used })),
)
export type LastUsedPermissions = t.Static<typeof LastUsedPermissions>

export const LastUsedUsers = makeUsedPage('LastUsedUsers', t.named('LastUsedUser', t.open({ user: t.Text, ...used })))
export type LastUsedUsers = t.Static<typeof LastUsedUsers>
