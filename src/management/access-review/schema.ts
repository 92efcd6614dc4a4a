// Access reviews of an environment: GET …/access and what is below it.
import { AccessDiff, AccessSource } from '../../model/access-diff.ts'
import {
  described,
  enumOf,
  Flag,
  listOf,
  named,
  nullable,
  open,
  optional,
  type Static,
  schemaOf,
  Text,
} from '../../model/json-schema.ts'
import { REVIEW_LINES_DEFAULT, REVIEW_LINES_MAX } from '../../model/limits.ts'
import { flagParameter, numberParameter, query, textParameter } from '../query-parameters.ts'
import { Count, Time } from '../schema-parts.ts'

const at = textParameter('as it was at a revision, or at an instant in ISO 8601; by default the newest revision')
const since = textParameter('compared with a revision, or an instant in ISO 8601')
const LIMIT = { type: 'integer', minimum: 1, maximum: REVIEW_LINES_MAX, default: REVIEW_LINES_DEFAULT }

export const FORMATS = ['json', 'csv'] as const
export const GROUPINGS = ['role', 'resource'] as const

export const AccessQuery = query({
  ...{ at, since },
  user: textParameter('only what this user has'),
  role: textParameter('only what comes from this role; of a role on instances `type#role`'),
  resource: textParameter(
    'only what is on this type, or on the instance `type:key`, with what counts on all of its type',
  ),
  action: textParameter('only this action'),
  tenant: textParameter('only in this tenant, with what is in every tenant'),
  changed: flagParameter('with `since`: only what was added or removed'),
  after: textParameter('`next` of the page before, with the same other parameters'),
  limit: numberParameter(LIMIT, 'lines of a page'),
  format: optional(
    schemaOf<string>({
      type: 'string',
      enum: FORMATS,
      default: 'json',
      description: '`csv`: all lines as a file, as `accept: text/csv` asks for',
    }),
  ),
})

const answered = {
  revision: described(Count, 'the revision that answers'),
  revision_at: described(Time, 'when it was written'),
}
const compared = described(nullable(Count), 'the revision of `since`')

const AccessLineRead = named(
  'AccessLine',
  open({
    user: Text,
    tenant: described(nullable(Text), 'null: in every tenant'),
    resource: described(nullable(Text), 'resource type'),
    resource_instance: described(
      nullable(Text),
      'a key; null: the type, and with it all of its instances in the tenant',
    ),
    action: nullable(Text),
    access: described(
      enumOf('allowed', 'conditional', 'undecided', 'incomplete'),
      '`allowed` with nothing sent; `conditional`: where `when` is true; `undecided`: a check ends with an error; ' +
        '`incomplete`: the user has more than is listed',
    ),
    source: described(nullable(AccessSource), 'by what; several lines say the same access by several sources'),
    derived: described(Flag, 'of a role on an instance: it follows over relations, and is not assigned there'),
    when: described(nullable(Text), 'the conditions of a set rule over what is sent, or stored of the resource'),
    change: described(nullable(enumOf('added', 'removed')), 'since `since`'),
  }),
)

export const AccessPage = named(
  'AccessPage',
  open({
    ...answered,
    since: compared,
    lines: described(
      listOf(AccessLineRead),
      'in the order of users; there may be fewer than `limit`, or none, and more behind',
    ),
    next: described(nullable(Text), 'where the next page begins; null at the end'),
  }),
)
export type AccessPage = Static<typeof AccessPage>

export const CountsQuery = query({
  at,
  by: optional(schemaOf<string>({ type: 'string', enum: GROUPINGS, default: 'role', description: 'what is counted' })),
})

export const AccessCounts = named(
  'AccessCounts',
  open({
    ...answered,
    counts: listOf(
      open({
        key: described(Text, 'a role in tenants, `type#role` on instances, or `type:action`'),
        users: described(Count, 'who have the role somewhere, assigned or over relations; who are allowed somewhere'),
        conditional: described(Count, 'of an action: other users, for whom it depends on what is sent'),
        permissions: described(
          nullable(Count),
          'of a role: those that it gives, with those of the roles that it extends',
        ),
      }),
    ),
    complete: described(Flag, 'false when there was more to count than the limits allow: then these are lower bounds'),
  }),
)
export type AccessCounts = Static<typeof AccessCounts>

export const ChangesQuery = query({
  at,
  since: textParameter('a revision, or an instant in ISO 8601; by default the revision before'),
  page: textParameter('`next` of `gained` or `lost` in an earlier answer'),
})

export const AccessChanges = named(
  'AccessChanges',
  open({
    ...answered,
    since: described(Count, 'the revision that it is compared with'),
    since_at: described(Time, 'when that was written'),
    policy: AccessDiff.properties.policy,
    access: described(AccessDiff.properties.access, 'who gained and lost access between the two'),
  }),
)
export type AccessChanges = Static<typeof AccessChanges>
