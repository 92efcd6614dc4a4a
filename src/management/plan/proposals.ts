// Proposals: changes of the policy that one proposes and another applies. What is proposed never changes, so whoever
// approves of it applies what was looked at.
import type { Party, Proposal, ProposalEnd, ProposalState } from '../../kinds/proposal.ts'
import { put, type Reasons, remove } from '../../log/change.ts'
import type { AccessDiff } from '../../model/access-diff.ts'
import { ZerohopError } from '../../model/errors.ts'
import { PLAN_ENTRIES_MAX, PROPOSAL_BYTES_MAX, PROPOSALS_MAX } from '../../model/limits.ts'
import { POLICY_KINDS } from '../../model/policy-kinds.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { fingerprintAt } from '../differences/fingerprints.ts'
import { countByOp, formatSummary } from '../differences/summary.ts'
import { BODY } from '../rules/fields.ts'
import { isSameParty } from '../rules/parties.ts'
import type { MadePlan } from './plan-task.ts'
import { type ApplyInput, applyPlan } from './use-cases.ts'

/** Who writes, and why. */
interface Said extends Reasons {
  readonly party: Party
}

export interface NewProposal extends Said {
  /** the request for the plan */
  readonly request: object
  readonly plan: Pick<MadePlan, 'revision' | 'entries' | 'more' | 'fingerprints' | 'diff'>
}

/** @throws INPUT_INVALID when nothing would change; LIMIT_EXCEEDED */
export function createProposal(
  view: View,
  { party, request, plan, ...reasons }: NewProposal,
  mint: Mint,
): Decided<Proposal> {
  if (plan.entries.length === 0)
    throw new ZerohopError(
      'INPUT_INVALID',
      { reason: 'nothing would change: there is nothing to propose' },
      { path: BODY },
    )
  if (plan.more > 0)
    throw new ZerohopError(
      'LIMIT_EXCEEDED',
      { what: 'the changes of a proposal', limit: PLAN_ENTRIES_MAX },
      { path: BODY },
    )
  const id = mint.id()
  const made: Proposal = {
    ...{ id, key: id, created_at: mint.now, updated_at: mint.now, state: 'proposed', request },
    ...{ base_revision: plan.revision, summary: formatCounts(plan.entries) },
    ...{ fingerprints: plan.fingerprints, expected: plan.diff, by: party },
    ...reasons,
  }
  if (Buffer.byteLength(JSON.stringify(made)) > PROPOSAL_BYTES_MAX)
    throw new ZerohopError(
      'LIMIT_EXCEEDED',
      { what: 'the bytes of a proposal', limit: PROPOSAL_BYTES_MAX },
      { path: BODY },
    )
  return { changes: [...makeRoom(view), put('proposal', made)], summary: `proposal: ${made.summary}`, result: made }
}

const formatCounts = (entries: MadePlan['entries']): string => formatSummary('', countByOp(entries)).replace(/^: /, '')

/** The oldest one that is closed goes. @throws LIMIT_EXCEEDED when all are open */
function makeRoom(view: View) {
  if (view.count('proposal') < PROPOSALS_MAX) return []
  for (const { key, state } of view.list('proposal')) if (state !== 'proposed') return [remove('proposal', key)]
  throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the open proposals', limit: PROPOSALS_MAX }, { path: BODY })
}

interface Ending extends Said {
  /** id of the proposal */
  readonly ref: string
}

/** @throws OBJECT_NOT_FOUND, PROPOSAL_CLOSED, PROPOSAL_FOREIGN unless the one who proposed it does */
export function withdrawProposal(view: View, input: Ending, mint: Mint): Decided<Proposal> {
  const proposal = requireOpen(view, input)
  if (!isSameParty(proposal.by, input.party)) throw new ZerohopError('PROPOSAL_FOREIGN')
  return close(proposal, 'withdrawn', input, mint)
}

/** @throws OBJECT_NOT_FOUND, PROPOSAL_CLOSED, OWN_PROPOSAL when the one who proposed it does */
export function rejectProposal(view: View, input: Ending, mint: Mint): Decided<Proposal> {
  return close(requireOthers(view, input), 'rejected', input, mint)
}

export interface ProposalApplied {
  readonly ending: Ending
  readonly plan: ApplyInput
}

/**
 * Applies what is proposed, in the revision that closes it.
 * @throws OBJECT_NOT_FOUND, PROPOSAL_CLOSED, OWN_PROPOSAL; as applyPlan
 */
export function applyProposal(view: View, { ending, plan }: ProposalApplied, mint: Mint): Decided<Proposal> {
  const proposal = requireOthers(view, ending)
  const { changes, secrets, summary } = applyPlan(view, plan, mint)
  const closed = close(proposal, 'applied', ending, mint, view.position.revision + 1)
  return {
    changes: [...changes, ...closed.changes],
    ...(secrets === undefined ? {} : { secrets }),
    ...(summary === undefined ? {} : { summary }),
    result: closed.result,
  }
}

function requireOpen(view: View, { ref }: Pick<Ending, 'ref'>): Proposal {
  const proposal = view.require('proposal', ref)
  if (proposal.state !== 'proposed') throw new ZerohopError('PROPOSAL_CLOSED', { state: proposal.state })
  return proposal
}

/**
 * The open proposal of someone else.
 * @throws OBJECT_NOT_FOUND, PROPOSAL_CLOSED, OWN_PROPOSAL
 */
export function requireOthers(view: View, { ref, party }: Pick<Ending, 'ref' | 'party'>): Proposal {
  const proposal = requireOpen(view, { ref })
  if (isSameParty(proposal.by, party)) throw new ZerohopError('OWN_PROPOSAL', { what: `it was ${proposal.by.name}` })
  return proposal
}

function close(
  proposal: Proposal,
  state: Exclude<ProposalState, 'proposed'>,
  { party, reason, ticket }: Ending,
  mint: Mint,
  revision?: number,
): Decided<Proposal> & { readonly result: Proposal } {
  const end: ProposalEnd = {
    ...{ by: party, at: mint.now },
    ...(reason === undefined ? {} : { reason }),
    ...(ticket === undefined ? {} : { ticket }),
    ...(revision === undefined ? {} : { revision }),
  }
  const closed: Proposal = { ...proposal, state, end, updated_at: mint.now }
  return { changes: [put('proposal', closed)], result: closed }
}

/** The access diff of the plan that was proposed: what whoever applies it is promised. */
export const readExpected = ({ expected }: Proposal): AccessDiff => expected as AccessDiff

/** Whether an open proposal no longer fits: an object that it changes is not as it was. */
export function isOutdated(view: View, { state, fingerprints }: Proposal): boolean {
  if (state !== 'proposed') return false
  return Object.entries(fingerprints).some(([name, was]) => {
    const [kind = '', key = ''] = name.split(/:(.*)/s)
    const known = POLICY_KINDS.find((one) => one === kind)
    return known === undefined || fingerprintAt(view, known, key) !== was
  })
}
