// Reverts: POST /v2/projects/{p}/envs/{e}/revisions/{revision}/revert and …/revert/plan.
import { AccessDiff } from '../../model/access-diff.ts'
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
  Text,
} from '../../model/json-schema.ts'
import { REVERT_OBJECTS_MAX } from '../../model/limits.ts'
import { Fingerprints, Plan } from './plan.ts'
import { Count, Time } from './schema-parts.ts'

const what = {
  cascade: maybe(described(Flag, 'also change or delete what others have since added to the objects that are deleted')),
  only: maybe(
    described(
      listOf(Text, REVERT_OBJECTS_MAX),
      'objects to revert, as `kind:key`; default: all that the revision changed',
    ),
  ),
}

export const RevertPlanRequest = named(
  'RevertPlanRequest',
  closed({ ...what, page: maybe(described(Text, '`next` of an answer: the page of changed access after it')) }),
)
export type RevertPlanRequest = Static<typeof RevertPlanRequest>

export const RevertRequest = named(
  'RevertRequest',
  closed({
    ...what,
    fingerprints: maybe(
      described(Fingerprints, '`fingerprints` of a plan. The request is refused if one of its objects changed since'),
    ),
    expected: maybe(
      described(AccessDiff, '`policy` and `access` of a plan. The request is refused if more access would change'),
    ),
    force: maybe(described(Flag, 'apply even if more access changes than expected')),
  }),
)
export type RevertRequest = Static<typeof RevertRequest>

const Conflict = open({
  kind: Text,
  key: Text,
  reason: described(
    enumOf('changed', 'used', 'refused', 'unsupported'),
    'it changed since the revision; other objects use what the revision created; it cannot be restored; reverts do not write it',
  ),
  what: described(Text, 'completes a sentence that begins with the object'),
  by: described(nullable(Text), 'who changed it last: name or id of the API key, or the operation of the command line'),
  revision: nullable(Count),
  at: nullable(Time),
})

export const RevertPlan = named(
  'RevertPlan',
  open({
    ...Plan.properties,
    reverts: described(Count, 'the revision to revert'),
    conflicts: described(
      listOf(Conflict),
      'why the revision cannot be reverted; if there is a conflict, nothing would change',
    ),
    lost: described(listOf(open({ kind: Text, key: Text, what: Text })), 'what cannot be restored'),
  }),
)
export type RevertPlan = Static<typeof RevertPlan>
