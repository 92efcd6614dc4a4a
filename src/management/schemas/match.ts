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
import { Conditions, SetType } from './condition-sets.ts'
import { Attributes, Count } from './schema-parts.ts'

const limit = { type: 'integer', minimum: 1, maximum: PAGE_ROWS_MAX, default: PAGE_ROWS_DEFAULT }

export const ConditionMatchQuestion = named(
  'ConditionMatchQuestion',
  described(
    closed({
      set: maybe(described(Text, 'key or id of a stored condition set')),
      conditions: maybe(described(Conditions, 'conditions to try, as if the set had them')),
      parent_id: maybe(described(Text, 'parent of the set that `conditions` describe')),
      type: maybe(SetType),
      resource_id: maybe(described(Text, 'without `set`: key or id of the resource type of a resource set')),
      user: maybe(
        described(Text, 'for a resource set: the user for `user.*`; without one, these attributes are missing'),
      ),
      resource: maybe(
        described(
          Text,
          'for a user set: the resource for `resource.*`, as `type` or `type:key`; without one, these attributes are missing',
        ),
      ),
      tenant: maybe(
        described(Text, 'for a user set: the tenant of the check; for a resource set: only instances of this tenant'),
      ),
      context: maybe(described(Attributes, '`now` defaults to the time of the request')),
      only_different: maybe(
        described(Flag, 'only matches of `set` that `conditions` do not match, or the other way round'),
      ),
      after: maybe(described(Text, '`next` of the previous page')),
      limit: maybe(described(schemaOf<number>(limit), 'rows per page')),
    }),
    'users that match a user set, or stored instances that match a resource set',
    { examples: [{ type: 'userset', conditions: { 'user.level': { 'greater-than': 3 } } }] },
  ),
)
export type ConditionMatchQuestion = Static<typeof ConditionMatchQuestion>

const Verdict = nullable(described(enumOf('match', 'no_match', 'undecided'), 'undecided if a check could not decide'))

export const ConditionMatches = named(
  'ConditionMatches',
  open({
    revision: described(Count, 'the revision that was used'),
    of: described(enumOf('users', 'instances'), 'kind of the object in `key`'),
    matches: described(
      listOf(
        open({
          key: Text,
          stored: described(Verdict, 'whether the stored `set` matches; null without `set`'),
          sent: described(Verdict, 'whether `conditions` match; null without them'),
        }),
      ),
      'ordered by key; a page can have fewer than `limit` rows, or none, although more follow',
    ),
    examined: described(Count, 'number of users or instances that were examined for this page'),
    next: described(nullable(Text), 'cursor of the next page; null on the last page'),
  }),
)
export type ConditionMatches = Static<typeof ConditionMatches>
