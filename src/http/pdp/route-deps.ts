// What every route of a PDP is given: whose question it is, how an answer looks, and who is told of a decision.
import type { Authenticate } from './authenticate.ts'
import type { Decisions } from './record-decision.ts'

/** What the routes need. */
export interface PdpRouteDeps {
  readonly authenticate: Authenticate
  readonly debug: boolean
  readonly acceptNow: boolean
  /** told of every decision that a route answers */
  readonly decisions: Decisions
}
