// Proposals in the API: /v2/projects/{p}/envs/{e}/proposals.
import { PROPOSAL_STATES } from '../../kinds/proposal.ts'
import { AccessDiff } from '../../model/access-diff.ts'
import * as t from '../../model/json-schema.ts'
import { ApplyRequest, PlanRequest } from './plan.ts'
import { page, query, textsParameter } from './query-parameters.ts'
import { Attributes, Count, Id, Time } from './schema-parts.ts'

export const ProposalCreate = t.named('ProposalCreate', t.closed(t.membersExcept(PlanRequest, 'at', 'page')))
export type ProposalCreate = t.Static<typeof ProposalCreate>

/** What the one who approves saw and agreed to. */
export const ProposalApply = t.named('ProposalApply', t.closed(t.membersOf(ApplyRequest, 'expected', 'force')))
export type ProposalApply = t.Static<typeof ProposalApply>

/** Nothing: the reason is in the header. */
export const ProposalEnd = t.named('ProposalEnd', t.closed({}))

export const ProposalPlanRequest = t.named('ProposalPlanRequest', t.closed(t.membersOf(PlanRequest, 'page')))
export type ProposalPlanRequest = t.Static<typeof ProposalPlanRequest>

const party = {
  actor_id: t.described(t.nullable(Id), 'id of the API key, or of the user; null for the command line'),
  actor_display_name: t.Text,
}
const reasons = {
  reason: t.described(t.nullable(t.Text), 'as `x-reason` of the request said'),
  ticket: t.described(t.nullable(t.Text), 'as `x-ticket` of the request said'),
}

const members = {
  id: Id,
  state: t.described(t.enumOf(...PROPOSAL_STATES), 'all but `proposed` are final'),
  outdated: t.described(t.Flag, 'open, and an object that it changes is not as it was: it cannot be applied any more'),
  summary: t.described(t.Text, 'how many objects it changes'),
  base_revision: t.described(Count, 'revision of the environment when it was proposed'),
  ...party,
  own: t.described(
    t.Flag,
    'the caller is the one who proposed it: the caller can withdraw it, and someone else decides',
  ),
  ...reasons,
  created_at: Time,
  updated_at: Time,
  end: t.described(
    t.nullable(t.open({ ...party, ...reasons, at: Time, revision: t.nullable(Count) })),
    'who applied, rejected or withdrew it, and with which revision it was applied; null while it is open',
  ),
}

export const ProposalRow = t.named('ProposalRow', t.open(members))
export type ProposalRow = t.Static<typeof ProposalRow>

export const ProposalRead = t.named(
  'Proposal',
  t.open({
    ...members,
    request: t.described(Attributes, 'the policy or the changes, as they were proposed'),
    ...t.membersOf(AccessDiff, 'policy', 'access'),
  }),
)
export type ProposalRead = t.Static<typeof ProposalRead>

export const ProposalQuery = query({
  ...page,
  state: textsParameter('only those in this state: `proposed`, `applied`, `rejected` or `withdrawn`'),
})
