// Plans in the API: what is sent and what is answered at /v2/projects/{p}/envs/{e}/plan and …/apply. The part about
// access is src/model/access-diff.ts.

import { AccessChange, AccessDiff } from '../../model/access-diff.ts'
import * as t from '../../model/json-schema.ts'
import {
  PLAN_CHANGES_MAX,
  PLAN_ENTRIES_MAX,
  PLAN_LATER_MAX,
  PLAN_TURNS_SHOWN_MAX,
  POLICY_FILES_MAX,
  POLICY_PROBLEMS_MAX,
} from '../../model/limits.ts'
import type { Json } from '../../model/objects.ts'
import { POLICY_KINDS } from '../../model/policy-kinds.ts'
import { Moved, PolicyFile } from './policy-file.ts'
import { Attributes, Count, Instant, Time } from './schema-parts.ts'

const Kind = t.enumOf(...POLICY_KINDS)
const key = t.described(
  t.Text,
  'for a part of a resource type: `resource/part`; for an object without a key of its own: the key that a plan shows',
)

const SentChange = t.named(
  'PlannedChange',
  t.closed({
    op: t.enumOf('create', 'update', 'delete'),
    kind: Kind,
    key,
    value: t.maybe(t.described(Attributes, 'the body of the single write, without the key; omitted for a delete')),
  }),
)
export type SentChange = t.Static<typeof SentChange>

const what = {
  policy: t.maybe(PolicyFile),
  changes: t.maybe(
    t.described(t.listOf(SentChange, PLAN_CHANGES_MAX), 'instead of a policy: the writes, in this order'),
  ),
  prune: t.maybe(t.described(t.Flag, 'also delete objects removed from the policy')),
  cascade: t.maybe(
    t.described(t.Flag, 'also delete facts that the policy does not manage, if objects that they need are deleted'),
  ),
}

export const page = t.maybe(t.described(t.Text, '`next` of an answer: the page of changed access after it'))

export const PlanRequest = t.named(
  'PlanRequest',
  t.closed({
    ...what,
    at: t.maybe(
      t.described(
        Instant,
        'a later instant, in ISO 8601 or in ms since 1970: access is compared from the present to it. Without a policy and changes: what time does by itself',
      ),
    ),
    page,
  }),
)
export type PlanRequest = t.Static<typeof PlanRequest>

const PolicyText = t.closed({
  name: t.described(t.Text, 'name of the file in problems, such as its path'),
  text: t.described(t.Text, 'YAML or JSON'),
})

export const PolicyTexts = t.named(
  'PolicyTexts',
  t.closed({
    files: t.described(t.listOf(PolicyText, POLICY_FILES_MAX), 'files that together are one policy'),
    prune: what.prune,
  }),
)
export type PolicyTexts = t.Static<typeof PolicyTexts>

const PlaceInFile = t.open({
  file: t.Text,
  line: t.described(Count, 'starts at 1'),
  column: t.described(Count, 'starts at 1, in UTF-16 code units'),
  length: t.described(Count, 'number of characters that the problem is about'),
})

export const CheckedPolicy = t.named(
  'CheckedPolicy',
  t.open({
    policy: t.described(
      t.nullable(PolicyFile),
      'all files as one policy, for `plan` and `apply`; null if there are errors',
    ),
    problems: t.described(
      t.listOf(
        t.open({
          severity: t.enumOf('error', 'warning'),
          message: t.Text,
          place: PlaceInFile,
          related: t.maybe(t.open({ place: PlaceInFile, message: t.Text })),
        }),
      ),
      `errors, or when there are none warnings; the first ${POLICY_PROBLEMS_MAX.toLocaleString('en-US')}`,
    ),
  }),
)
export type CheckedPolicy = t.Static<typeof CheckedPolicy>

export const Fingerprints = t.mapOf(t.nullable(t.Text))

/** What the caller saw of a plan and agreed to. */
export const agreed = {
  fingerprints: t.maybe(
    t.described(Fingerprints, '`fingerprints` of a plan. The request is refused if one of its objects changed since'),
  ),
  expected: t.maybe(
    t.described(AccessDiff, '`policy` and `access` of a plan. The request is refused if more access would change'),
  ),
  force: t.maybe(t.described(t.Flag, 'apply even if more access changes than expected')),
}

export const ApplyRequest = t.named('ApplyRequest', t.closed({ ...what, ...agreed }))
export type ApplyRequest = t.Static<typeof ApplyRequest>

const AnyJson = t.schemaOf<Json>({})

const Fields = t.described(
  t.mapOf(t.listOf(AnyJson)),
  'each field that changes: value before and after; null for the default',
)

const Entry = t.named(
  'PlanEntry',
  t.open({
    op: t.enumOf('create', 'update', 'delete', 'move'),
    kind: Kind,
    key,
    fields: Fields,
  }),
)

const TenantRoleEntry = t.named(
  'PlanTenantRole',
  t.open({
    op: t.enumOf('create', 'update'),
    key: t.described(t.Text, '`role@tenant`'),
    fields: Fields,
  }),
)

const Counted = t.listOf(t.open({ kind: t.Text, count: Count }))

const Outside = t.named(
  'PlanOutside',
  t.open({
    kind: Kind,
    key: t.Text,
    by: t.described(
      t.nullable(t.Text),
      'name or id of the API key, name of the user, or the operation of the command line',
    ),
    revision: t.described(t.nullable(Count), 'null if the change is older than a plan looks back'),
    at: t.nullable(Time),
  }),
)

const TimedKind = t.described(
  t.enumOf('role_assignment', 'relationship_tuple', 'suspension'),
  'what has times: a grant, or the suspension of a user, whose key is that of the user',
)

const Turn = t.named('PlanTurn', t.open({ is: t.enumOf('starts', 'ends'), at: Time, kind: TimedKind, key: t.Text }))

const ScheduledGrant = t.open({
  kind: TimedKind,
  key: t.Text,
  valid_from: t.optional(Time),
  valid_until: t.optional(Time),
})

const Scheduled = t.named(
  'PlanScheduled',
  t.open({
    at: t.described(Time, 'from when on they make a difference'),
    grants: t.described(t.listOf(ScheduledGrant), `the first ${PLAN_TURNS_SHOWN_MAX.toLocaleString('en-US')}`),
    more: t.described(Count, 'number of further ones'),
    access: t.maybe(
      t.described(
        t.open({ gained: AccessChange, lost: AccessChange }),
        `who gains and loses by them then; absent beyond the first ${PLAN_LATER_MAX} instants`,
      ),
    ),
  }),
)

export const Plan = t.named(
  'Plan',
  t.open({
    revision: t.described(Count, 'revision of the environment that was compared; after `apply`, the new revision'),
    changes: t.described(t.listOf(Entry), `objects that change, the first ${PLAN_ENTRIES_MAX.toLocaleString('en-US')}`),
    tenant_roles: t.optional(
      t.described(
        t.listOf(TenantRoleEntry),
        `of a copy with \`tenant_roles\`: roles of tenants that it makes or changes, the first ${PLAN_ENTRIES_MAX.toLocaleString('en-US')}`,
      ),
    ),
    more: t.described(Count, 'number of further objects that change, and of further roles of tenants'),
    ...t.membersOf(AccessDiff, 'policy', 'access'),
    at: t.optional(
      t.described(Time, 'the second instant, where one was sent: `policy` and `access` are from now to then'),
    ),
    turns: t.optional(
      t.described(
        t.listOf(Turn),
        `what starts or ends until then, the first ${PLAN_TURNS_SHOWN_MAX.toLocaleString('en-US')}`,
      ),
    ),
    more_turns: t.optional(t.described(Count, 'number of further ones')),
    scheduled: t.optional(
      t.described(
        t.listOf(Scheduled),
        'without a second instant: grants and suspensions of the plan that make no difference now, but later, by that instant',
      ),
    ),
    warnings: t.optional(
      t.described(
        t.Texts,
        'roles that the plan gives an end and that conditions count on, so that they may be true then; and what roles of tenants lose and gain by it',
      ),
    ),
    fingerprints: t.described(
      Fingerprints,
      'fingerprints of the objects that change, before the change; null for new objects',
    ),
    cascade: t.described(Counted, 'facts that are also deleted although the policy does not manage them'),
    carried: t.described(Counted, 'facts that move with a moved object'),
    outside: t.described(t.listOf(Outside), 'objects that others changed since this policy was last applied'),
    suggested: t.described(
      t.listOf(Moved),
      'a delete and a create that look like a renamed object: if so, add it to `moved`',
    ),
  }),
)
export type Plan = t.Static<typeof Plan>
