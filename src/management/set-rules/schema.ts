// Set rules in the API: what is sent and what is answered at /v2/facts/{p}/{e}/set_rules.
import { closed, described, Flag, maybe, named, open, type Static, Text } from '../../model/json-schema.ts'
import { page, query, textParameter } from '../query-parameters.ts'
import { known } from '../schema-parts.ts'

export const SetRuleCreate = named(
  'SetRuleCreate',
  closed({
    user_set: described(Text, 'key or id of a user set or of a role, or `__autogen_<role>`'),
    permission: described(Text, '`resource:action`'),
    resource_set: described(Text, 'key or id of a resource set or of a resource type, or `__autogen_<resource>`'),
    is_role: maybe(described(Flag, '`user_set` is a role')),
    is_resource: maybe(described(Flag, '`resource_set` is a resource type')),
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
