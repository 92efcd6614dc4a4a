// Access reviews of an environment: GET …/access and what is below it.
import { AccessDiff, AccessSource } from '../../model/access-diff.ts'
import * as t from '../../model/json-schema.ts'
import { REVIEW_LINES_DEFAULT, REVIEW_LINES_MAX } from '../../model/limits.ts'
import { knownUses, unusedFor, used } from './last-used.ts'
import { flagParameter, numberParameter, query, textParameter } from './query-parameters.ts'
import { Count, Time } from './schema-parts.ts'

const at = textParameter('at a revision, or at an instant in ISO 8601; default: the newest revision')
const since = textParameter('compared with a revision, or an instant in ISO 8601')
const LIMIT = { type: 'integer', minimum: 1, maximum: REVIEW_LINES_MAX, default: REVIEW_LINES_DEFAULT }

export const FORMATS = ['json', 'csv'] as const
export const STATES = ['in_force', 'scheduled', 'ended'] as const
export const SORTS = ['end'] as const
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
  state: t.optional(
    t.schemaOf<string>({
      type: 'string',
      enum: STATES,
      description:
        'only assigned roles in this state, without what follows from them; default: what is in force, and all that it gives',
    }),
  ),
  sort: t.optional(
    t.schemaOf<string>({
      type: 'string',
      enum: SORTS,
      description: '`end`: only assigned roles with an end, those that end first first; not with `since`',
    }),
  ),
  changed: flagParameter('with `since`: only added or removed access'),
  last_used: flagParameter('with when the access was last used, by the decision log'),
  unused_for: unusedFor,
  after: textParameter('`next` of the previous page; keep the other parameters the same'),
  limit: numberParameter(LIMIT, 'lines per page'),
  format: t.optional(
    t.schemaOf<string>({
      type: 'string',
      enum: FORMATS,
      default: 'json',
      description: '`csv`: all lines as a file, as `accept: text/csv` asks for',
    }),
  ),
})

const answered = {
  revision: t.described(Count, 'the revision that was used'),
  revision_at: t.described(Time, 'when it was written'),
}
const compared = t.described(t.nullable(Count), 'the revision of `since`')

const AccessLineRead = t.named(
  'AccessLine',
  t.open({
    user: t.Text,
    tenant: t.described(t.nullable(t.Text), 'null: in every tenant'),
    resource: t.described(t.nullable(t.Text), 'resource type'),
    resource_instance: t.described(
      t.nullable(t.Text),
      'key of an instance; null: the type, and so all its instances in the tenant',
    ),
    action: t.nullable(t.Text),
    access: t.described(
      t.enumOf('allowed', 'conditional', 'undecided', 'incomplete', 'scheduled', 'ended'),
      '`allowed`: also without attributes in the request. `conditional`: if `when` is true. `undecided`: a check ends with an error. ' +
        '`incomplete`: the user has more access than is listed. `scheduled`, `ended`: with `state`; it gives nothing now',
    ),
    source: t.described(
      t.nullable(AccessSource),
      'source of the access; access from several sources has several lines',
    ),
    derived: t.described(
      t.Flag,
      'for a role on an instance: it is derived through relations, not assigned on the instance',
    ),
    when: t.described(t.nullable(t.Text), 'the conditions of a set rule on what is sent, or stored for the resource'),
    change: t.described(t.nullable(t.enumOf('added', 'removed')), 'change since `since`'),
    valid_from: t.optional(t.described(Time, 'for an assigned role: from when on it is in force')),
    valid_until: t.optional(
      t.described(
        Time,
        'until when the assigned role is in force, or, for a derived one, the first of what it follows from',
      ),
    ),
    reason: t.optional(
      t.described(t.Text, 'for an assigned role: why it was given, unless it was written again after this revision'),
    ),
    ticket: t.optional(t.described(t.Text, 'for an assigned role: the same')),
    last_used: t.optional(used.last_used),
    unused: t.optional(used.unused),
    unknown: t.optional(used.unknown),
  }),
)

export const AccessPage = t.named(
  'AccessPage',
  t.open({
    ...answered,
    since: compared,
    lines: t.described(
      t.listOf(AccessLineRead),
      'ordered by user; a page can have fewer than `limit` lines, or none, although more follow',
    ),
    next: t.described(t.nullable(t.Text), 'cursor of the next page; null on the last page'),
    uses: t.optional(t.described(t.open(knownUses), 'with `last_used` or `unused_for`: what is known of uses')),
  }),
)
export type AccessPage = t.Static<typeof AccessPage>

export const CountsQuery = query({
  at,
  by: t.optional(
    t.schemaOf<string>({ type: 'string', enum: GROUPINGS, default: 'role', description: 'what to count' }),
  ),
})

export const AccessCounts = t.named(
  'AccessCounts',
  t.open({
    ...answered,
    counts: t.listOf(
      t.open({
        key: t.described(t.Text, 'a role in tenants, `type#role` on instances, or `type:action`'),
        users: t.described(
          Count,
          'users who have the role somewhere, assigned or derived; or who are allowed somewhere',
        ),
        everybody: t.optional(
          t.described(
            t.Flag,
            'true: everyone, `*`, has it or is allowed somewhere; `users` are those who hold it themselves',
          ),
        ),
        conditional: t.described(Count, 'for an action: further users, for whom it depends on the request'),
        permissions: t.described(
          t.nullable(Count),
          'for a role: its permissions, including those of the roles that it extends',
        ),
      }),
    ),
    tenant_roles: t.optional(
      t.described(
        t.open({
          roles: t.described(Count, 'how many there are'),
          users: t.described(Count, 'users who have one of them'),
        }),
        'by role: the roles that tenants made themselves, of all tenants together; absent without any',
      ),
    ),
    complete: t.described(t.Flag, 'false if a limit was reached; the numbers are then lower bounds'),
  }),
)
export type AccessCounts = t.Static<typeof AccessCounts>

export const ChangesQuery = query({
  at,
  since: textParameter('a revision, or an instant in ISO 8601; default: the previous revision'),
  page: textParameter('`next` of `gained` or `lost` in an earlier answer'),
})

export const AccessChanges = t.named(
  'AccessChanges',
  t.open({
    ...answered,
    since: t.described(Count, 'the revision to compare with'),
    since_at: t.described(Time, 'when that revision was written'),
    policy: AccessDiff.properties.policy,
    access: t.described(AccessDiff.properties.access, 'who gained and lost access between the two revisions'),
  }),
)
export type AccessChanges = t.Static<typeof AccessChanges>
