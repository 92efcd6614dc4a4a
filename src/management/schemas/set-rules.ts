// Set rules in the API: what is sent and what is answered at /v2/facts/{p}/{e}/set_rules.
import { closed, described, Flag, maybe, named, open, type Static, Text } from '../../model/json-schema.ts'
import { page, query, textParameter } from './query-parameters.ts'
import { known } from './schema-parts.ts'

export const SetRuleCreate = named(
  'SetRuleCreate',
  closed({
    user_set: described(Text, 'key or id of a user set or of a role, or `__autogen_<role>`, which is always the role'),
    permission: described(Text, '`resource:action`'),
    resource_set: described(
      Text,
      'key or id of a resource set or of a resource type, or `__autogen_<resource>`, which is always the type',
    ),
    is_role: maybe(described(Flag, 'true: `user_set` is a role')),
    is_set: maybe(described(Flag, 'true: `user_set` is a condition set')),
    is_resource: maybe(described(Flag, 'true: `resource_set` is a resource type')),
    is_resource_set: maybe(described(Flag, 'true: `resource_set` is a condition set')),
  }),
)
export type SetRuleCreate = Static<typeof SetRuleCreate>

export const SetRuleRead = named('SetRule', open({ ...known, user_set: Text, permission: Text, resource_set: Text }))
export type SetRuleRead = Static<typeof SetRuleRead>

export const SetRuleQuery = query({
  ...page,
  permission: textParameter('only rules on this permission: an action, `resource:action` or an id'),
  resource_set: textParameter('only rules on this resource set'),
  user_set: textParameter('only rules on this user set'),
})
