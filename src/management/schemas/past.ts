// Questions about past revisions: /v2/projects/{p}/envs/{e}/check and …/explain, and …/revisions/{revision}.

import { AccessDiff } from '../../model/access-diff.ts'
import * as t from '../../model/json-schema.ts'
import { WhySchema } from '../../model/why-schema.ts'
import { AccessRequestRead, RoleToRequest } from './access-requests.ts'
import { flagParameter, query } from './query-parameters.ts'
import { Attributes, Count, Id, Null, SuspensionRead, Time } from './schema-parts.ts'

const AT_REVISION = t.described(Count, 'a revision')
const AT_INSTANT = t.described(
  t.Text,
  'a revision as text, or an instant in ISO 8601 such as `2026-11-20T08:30:00Z`, which means the revision at that time',
)
/** Where in the past a question is asked. */
export const At = t.optional(t.anyOf(AT_REVISION, AT_INSTANT, Null))

export const SentUser = t.described(
  t.anyOf(t.Text, t.open({ key: t.Text, attributes: t.maybe(Attributes) })),
  'a user key, or a user with attributes',
)
const resource = t.anyOf(
  t.described(t.Text, 'a type, or `type:key`'),
  t.open({
    type: t.Text,
    key: t.maybe(t.Text),
    tenant: t.maybe(t.Text),
    attributes: t.maybe(Attributes),
    relations: t.maybe(t.mapOf(t.Texts)),
  }),
)

export const PastQuestion = t.named(
  'PastQuestion',
  t.open({
    user: SentUser,
    action: t.Text,
    resource,
    context: t.maybe(
      t.described(
        Attributes,
        '`now`, in ms since 1970, is the instant of the check; default: the time of `at`, otherwise the present',
      ),
    ),
    at: At,
  }),
)
export type PastQuestion = t.Static<typeof PastQuestion>

const asked = {
  allow: t.Flag,
  revision: t.described(Count, 'the revision that was used'),
  revision_at: t.described(Time, 'when it was written'),
  now: t.described(t.nullable(Count), '`now` of the check in ms since 1970; null if it was sent in another format'),
}

export const PastAnswer = t.named('PastAnswer', t.open(asked))
export type PastAnswer = t.Static<typeof PastAnswer>

export const Because = t.open({
  source: t.enumOf('rbac', 'rebac', 'abac'),
  everybody: t.optional(t.described(t.Flag, 'true: the role is assigned to everyone, `*`, and not to the user')),
  role: t.Text,
  resource_set: t.optional(t.Text),
  tenant: t.Text,
  resource_instance: t.optional(t.Text),
  permission: t.Text,
  path: t.Texts,
  valid_until: t.optional(
    t.described(Time, 'when the first of what is for a time ends: the assigned role, or a relation on the path'),
  ),
})

/** A grant that is stored, and is not in force at the instant of the question. */
const NotInForce = t.open({
  state: t.enumOf('ended', 'scheduled'),
  valid_from: t.optional(Time),
  valid_until: t.optional(Time),
  user: t.optional(t.Text),
  role: t.optional(t.Text),
  tenant: t.optional(t.Text),
  resource_instance: t.optional(t.Text),
  subject: t.optional(t.Text),
  relation: t.optional(t.Text),
  object: t.optional(t.Text),
  text: t.described(t.Text, 'the same as a sentence'),
})

export const PastExplanation = t.named(
  'PastExplanation',
  t.open({
    ...asked,
    tenant: t.Text,
    reason: t.described(t.Text, '`rbac`, `rebac` or `abac`, or the code of a deny, as in decision records'),
    code: t.described(t.Text, 'why roles in the tenant allow or deny'),
    rebac: t.described(t.Text, 'why roles on the instance allow or deny'),
    abac: t.described(t.Text, 'why set rules allow or deny'),
    because: t.listOf(Because),
    roles: t.described(t.Texts, 'roles assigned in the tenant'),
    not_in_force: t.described(
      t.listOf(NotInForce),
      'of a deny: the role assignments and relationship tuples that would allow, were they in force; the nearest in time first',
    ),
    suspension: t.optional(SuspensionRead),
    requests: t.optional(
      t.described(t.listOf(AccessRequestRead), 'the access requests that gave the roles by which it is allowed'),
    ),
    requestable: t.optional(
      t.described(
        t.listOf(RoleToRequest),
        'of a deny: the first roles with the permission that the user can request, as of now',
      ),
    ),
    rules: t.described(Count, 'set rules for the permission'),
    misses: t.described(t.listOf(Attributes), 'the nearest set rules that did not match, with the tests that failed'),
    notes: t.described(t.listOf(Attributes), 'tests under a `not` that are true because a value is missing'),
    ill_typed: t.described(t.listOf(Attributes), 'sent attributes that do not have their declared type'),
    why: t.described(
      WhySchema,
      'the same for people: what allows the check, or the nearest ways to access and what each of them lacks',
    ),
  }),
)
export type PastExplanation = t.Static<typeof PastExplanation>

const Words = t.enumOf('allow', 'deny', 'undecided')

export const DecisionReplay = t.named(
  'DecisionReplay',
  t.open({
    id: Id,
    recorded: t.described(t.Flag, 'the decision of the record'),
    reproducible: t.described(t.Flag, 'whether the record contains everything the decision used'),
    missing: t.described(t.Texts, 'what the rules read but the record does not contain'),
    agrees: t.described(t.Flag, 'whether the answer is the same as recorded'),
    revision: Count,
    revision_at: Time,
    allow: t.Flag,
    reason: t.Text,
    explanation: Attributes,
    why: PastExplanation.properties.why,
    today: t.open({
      revision: Count,
      answer: Words,
      changed_by: t.described(
        t.nullable(t.enumOf('revisions', 'time')),
        'why the answer differs: what the last of `causes` is. null if it is the same',
      ),
      causes: t.described(
        t.listOf(
          t.open({
            revision: t.described(Count, 'the revision that answered from then on'),
            answer: Words,
            by: t.described(t.enumOf('revision', 'time'), '`time`: no revision was written, time passed'),
            at: Time,
            actor_id: t.nullable(Id),
            actor_display_name: t.described(t.Text, 'who wrote the revision, or `time`'),
            operation: t.Text,
            because: t.described(t.Texts, 'what started or ended at this instant; empty if a condition reads the time'),
          }),
        ),
        'what changed the answer, in order: revisions, and instants between them',
      ),
      changes: t.described(Count, 'number of such changes'),
      complete: t.described(
        t.Flag,
        'whether every revision was checked, and each instant at which something starts or ends; if not, there can be more',
      ),
      missing: t.described(t.Texts, 'what the current rules read but the record does not contain'),
    }),
  }),
)
export type DecisionReplay = t.Static<typeof DecisionReplay>

export const RevisionQuery = query({
  access: flagParameter('also who gained and lost access by it, at the time when it was written'),
})

export const RevisionRead = t.named(
  'Revision',
  t.open({
    revision: Count,
    at: Time,
    actor_id: t.nullable(Id),
    actor_display_name: t.Text,
    operation: t.Text,
    method: t.nullable(t.Text),
    path: t.nullable(t.Text),
    summary: t.described(t.nullable(t.Text), 'what was done, if the operation and the path do not show it'),
    reason: t.described(t.nullable(t.Text), 'why, as `x-reason` of the request said'),
    ticket: t.described(t.nullable(t.Text), 'what it was done for, as `x-ticket` of the request said'),
    changes: t.listOf(
      t.open({
        op: t.enumOf('create', 'update', 'delete', 'move'),
        kind: t.described(t.Text, 'as in a policy file'),
        key: t.Text,
        fields: t.described(Attributes, 'by name: `[before, after]`; null for the default'),
      }),
    ),
    others: t.described(Count, 'number of changed objects that policy files cannot contain, such as invites'),
    policy: t.optional(AccessDiff.properties.policy),
    access: t.optional(t.described(AccessDiff.properties.access, 'with `access`: who gained and lost access by it')),
  }),
)
export type RevisionRead = t.Static<typeof RevisionRead>
