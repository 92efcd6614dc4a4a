// Set rules in the API: what is sent and what is answered at /v2/facts/{p}/{e}/set_rules.
import * as t from '../../model/json-schema.ts'
import { claimMembers } from './claims.ts'
import { page, query, textParameter } from './query-parameters.ts'
import { known } from './schema-parts.ts'

export const SetRuleCreate = t.named(
  'SetRuleCreate',
  t.closed({
    user_set: t.described(
      t.Text,
      'key or id of a user set or of a role; `resource#role`, or its id, is a role on instances; `__autogen_<role>` is always the role',
    ),
    permission: t.described(t.Text, '`resource:action`'),
    resource_set: t.described(
      t.Text,
      'key or id of a resource set or of a resource type, or `__autogen_<resource>`, which is always the type',
    ),
    is_role: t.maybe(t.described(t.Flag, 'true: `user_set` is a role')),
    is_set: t.maybe(t.described(t.Flag, 'true: `user_set` is a condition set')),
    is_resource: t.maybe(t.described(t.Flag, 'true: `resource_set` is a resource type')),
    is_resource_set: t.maybe(t.described(t.Flag, 'true: `resource_set` is a condition set')),
  }),
)
export type SetRuleCreate = t.Static<typeof SetRuleCreate>

export const SetRuleRead = t.named(
  'SetRule',
  t.open({ ...known, user_set: t.Text, permission: t.Text, resource_set: t.Text, ...claimMembers }),
)
export type SetRuleRead = t.Static<typeof SetRuleRead>

export const SetRuleQuery = query({
  ...page,
  permission: textParameter('only rules on this permission: an action, `resource:action` or an id'),
  resource_set: textParameter('only rules on this resource set'),
  user_set: textParameter('only rules on this user set'),
})
