// Changes of the policy that somebody proposed, for someone else to apply.
import type { Stored } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/** `proposed` is open; the others are final. That it no longer fits the environment is derived, not stored. */
export const PROPOSAL_STATES = ['proposed', 'applied', 'rejected', 'withdrawn'] as const
export type ProposalState = (typeof PROPOSAL_STATES)[number]

/** Who proposed or decided: a person or a key, or neither for the command line of the operator. */
export interface Party {
  readonly api_key_id: string | null
  readonly user?: { readonly issuer: string; readonly subject: string; readonly name: string | null }
  /**
   * ids of the person or key itself and of whoever made the key, the maker of that one and so on: each of them knew the
   * secret. Empty for the command line
   */
  readonly ids: readonly string[]
  /** as it was called then */
  readonly name: string
}

/** How it ended. */
export interface ProposalEnd {
  readonly by: Party
  readonly at: number
  readonly reason?: string
  readonly ticket?: string
  /** the revision that applied it */
  readonly revision?: number
}

/**
 * `key` is the id. What is proposed never changes: who wants something else withdraws it and proposes that. It bears on
 * no decision, and is neither exported nor copied.
 */
export interface Proposal extends Stored {
  readonly state: ProposalState
  /** the request for a plan: a policy or changes, as they were sent */
  readonly request: object
  /** of its plan: the revision that was compared, in short what changes, and what was promised */
  readonly base_revision: number
  readonly summary: string
  readonly fingerprints: Readonly<Record<string, string | null>>
  /** its access diff (src/model/access-diff.ts), whose type would be in the declarations of every entry point */
  readonly expected: object
  readonly by: Party
  readonly reason?: string
  readonly ticket?: string
  readonly end?: ProposalEnd
}

export const proposal = {
  number: 26,
  newerNumbers: { requirements: 194 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {
    proposals_in_state: ({ state }) => [state],
  },
  projection: null,
  inFiles: null,
} as const satisfies Kind<'proposal', Proposal>
