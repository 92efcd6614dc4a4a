// Groups of a directory, and rules for them, in the API: what is sent and what is answered at
// /v2/facts/{p}/{e}/directory_groups and …/group_rules.
import { GROUP_RULE_FIELDS, GROUP_RULE_MATCHES } from '../../kinds/group-rule.ts'
import { timeFields } from '../../kinds/times.ts'
import * as t from '../../model/json-schema.ts'
import { answerMembers, bodyMembers } from './field-members.ts'
import { page, query, search } from './query-parameters.ts'
import { Count, Id, known, sameKey, stamps } from './schema-parts.ts'

const by = t.described(t.enumOf(...GROUP_RULE_FIELDS), 'what of the group is compared')
const match = t.described(t.enumOf(...GROUP_RULE_MATCHES), 'default `exact`')
const value = t.described(t.Text, 'the name or external id, or what it begins with')
const place = {
  tenant: t.maybe(t.described(t.Text, 'key or id; default `default`')),
  resource_instance: t.maybe(t.described(t.Text, '`resource:instance` or id, of a role on an instance')),
  ...bodyMembers(timeFields, {}),
}
const role = t.described(t.Text, 'key or id of the role that members get')

const whole = { group: t.closed({ by, match: t.maybe(match), value }), role, ...place }

export const GroupRuleCreate = t.named('GroupRuleCreate', t.closed(whole))
export type GroupRuleCreate = t.Static<typeof GroupRuleCreate>

export const GroupRuleReplace = t.named('GroupRuleReplace', t.closed({ ...sameKey, ...whole }))
export type GroupRuleReplace = t.Static<typeof GroupRuleReplace>

export const GroupRuleUpdate = t.named(
  'GroupRuleUpdate',
  t.closed({
    ...sameKey,
    group: t.maybe(t.closed({ by: t.maybe(by), match: t.maybe(match), value: t.maybe(value) })),
    role: t.maybe(role),
    ...place,
  }),
)
export type GroupRuleUpdate = t.Static<typeof GroupRuleUpdate>

export const GroupRuleRead = t.named(
  'GroupRule',
  t.open({
    ...known,
    group: t.open({ by, match, value }),
    role: t.Text,
    tenant: t.Text,
    resource_instance: t.nullable(t.Text),
    ...answerMembers(timeFields),
    groups: t.described(Count, 'how many groups it selects at present'),
  }),
)
export type GroupRuleRead = t.Static<typeof GroupRuleRead>

export const GroupRulePlan = t.named(
  'GroupRulePlan',
  t.described(
    t.closed({
      create: t.maybe(GroupRuleCreate),
      update: t.maybe(t.closed({ rule: t.described(t.Text, 'id of the rule'), fields: GroupRuleUpdate })),
      delete: t.maybe(t.described(t.Text, 'id of the rule')),
      page: t.maybe(t.Text),
    }),
    'exactly one of `create`, `update` and `delete`',
  ),
)
export type GroupRulePlan = t.Static<typeof GroupRulePlan>

export const DirectoryGroupRead = t.named(
  'DirectoryGroup',
  t.open({
    id: Id,
    display_name: t.Text,
    external_id: t.nullable(t.Text),
    members: t.described(Count, 'how many users it has'),
    rules: t.described(Count, 'how many rules select it'),
    ...stamps,
  }),
)
export type DirectoryGroupRead = t.Static<typeof DirectoryGroupRead>

export const DirectoryGroupsQuery = query({ ...page, ...search })
