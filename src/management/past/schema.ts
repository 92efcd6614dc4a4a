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
import { flagParameter, query } from '../query-parameters.ts'
import { Attributes, Count, Id, Null, Time } from '../schema-parts.ts'

const AT_REVISION = described(Count, 'a revision')
const AT_INSTANT = described(
  Text,
  'an instant in ISO 8601, as `2026-11-20T08:30:00Z`: the revision that was in force then; or a revision as text',
)
/** Where in the past a question is asked. */
export const At = optional(anyOf(AT_REVISION, AT_INSTANT, Null))

export const SentUser = described(
  anyOf(Text, open({ key: Text, attributes: maybe(Attributes) })),
  'a user key, or a user with the attributes that are sent with the question',
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
        '`now`, in ms since 1970, is the time of the question; by default that of `at`, else the present',
      ),
    ),
    at: At,
  }),
)
export type PastQuestion = Static<typeof PastQuestion>

const asked = {
  allow: Flag,
  revision: described(Count, 'the revision that answers'),
  revision_at: described(Time, 'when it was written'),
  now: described(nullable(Count), 'the time that conditions saw, in ms since 1970; null when another form was sent'),
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
    reason: described(Text, '`rbac`, `rebac` or `abac`, or the code of a deny, as in records of decisions'),
    code: described(Text, 'why roles in the tenant allow or deny'),
    rebac: described(Text, 'why roles on the instance allow or deny'),
    abac: described(Text, 'why set rules allow or deny'),
    because: listOf(Because),
    roles: described(Texts, 'roles assigned in the tenant'),
    rules: described(Count, 'set rules for the permission'),
    misses: described(listOf(Attributes), 'the nearest set rules that do not allow, with the tests that fail'),
    notes: described(listOf(Attributes), 'tests under a `not` that hold because a value is missing'),
    ill_typed: described(listOf(Attributes), 'attributes that were sent and are not of their declared type'),
    why: described(WhySchema, 'the same for people: what allows, or the nearest ways and what is missing on each'),
  }),
)
export type PastExplanation = Static<typeof PastExplanation>

const Words = enumOf('allow', 'deny', 'undecided')

export const DecisionReplay = named(
  'DecisionReplay',
  open({
    id: Id,
    recorded: described(Flag, 'the decision of the record'),
    reproducible: described(Flag, 'whether the record has everything that decided'),
    missing: described(Texts, 'what the rules read and the record does not have'),
    agrees: described(Flag, 'whether the answer is the recorded one'),
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
        'what makes it another answer; `time`: conditions see another time. null when it is the same',
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
        'revisions after which the answer was another one, in order',
      ),
      changes: described(Count, 'how many such revisions were found'),
      complete: described(Flag, 'whether every revision was asked; if not, there may be more'),
      missing: described(Texts, 'what the rules of today read and the record does not have'),
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
    summary: described(nullable(Text), 'what was done, where the operation and the path do not say it'),
    changes: listOf(
      open({
        op: enumOf('create', 'update', 'delete', 'move'),
        kind: described(Text, 'as in a policy file'),
        key: Text,
        fields: described(Attributes, 'by name: `[before, after]`, null where a field has its default'),
      }),
    ),
    others: described(Count, 'changed objects that no policy file names, such as invites'),
    policy: optional(AccessDiff.properties.policy),
    access: optional(described(AccessDiff.properties.access, 'with `access`: who gained and lost access by it')),
  }),
)
export type RevisionRead = Static<typeof RevisionRead>
