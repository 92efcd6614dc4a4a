// Proposals as the API answers them.
import type { Party, Proposal } from '../../../kinds/proposal.ts'
import type { Reasons } from '../../../log/change.ts'
import { isOutdated, readExpected } from '../../../management/plan/proposals.ts'
import { actorId } from '../../../management/rules/actor.ts'
import { isSameParty } from '../../../management/rules/parties.ts'
import type { ProposalRead, ProposalRow } from '../../../management/schemas/proposals.ts'
import type { JsonObject } from '../../../model/objects.ts'
import type { View } from '../../../store/view.ts'
import { printTime, times } from './stamps.ts'

/** One row of a list. @param asker who reads it */
export function proposalRow(view: View, proposal: Proposal, asker: Party): ProposalRow {
  const { id, state, summary, base_revision, by, end } = proposal
  return {
    ...{ id, state, outdated: isOutdated(view, proposal), summary, base_revision },
    own: isSameParty(by, asker),
    ...printParty(by),
    ...printReasons(proposal),
    ...times(proposal),
    end: end === undefined ? null : printEnd(end),
  }
}

const printEnd = ({ by, at, revision, ...reasons }: NonNullable<Proposal['end']>): NonNullable<ProposalRow['end']> => ({
  ...printParty(by),
  ...printReasons(reasons),
  at: printTime(at),
  revision: revision ?? null,
})

/** All of it. */
export function proposalRead(view: View, proposal: Proposal, asker: Party): ProposalRead {
  const { policy, access } = readExpected(proposal)
  return { ...proposalRow(view, proposal, asker), request: proposal.request as JsonObject, policy, access }
}

const printParty = ({ name, api_key_id, user }: Party) => ({
  actor_id: actorId({ api_key_id, ...(user === undefined ? {} : { user }), operation: '' }),
  actor_display_name: name,
})
const printReasons = ({ reason, ticket }: Reasons) => ({ reason: reason ?? null, ticket: ticket ?? null })
