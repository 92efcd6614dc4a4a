// A PDP in this process that follows an environment of a management API: what most applications call.
import { randomBytes } from 'node:crypto'
import { RemoteFeed } from '../client/http-feed.ts'
import { Trust } from '../log/signature.ts'
import { ZerohopError } from '../model/errors.ts'
import { type OnEvent, tell } from '../model/events.ts'
import { CONNECT_TIMEOUT_MS } from '../model/limits.ts'
import { DecisionSender } from './decision-sender.ts'
import { Follower, type FollowerEvent } from './follower.ts'
import { LastImage } from './last-image.ts'
import { Pdp, type PdpOptions } from './pdp.ts'
import type { DecisionSenderEvent } from './pdp-source.ts'
import type { PolicyTypes } from './policy-types.ts'
import { recordedAttributes } from './recorded-question.ts'

/** What happens to a PDP: to its feed, its image, and the records of its decisions. */
export type ConnectEvent = FollowerEvent | DecisionSenderEvent

export interface ConnectOptions extends PdpOptions {
  /** address of the management API, such as `http://localhost:8080` */
  readonly url: string
  /** key of the environment to follow */
  readonly apiKey: string
  /** what the list of PDPs of the management API calls this one; default the name of this machine */
  readonly name?: string
  /**
   * keeps the last image on disk, sealed with the key, and starts from it while the management API cannot be reached
   */
  readonly cacheFile?: string
  /** checks throw STALE when the last heartbeat of the management API is older; default never */
  readonly maxStalenessMs?: number
  /** Ed25519 public key as PEM: images and deltas are accepted only when signed with its private key */
  readonly publicKey?: string
  /** milliseconds to wait for the first image; 0 returns at once, and checks throw NOT_READY until it is there */
  readonly timeoutMs?: number
  /**
   * sends a record of each decision to the decision log of the management API (docs/decision-log.md), in the
   * background; the key needs access `write`. What cannot be sent is dropped and counted: `pdp.decisionLog`. Default:
   * no records
   */
  readonly decisionLog?: 'api' | undefined
  /**
   * the records have the attributes and context of the questions; with `read` only those that rules of the permission
   * read. Default: none, but relations
   */
  readonly decisionLogAttributes?: boolean | 'read'
  /** receives events of the feed and of the decision log; never called per check. Its exceptions are ignored. */
  readonly onEvent?: OnEvent<ConnectEvent>
}

/**
 * A PDP in this process that follows an environment of a management API.
 * @throws CONFIG_INVALID, KEY_UNKNOWN, KEY_TOO_NARROW, ENVIRONMENT_DELETED, or NOT_READY when no image arrived in time
 */
export async function connect<P extends PolicyTypes = PolicyTypes>(options: ConnectOptions): Promise<Pdp<P>> {
  const { url, apiKey, name, cacheFile, maxStalenessMs, onEvent, timeoutMs = CONNECT_TIMEOUT_MS } = options
  // Usually an unset variable, which would otherwise be reported as an unknown key.
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new ZerohopError('CONFIG_INVALID', { reason: 'no apiKey was given: it is the key of the environment' })
  if (![undefined, 'api'].includes(options.decisionLog))
    throw new ZerohopError('CONFIG_INVALID', { reason: "decisionLog can only be 'api'" })
  const trust = options.publicKey === undefined ? undefined : new Trust(options.publicKey)
  let last: ZerohopError | undefined
  const instance = randomBytes(16).toString('hex')
  const follower: Follower = new Follower({
    feed: new RemoteFeed({ url, apiKey, trust, pdp: { instance, name, applied: () => follower.state.revision } }),
    trust,
    ...(maxStalenessMs === undefined ? {} : { maxStalenessMs }),
    ...(cacheFile === undefined ? {} : { lastImage: new LastImage(cacheFile, apiKey) }),
    onEvent: (event) => {
      if (event.event === 'trouble') last = event.error
      tell(onEvent, event)
    },
  })
  const pdp = new Pdp<P>(follower, options, makeRecorder(options))
  if (timeoutMs === 0) return pdp
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(last ?? new ZerohopError('NOT_READY')), timeoutMs)
  })
  try {
    await Promise.race([follower.ready(), late])
    return pdp
  } catch (error) {
    await pdp.close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function makeRecorder(options: ConnectOptions): DecisionSender | undefined {
  const { url, apiKey, decisionLog, decisionLogAttributes: recorded = false, onEvent } = options
  if (decisionLog === undefined) return undefined
  return new DecisionSender({ url, apiKey, attributes: recordedAttributes(recorded), onEvent })
}
