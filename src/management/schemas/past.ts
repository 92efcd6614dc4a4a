// Questions about past revisions: /v2/projects/{p}/envs/{e}/check and …/explain, and …/revisions/{revision}.
import { AccessDiff } from '../../model/access-diff.ts'
import {
  anyOf,
  described,
  enumOf,
  Flag,
  listOf,
  mapOf,
  maybe,
  named,
  nullable,
  open,
  optional,
  type Static,
  Text,
  Texts,
} from '../../model/json-schema.ts'
import { WhySchema } from '../../model/why-schema.ts'
import { flagParameter, query } from './query-parameters.ts'
import { Attributes, Count, Id, Null, Time } from './schema-parts.ts'

const AT_REVISION = described(Count, 'a revision')
const AT_INSTANT = described(
  Text,
  'a revision as text, or an instant in ISO 8601 such as `2026-11-20T08:30:00Z`, which means the revision at that time',
)
/** Where in the past a question is asked. */
export const At = optional(anyOf(AT_REVISION, AT_INSTANT, Null))

export const SentUser = described(
  anyOf(Text, open({ key: Text, attributes: maybe(Attributes) })),
  'a user key, or a user with attributes',
)
const resource = anyOf(
  described(Text, 'a type, or `type:key`'),
  open({
    type: Text,
    key: maybe(Text),
    tenant: maybe(Text),
    attributes: maybe(Attributes),
    relations: maybe(mapOf(Texts)),
  }),
)

export const PastQuestion = named(
  'PastQuestion',
  open({
    user: SentUser,
    action: Text,
    resource,
    context: maybe(
      described(
        Attributes,
        '`now`, in ms since 1970, is the time of the check; default: the time of `at`, otherwise the present',
      ),
    ),
    at: At,
  }),
)
export type PastQuestion = Static<typeof PastQuestion>

const asked = {
  allow: Flag,
  revision: described(Count, 'the revision that was used'),
  revision_at: described(Time, 'when it was written'),
  now: described(nullable(Count), '`now` of the check in ms since 1970; null if it was sent in another format'),
}

export const PastAnswer = named('PastAnswer', open(asked))
export type PastAnswer = Static<typeof PastAnswer>

export const Because = open({
  source: enumOf('rbac', 'rebac', 'abac'),
  role: Text,
  resource_set: optional(Text),
  tenant: Text,
  resource_instance: optional(Text),
  permission: Text,
  path: Texts,
})

export const PastExplanation = named(
  'PastExplanation',
  open({
    ...asked,
    tenant: Text,
    reason: described(Text, '`rbac`, `rebac` or `abac`, or the code of a deny, as in decision records'),
    code: described(Text, 'why roles in the tenant allow or deny'),
    rebac: described(Text, 'why roles on the instance allow or deny'),
    abac: described(Text, 'why set rules allow or deny'),
    because: listOf(Because),
    roles: described(Texts, 'roles assigned in the tenant'),
    rules: described(Count, 'set rules for the permission'),
    misses: described(listOf(Attributes), 'the nearest set rules that did not match, with the tests that failed'),
    notes: described(listOf(Attributes), 'tests under a `not` that are true because a value is missing'),
    ill_typed: described(listOf(Attributes), 'sent attributes that do not have their declared type'),
    why: described(
      WhySchema,
      'the same for people: what allows the check, or the nearest ways to access and what each of them lacks',
    ),
  }),
)
export type PastExplanation = Static<typeof PastExplanation>

const Words = enumOf('allow', 'deny', 'undecided')

export const DecisionReplay = named(
  'DecisionReplay',
  open({
    id: Id,
    recorded: described(Flag, 'the decision of the record'),
    reproducible: described(Flag, 'whether the record contains everything the decision used'),
    missing: described(Texts, 'what the rules read but the record does not contain'),
    agrees: described(Flag, 'whether the answer is the same as recorded'),
    revision: Count,
    revision_at: Time,
    allow: Flag,
    reason: Text,
    explanation: Attributes,
    why: PastExplanation.properties.why,
    today: open({
      revision: Count,
      answer: Words,
      changed_by: described(
        nullable(enumOf('revisions', 'time')),
        'why the answer differs; `time`: conditions use another time. null if it is the same',
      ),
      causes: described(
        listOf(
          open({
            revision: Count,
            answer: Words,
            at: Time,
            actor_id: nullable(Id),
            actor_display_name: Text,
            operation: Text,
          }),
        ),
        'revisions that changed the answer, in order',
      ),
      changes: described(Count, 'number of such revisions'),
      complete: described(Flag, 'whether every revision was checked; if not, there can be more'),
      missing: described(Texts, 'what the current rules read but the record does not contain'),
    }),
  }),
)
export type DecisionReplay = Static<typeof DecisionReplay>

export const RevisionQuery = query({
  access: flagParameter('also who gained and lost access by it, at the time when it was written'),
})

export const RevisionRead = named(
  'Revision',
  open({
    revision: Count,
    at: Time,
    actor_id: nullable(Id),
    actor_display_name: Text,
    operation: Text,
    method: nullable(Text),
    path: nullable(Text),
    summary: described(nullable(Text), 'what was done, if the operation and the path do not show it'),
    changes: listOf(
      open({
        op: enumOf('create', 'update', 'delete', 'move'),
        kind: described(Text, 'as in a policy file'),
        key: Text,
        fields: described(Attributes, 'by name: `[before, after]`; null for the default'),
      }),
    ),
    others: described(Count, 'number of changed objects that policy files cannot contain, such as invites'),
    policy: optional(AccessDiff.properties.policy),
    access: optional(described(AccessDiff.properties.access, 'with `access`: who gained and lost access by it')),
  }),
)
export type RevisionRead = Static<typeof RevisionRead>
