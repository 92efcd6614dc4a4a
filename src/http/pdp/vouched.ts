// Questions to a PDP that another server of the same process has authenticated, as the management server does for the
// console: it names the environment and the key, and hands the request over as it is. A header cannot say so, only a
// call within the process can.
import type { IncomingMessage } from 'node:http'
import type { LogId } from '../../log/change.ts'

/** On whose behalf a request asks, and about which environment. */
export interface Vouched {
  readonly environment: LogId
  readonly organization: LogId
  /** id of the API key, for the decision log */
  readonly keyId: string
  /** who asks, where that is a person without a key: as the identity provider calls them */
  readonly person?: string
}

const vouched = new WeakMap<IncomingMessage, Vouched>()

/** From now on the request is answered for this environment, whatever its headers say. */
export const vouchFor = (request: IncomingMessage, asked: Vouched): void => void vouched.set(request, asked)

/** What was said for the request; undefined for one that must bring a key. */
export const findVouched = (request: IncomingMessage): Vouched | undefined => vouched.get(request)
