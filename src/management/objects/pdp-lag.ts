// How far a PDP is behind its environment, for the list of PDPs and for the metrics.
import type { LogId } from '../../log/change.ts'
import { isZerohopError } from '../../model/errors.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
import type { PdpRegistry } from './pdp-registry.ts'
import { isStale, type KnownPdp } from './pdp-sightings.ts'

export interface PdpLag {
  /** revisions that it lacks; null when that is not known */
  readonly revisions: number | null
  /** when the oldest of them was written, in ms since 1970; undefined when it lacks none, or that is not kept any more */
  readonly since: number | undefined
  readonly isStale: boolean
}

/** Tells of PDPs of an environment how far they are behind. `now`: ms since 1970 */
export function makeLagReader(store: Store<UseCases>, environment: LogId, now: number): (pdp: KnownPdp) => PdpLag {
  const head = store.head(environment).revision
  const times = new Map<number, number | undefined>()
  // many PDPs lack the same revision
  const writtenAt = (revision: number): number | undefined => {
    if (!times.has(revision)) times.set(revision, findTime(store, environment, revision))
    return times.get(revision)
  }
  return ({ isConnected, revision }) => {
    const revisions = revision === null ? null : Math.max(0, head - revision)
    const since = revision === null || revisions === 0 ? undefined : writtenAt(revision + 1)
    const sinceMs = since === undefined ? undefined : now - since
    return { revisions, since, isStale: isStale({ isConnected, revisions, sinceMs }) }
  }
}

/** When a revision was written, in ms since 1970; undefined when that is not kept any more, or damaged. */
function findTime(store: Store<UseCases>, environment: LogId, revision: number): number | undefined {
  try {
    const [entry] = store.history(environment, revision + 1, 1)
    return entry?.revision === revision ? entry.at : undefined
  } catch (error) {
    if (isZerohopError(error, 'DATA_DAMAGED')) return undefined
    throw error
  }
}

export interface FollowersLag {
  /** PDPs that are connected and lack a revision for too long */
  readonly behind: number
  /** PDPs whose connection broke, and that did not say that they end */
  readonly away: number
  /** revisions that the one lacks which is furthest behind, of those that are connected */
  readonly revisions: number
}

/**
 * How far the PDPs are behind that follow here: of one environment, or of all. Those of other replicas are left out.
 * `now`: ms since 1970
 */
export function followersLag(
  store: Store<UseCases>,
  registry: PdpRegistry,
  now: number,
  environment?: LogId,
): FollowersLag {
  let [behind, away, revisions] = [0, 0, 0]
  for (const log of environment === undefined ? registry.environments() : [environment]) {
    if (!store.exists(log)) continue // it was deleted
    const lag = makeLagReader(store, log, now)
    for (const pdp of registry.here(log)) {
      const its = lag(pdp)
      if (!pdp.isConnected) away++
      else {
        if (its.isStale) behind++
        revisions = Math.max(revisions, its.revisions ?? 0)
      }
    }
  }
  return { behind, away, revisions }
}
