// The dependencies of every route of a PDP: authentication, the form of answers, and the recording of decisions.
import type { Authenticate } from './authenticate.ts'
import type { Decisions } from './record-decision.ts'

/** The dependencies of the routes. */
export interface PdpRouteDeps {
  readonly authenticate: Authenticate
  readonly debug: boolean
  readonly acceptNow: boolean
  /** counts and records every decision */
  readonly decisions: Decisions
}
