// PDPs as the replicas see them, made one list; and which of them are stale. Pure.
import { PDP_KEPT_MS, PDP_STALE_MS } from '../../model/limits.ts'
import type { PdpSighting } from '../../store/settings.ts'

/** A PDP that followed the environment lately. */
export interface KnownPdp {
  /** unique in the list, also for one that says nothing of itself */
  readonly id: string
  /** undefined for one that says nothing of itself */
  readonly instance: string | undefined
  readonly name: string | null
  readonly version: string | null
  readonly apiVersion: number | null
  readonly isConnected: boolean
  /** null when nothing is known of it */
  readonly revision: number | null
  /** whether the PDP said that it applied the revision, or it was only sent */
  readonly isApplied: boolean
  readonly firstSeenAgoMs: number
  readonly lastSeenAgoMs: number
}

/** What begins the instance of a PDP that says nothing of itself. */
export const UNNAMED = '#'

/** One row for each PDP that is connected, or was lately and did not say that it closes. */
export function mergeSightings(sightings: Iterable<PdpSighting>): KnownPdp[] {
  const merged = new Map<string, PdpSighting>()
  for (const sighting of sightings) {
    const before = merged.get(sighting.instance)
    merged.set(sighting.instance, before === undefined ? sighting : mergePair(before, sighting))
  }
  return [...merged.values()].flatMap((pdp) => {
    const isConnected = pdp.state === 'connected'
    if (!isConnected && (pdp.state !== 'away' || pdp.lastSeenAgoMs > PDP_KEPT_MS)) return []
    const { instance, name, version, apiVersion, applied, sent, firstSeenAgoMs, lastSeenAgoMs } = pdp
    return {
      id: instance,
      instance: instance.startsWith(UNNAMED) ? undefined : instance,
      name,
      version,
      apiVersion,
      isConnected,
      revision: applied ?? sent,
      isApplied: applied !== null,
      firstSeenAgoMs,
      lastSeenAgoMs,
    }
  })
}

/** What says more of the PDP stands before the rest. */
const STATES = ['connected', 'left', 'away', 'heard'] as const

function mergePair(one: PdpSighting, other: PdpSighting): PdpSighting {
  const [first, second] = STATES.indexOf(one.state) <= STATES.indexOf(other.state) ? [one, other] : [other, one]
  const ago = (at: PdpSighting): number => at.appliedAgoMs ?? Number.POSITIVE_INFINITY
  const { applied, appliedAgoMs } = ago(one) <= ago(other) ? one : other
  return {
    ...first,
    name: first.name ?? second.name,
    version: first.version ?? second.version,
    apiVersion: first.apiVersion ?? second.apiVersion,
    applied,
    appliedAgoMs,
    sent: first.sent ?? second.sent,
    firstSeenAgoMs: Math.max(one.firstSeenAgoMs, other.firstSeenAgoMs),
    lastSeenAgoMs: Math.min(one.lastSeenAgoMs, other.lastSeenAgoMs),
  }
}

export interface Lag {
  readonly isConnected: boolean
  /** revisions that the PDP lacks; null when that is not known */
  readonly revisions: number | null
  /** ms since the oldest of them was written; undefined when that is not kept any more */
  readonly sinceMs: number | undefined
}

/**
 * Whether its answers may be old: it is not connected, or lacks a revision for longer than a PDP that is current needs
 * to say that it has it.
 */
export function isStale({ isConnected, revisions, sinceMs = Number.POSITIVE_INFINITY }: Lag): boolean {
  if (!isConnected) return true
  return revisions !== null && revisions > 0 && sinceMs > PDP_STALE_MS
}
