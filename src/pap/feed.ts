// The feed in the process of the store: an image of an environment, then its log entries as deltas, with heartbeats. src/http/management/feed.ts
// puts it on the wire; the PDP of `serve` and of zerohop/embedded reads it as it is. What a frame means is docs/feed.md.
import { setImmediate } from 'node:timers/promises'
import type { LogEntry, LogId, Position } from '../log/change.ts'
import { packDeltaSlowly } from '../log/codec.ts'
import { toDelta } from '../log/delta.ts'
import type { Feed, FeedEvent } from '../log/feed.ts'
import { ZerohopError } from '../model/errors.ts'
import { DELTA_IN_TURN_MAX, HEARTBEAT_MS, LOG_READ_MAX } from '../model/limits.ts'
import type { Store } from '../store/store.ts'
import type { UseCases } from '../store/view.ts'
import type { Snapshots } from './snapshot.ts'

export interface FeedDeps {
  readonly store: Pick<Store<UseCases>, 'head' | 'exists' | 'entries' | 'waitBeyond' | 'view'>
  readonly snapshots: Snapshots
}

/** The environment that is followed and the organization whose control log knows whether it still exists. */
export interface Followed {
  readonly environment: LogId
  readonly organization: LogId
}

/** The feed of one environment. */
export function localFeed(deps: FeedDeps, followed: Followed): Feed {
  return {
    image: (signal) => imageOf(deps, followed, signal),
    deltas: (after, signal) => deltasOf(deps, followed, after, signal),
  }
}

async function imageOf({ store, snapshots }: FeedDeps, followed: Followed, signal?: AbortSignal): Promise<Uint8Array> {
  requireEnvironment(store, followed)
  const { bytes } = await snapshots.image(followed.environment)
  signal?.throwIfAborted()
  return bytes
}

async function* deltasOf(
  deps: FeedDeps,
  followed: Followed,
  after: Position,
  signal?: AbortSignal,
): AsyncGenerator<FeedEvent> {
  const { store } = deps
  const log = followed.environment
  let at = after
  let heartbeatDue = 0
  while (!signal?.aborted) {
    requireEnvironment(store, followed)
    const head = store.head(log)
    requireOurs(at, head)
    const entries = at.revision < head.revision ? store.entries(log, at.revision, LOG_READ_MAX) : []
    for (const entry of entries) {
      if (entry.revision !== at.revision + 1)
        throw new ZerohopError('FEED_GAP', { have: at.revision, got: entry.revision })
      if (entry.previous !== at.chain) throw new ZerohopError('FEED_FORK', { to: entry.revision })
      at = { revision: entry.revision, chain: entry.chain }
      yield await eventOf(entry)
      if (signal?.aborted) return
    }
    if (entries.length === 0 && at.revision < head.revision)
      throw new ZerohopError('FEED_GAP', { have: at.revision, got: head.revision })
    const now = performance.now()
    const everything = at.revision >= store.head(log).revision
    if (now >= heartbeatDue && (everything || heartbeatDue > 0)) {
      heartbeatDue = now + HEARTBEAT_MS
      yield { type: 'heartbeat', revision: store.head(log).revision }
    }
    if (everything) await waitBeyond(store, log, at.revision, heartbeatDue - performance.now(), signal)
  }
}

/** A large delta is packed piece by piece: its followers unpack it in a thread. */
async function eventOf(entry: LogEntry): Promise<FeedEvent> {
  const delta = toDelta(entry)
  if (delta.changes.length <= DELTA_IN_TURN_MAX) return { type: 'delta', delta }
  return { type: 'packed', delta: await packDeltaSlowly(delta, () => setImmediate()) }
}

/** A follower at or beyond our head must be exactly at it. */
function requireOurs(at: Position, head: Position): void {
  const forked = at.revision > head.revision || (at.revision === head.revision && at.chain !== head.chain)
  if (forked) throw new ZerohopError('FEED_FORK', { to: head.revision })
}

/** @throws ENVIRONMENT_DELETED when the control log does not hold the environment any more */
export function requireEnvironment(store: FeedDeps['store'], { environment, organization }: Followed): void {
  if (!store.exists(environment) || store.view(organization).find('environment', environment) === undefined) {
    throw new ZerohopError('ENVIRONMENT_DELETED')
  }
}

/** Waits for the next revision, but at most until the next heartbeat is due. */
async function waitBeyond(
  store: FeedDeps['store'],
  log: LogId,
  revision: number,
  ms: number,
  outer?: AbortSignal,
): Promise<void> {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  const timer = setTimeout(abort, Math.max(1, ms))
  outer?.addEventListener('abort', abort, { once: true })
  try {
    await store.waitBeyond(log, revision, controller.signal)
  } catch (error) {
    if (!controller.signal.aborted) throw error
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener('abort', abort)
  }
}
