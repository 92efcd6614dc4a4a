// Writes of facts that can be repeated, in the API: the parameters that say what happens where a fact is there already,
// or is missing, and the answer that says what became of each.
import * as t from '../../model/json-schema.ts'
import { BULK_SET_RULES_MAX, BULK_USERS_MAX } from '../../model/limits.ts'
import { query, returnDeleted } from './query-parameters.ts'
import { MembershipCreate, RoleAssignmentRead } from './role-assignments.ts'
import { SetRuleCreate, SetRuleRead } from './set-rules.ts'
import { TupleRead } from './tuples.ts'

/** What became of one item. */
const Outcome = t.enumOf('created', 'changed', 'same', 'kept', 'deleted', 'missing')
export type Outcome = t.Static<typeof Outcome>

export const ReportItems = t.described(
  t.listOf(
    t.open({
      key: t.described(t.nullable(t.Text), 'what names the fact; null of one that is missing and cannot be named'),
      outcome: t.described(
        Outcome,
        '`same`: it was so already; `kept`: it is there with other content, which stays, or was removed and is still there because others claim it; `missing`: it is not there, or what it names is not',
      ),
    }),
  ),
  'what became of each item of the body, in its order',
)
export const WriteReport = t.named('WriteReport', t.open({ items: ReportItems }))
export type WriteReport = t.Static<typeof WriteReport>

/** The answer of a bulk call, which has something to say where it was asked. */
export const BulkReport = t.named('BulkReport', t.open({ items: t.optional(ReportItems) }))

const On = t.enumOf('error', 'ignore')
export type On = t.Static<typeof On>

const report = {
  return: t.optional(
    t.described(t.enumOf('report'), 'answer with what became of each item: created, changed, same, kept, missing'),
  ),
}
const onDuplicate = {
  on_duplicate: t.optional(
    t.described(On, 'what to do where it already exists: refuse the call (409), or leave it; answers with a report'),
  ),
}
const onMissing = {
  on_missing: t.optional(
    t.described(
      On,
      'what to do where it does not exist: refuse the call (404), or pass over it; answers with a report',
    ),
  ),
}
/** The parameters of each method. */
export const SETTLED = {
  POST: { ...onDuplicate, ...report },
  PUT: report,
  DELETE: { ...onMissing, ...report },
} as const
export const SETTLED_QUERY = {
  POST: query(SETTLED.POST),
  PUT: query(SETTLED.PUT),
  DELETE: query(SETTLED.DELETE),
} as const

/** What `DELETE` of a role assignment answers with, where it is asked for something. */
export const AssignmentGone = t.named('RoleAssignmentGone', t.anyOf(RoleAssignmentRead, WriteReport))
export const UnassignQuery = query({ ...returnDeleted, ...SETTLED.DELETE })

/** What the answer to a write of one fact has beside the fact. */
export const writtenMembers = {
  created: t.optional(t.described(t.Flag, 'of `PUT`: whether it was made')),
  outcome: t.optional(t.described(Outcome, 'what became of it, where that was asked')),
}
export const RoleAssignmentWritten = t.named('RoleAssignmentWritten', t.withMembers(RoleAssignmentRead, writtenMembers))
export const TupleWritten = t.named('RelationshipTupleWritten', t.withMembers(TupleRead, writtenMembers))
export const SetRuleWritten = t.named('SetRuleWritten', t.withMembers(SetRuleRead, writtenMembers))
export const MembershipWritten = t.named(
  'MembershipWritten',
  t.open({ user: t.described(t.Text, 'key'), tenant: t.described(t.Text, 'key'), ...writtenMembers }),
)

/** Bodies of `PUT` of many, where `POST` has none of the same form. */
export const SetRulesPut = t.named(
  'SetRuleBulkPut',
  t.closed({ operations: t.listOf(SetRuleCreate, BULK_SET_RULES_MAX) }),
)
export type SetRulesPut = t.Static<typeof SetRulesPut>
export const MembershipsPut = t.named(
  'MembershipBulkPut',
  t.closed({ operations: t.listOf(MembershipCreate, BULK_USERS_MAX) }),
)
export type MembershipsPut = t.Static<typeof MembershipsPut>
