// Who or what condition sets match, in the API: what is sent and what is answered at
// /v2/projects/{p}/envs/{e}/condition-matches.
import * as t from '../../model/json-schema.ts'
import { PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX } from '../../model/limits.ts'
import { Conditions, SetType } from './condition-sets.ts'
import { Attributes, Count } from './schema-parts.ts'

const limit = { type: 'integer', minimum: 1, maximum: PAGE_ROWS_MAX, default: PAGE_ROWS_DEFAULT }

export const ConditionMatchQuestion = t.named(
  'ConditionMatchQuestion',
  t.described(
    t.closed({
      set: t.maybe(t.described(t.Text, 'key or id of a stored condition set')),
      conditions: t.maybe(t.described(Conditions, 'conditions to try, as if the set had them')),
      parent_id: t.maybe(t.described(t.Text, 'parent of the set that `conditions` describe')),
      type: t.maybe(SetType),
      resource_id: t.maybe(t.described(t.Text, 'without `set`: key or id of the resource type of a resource set')),
      user: t.maybe(
        t.described(t.Text, 'for a resource set: the user for `user.*`; without one, these attributes are missing'),
      ),
      resource: t.maybe(
        t.described(
          t.Text,
          'for a user set: the resource for `resource.*`, as `type` or `type:key`; without one, these attributes are missing',
        ),
      ),
      tenant: t.maybe(
        t.described(
          t.Text,
          'for a user set: the tenant of the check; for a resource set: only instances of this tenant',
        ),
      ),
      context: t.maybe(t.described(Attributes, '`now` defaults to the time of the request')),
      only_different: t.maybe(
        t.described(t.Flag, 'only matches of `set` that `conditions` do not match, or the other way round'),
      ),
      after: t.maybe(t.described(t.Text, '`next` of the previous page')),
      limit: t.maybe(t.described(t.schemaOf<number>(limit), 'rows per page')),
    }),
    'users that match a user set, or stored instances that match a resource set',
    { examples: [{ type: 'userset', conditions: { 'user.level': { 'greater-than': 3 } } }] },
  ),
)
export type ConditionMatchQuestion = t.Static<typeof ConditionMatchQuestion>

const Verdict = t.nullable(
  t.described(t.enumOf('match', 'no_match', 'undecided'), 'undecided if a check could not decide'),
)

export const ConditionMatches = t.named(
  'ConditionMatches',
  t.open({
    revision: t.described(Count, 'the revision that was used'),
    of: t.described(t.enumOf('users', 'instances'), 'kind of the object in `key`'),
    matches: t.described(
      t.listOf(
        t.open({
          key: t.Text,
          stored: t.described(Verdict, 'whether the stored `set` matches; null without `set`'),
          sent: t.described(Verdict, 'whether `conditions` match; null without them'),
        }),
      ),
      'ordered by key; a page can have fewer than `limit` rows, or none, although more follow',
    ),
    examined: t.described(Count, 'number of users or instances that were examined for this page'),
    next: t.described(t.nullable(t.Text), 'cursor of the next page; null on the last page'),
  }),
)
export type ConditionMatches = t.Static<typeof ConditionMatches>
