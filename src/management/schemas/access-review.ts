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
import { flagParameter, numberParameter, query, textParameter } from './query-parameters.ts'
import { Count, Time } from './schema-parts.ts'

const at = textParameter('at a revision, or at an instant in ISO 8601; default: the newest revision')
const since = textParameter('compared with a revision, or an instant in ISO 8601')
const LIMIT = { type: 'integer', minimum: 1, maximum: REVIEW_LINES_MAX, default: REVIEW_LINES_DEFAULT }

export const FORMATS = ['json', 'csv'] as const
export const GROUPINGS = ['role', 'resource'] as const

export const AccessQuery = query({
  ...{ at, since },
  user: textParameter('only access of this user'),
  role: textParameter('only access from this role; a role on instances is `type#role`'),
  resource: textParameter(
    'only access on this type, or on the instance `type:key`, including access on all instances of its type',
  ),
  action: textParameter('only this action'),
  tenant: textParameter('only in this tenant, including access in every tenant'),
  changed: flagParameter('with `since`: only added or removed access'),
  after: textParameter('`next` of the previous page; keep the other parameters the same'),
  limit: numberParameter(LIMIT, 'lines per page'),
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
  revision: described(Count, 'the revision that was used'),
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
      'key of an instance; null: the type, and so all its instances in the tenant',
    ),
    action: nullable(Text),
    access: described(
      enumOf('allowed', 'conditional', 'undecided', 'incomplete'),
      '`allowed`: also without attributes in the request. `conditional`: if `when` is true. `undecided`: a check ends with an error. ' +
        '`incomplete`: the user has more access than is listed',
    ),
    source: described(nullable(AccessSource), 'source of the access; access from several sources has several lines'),
    derived: described(
      Flag,
      'for a role on an instance: it is derived through relations, not assigned on the instance',
    ),
    when: described(nullable(Text), 'the conditions of a set rule on what is sent, or stored for the resource'),
    change: described(nullable(enumOf('added', 'removed')), 'change since `since`'),
  }),
)

export const AccessPage = named(
  'AccessPage',
  open({
    ...answered,
    since: compared,
    lines: described(
      listOf(AccessLineRead),
      'ordered by user; a page can have fewer than `limit` lines, or none, although more follow',
    ),
    next: described(nullable(Text), 'cursor of the next page; null on the last page'),
  }),
)
export type AccessPage = Static<typeof AccessPage>

export const CountsQuery = query({
  at,
  by: optional(schemaOf<string>({ type: 'string', enum: GROUPINGS, default: 'role', description: 'what to count' })),
})

export const AccessCounts = named(
  'AccessCounts',
  open({
    ...answered,
    counts: listOf(
      open({
        key: described(Text, 'a role in tenants, `type#role` on instances, or `type:action`'),
        users: described(Count, 'users who have the role somewhere, assigned or derived; or who are allowed somewhere'),
        conditional: described(Count, 'for an action: further users, for whom it depends on the request'),
        permissions: described(
          nullable(Count),
          'for a role: its permissions, including those of the roles that it extends',
        ),
      }),
    ),
    complete: described(Flag, 'false if a limit was reached; the numbers are then lower bounds'),
  }),
)
export type AccessCounts = Static<typeof AccessCounts>

export const ChangesQuery = query({
  at,
  since: textParameter('a revision, or an instant in ISO 8601; default: the previous revision'),
  page: textParameter('`next` of `gained` or `lost` in an earlier answer'),
})

export const AccessChanges = named(
  'AccessChanges',
  open({
    ...answered,
    since: described(Count, 'the revision to compare with'),
    since_at: described(Time, 'when that revision was written'),
    policy: AccessDiff.properties.policy,
    access: described(AccessDiff.properties.access, 'who gained and lost access between the two revisions'),
  }),
)
export type AccessChanges = Static<typeof AccessChanges>
