// Who or what condition sets match, in the API: what is sent and what is answered at
// /v2/projects/{p}/envs/{e}/condition-matches.
import {
  closed,
  described,
  enumOf,
  Flag,
  listOf,
  maybe,
  named,
  nullable,
  open,
  type Static,
  schemaOf,
  Text,
} from '../../model/json-schema.ts'
import { PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX } from '../../model/limits.ts'
import { Attributes, Count } from '../schema-parts.ts'
import { Conditions, SetType } from './schema.ts'

const limit = { type: 'integer', minimum: 1, maximum: PAGE_ROWS_MAX, default: PAGE_ROWS_DEFAULT }

export const ConditionMatchQuestion = named(
  'ConditionMatchQuestion',
  described(
    closed({
      set: maybe(described(Text, 'key or id of a stored condition set')),
      conditions: maybe(described(Conditions, 'conditions that are asked about as if the set had them')),
      parent_id: maybe(described(Text, 'the parent of the set that `conditions` would make')),
      type: maybe(SetType),
      resource_id: maybe(described(Text, 'without `set`: key or id of the resource type of a resource set')),
      user: maybe(described(Text, 'of a resource set: whose attributes `user.*` are; without one they are missing')),
      resource: maybe(described(Text, 'of a user set: what `resource.*` is, as `type` or `type:key`; else missing')),
      tenant: maybe(
        described(Text, 'of a user set: the tenant of the question; of a resource set: only instances of this tenant'),
      ),
      context: maybe(described(Attributes, '`now` is the time of the request unless it is sent')),
      only_different: maybe(described(Flag, 'only what `set` matches and `conditions` would not, or the other way')),
      after: maybe(described(Text, '`next` of the page before')),
      limit: maybe(described(schemaOf<number>(limit), 'rows of a page')),
    }),
    'users whom a user set matches, or stored instances that a resource set matches',
    { examples: [{ type: 'userset', conditions: { 'user.level': { 'greater-than': 3 } } }] },
  ),
)
export type ConditionMatchQuestion = Static<typeof ConditionMatchQuestion>

const Verdict = nullable(
  described(enumOf('match', 'no_match', 'undecided'), 'undecided when a check could not decide either'),
)

export const ConditionMatches = named(
  'ConditionMatches',
  open({
    revision: described(Count, 'the revision that answers'),
    of: described(enumOf('users', 'instances'), 'what `key` names'),
    matches: described(
      listOf(
        open({
          key: Text,
          stored: described(Verdict, 'by `set` as it is stored; null without one'),
          sent: described(Verdict, 'by `conditions`; null without them'),
        }),
      ),
      'in the order of their keys; there may be fewer than `limit`, or none, and more behind',
    ),
    examined: described(Count, 'users or instances that were looked at for this page'),
    next: described(nullable(Text), 'where the next page begins; null at the end'),
  }),
)
export type ConditionMatches = Static<typeof ConditionMatches>
