// Reverts: POST /v2/projects/{p}/envs/{e}/revisions/{revision}/revert and …/revert/plan.
import { AccessDiff } from '../../model/access-diff.ts'
import * as t from '../../model/json-schema.ts'
import { REVERT_OBJECTS_MAX } from '../../model/limits.ts'
import { Fingerprints, Plan } from './plan.ts'
import { Count, Time } from './schema-parts.ts'

const what = {
  cascade: t.maybe(
    t.described(t.Flag, 'also change or delete what others have since added to the objects that are deleted'),
  ),
  only: t.maybe(
    t.described(
      t.listOf(t.Text, REVERT_OBJECTS_MAX),
      'objects to revert, as `kind:key`; default: all that the revision changed',
    ),
  ),
}

export const RevertPlanRequest = t.named(
  'RevertPlanRequest',
  t.closed({ ...what, page: t.maybe(t.described(t.Text, '`next` of an answer: the page of changed access after it')) }),
)
export type RevertPlanRequest = t.Static<typeof RevertPlanRequest>

export const RevertRequest = t.named(
  'RevertRequest',
  t.closed({
    ...what,
    fingerprints: t.maybe(
      t.described(Fingerprints, '`fingerprints` of a plan. The request is refused if one of its objects changed since'),
    ),
    expected: t.maybe(
      t.described(AccessDiff, '`policy` and `access` of a plan. The request is refused if more access would change'),
    ),
    force: t.maybe(t.described(t.Flag, 'apply even if more access changes than expected')),
  }),
)
export type RevertRequest = t.Static<typeof RevertRequest>

const Conflict = t.open({
  kind: t.Text,
  key: t.Text,
  reason: t.described(
    t.enumOf('changed', 'used', 'refused', 'unsupported'),
    'it changed since the revision; other objects use what the revision created; it cannot be restored; reverts do not write it',
  ),
  what: t.described(t.Text, 'completes a sentence that begins with the object'),
  by: t.described(
    t.nullable(t.Text),
    'who changed it last: name or id of the API key, or the operation of the command line',
  ),
  revision: t.nullable(Count),
  at: t.nullable(Time),
})

export const RevertPlan = t.named(
  'RevertPlan',
  t.open({
    ...Plan.properties,
    reverts: t.described(Count, 'the revision to revert'),
    conflicts: t.described(
      t.listOf(Conflict),
      'why the revision cannot be reverted; if there is a conflict, nothing would change',
    ),
    lost: t.described(t.listOf(t.open({ kind: t.Text, key: t.Text, what: t.Text })), 'what cannot be restored'),
  }),
)
export type RevertPlan = t.Static<typeof RevertPlan>
