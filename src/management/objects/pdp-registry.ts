// The PDPs that follow the environments of this process: their streams, and what they say of themselves. In memory and
// bounded. A replica also writes what it sees where the others read it, coalesced and at most every PDPS_WRITE_MS.
import type { LogId } from '../../log/change.ts'
import type { PdpIdentity } from '../../log/pdp-identity.ts'
import { contained } from '../../model/contained.ts'
import {
  FOLLOWERS_MAX,
  PDP_ALIVE_MS,
  PDP_KEPT_MS,
  PDPS_AWAY_MAX,
  PDPS_WRITE_MAX,
  PDPS_WRITE_MS,
} from '../../model/limits.ts'
import { PDP_API_VERSION_V1 } from '../../model/version.ts'
import type { PdpSighting, PlacedSighting } from '../../store/settings.ts'
import type { SharedPdps } from '../../store/store.ts'
import { type KnownPdp, mergeSightings, UNNAMED } from './pdp-sightings.ts'

/** What a PDP says when it opens a stream. */
export type Introduction = PdpIdentity & { readonly applied: number | undefined }

/** The revision that an open stream has sent and that its connection took. */
type Sent = () => number

interface Entry {
  readonly environment: LogId
  readonly instance: string
  name: string | null
  version: string | null
  apiVersion: number | null
  /** ms since 1970 */
  readonly firstSeen: number
  lastSeen: number
  applied: number | null
  appliedAt: number
  sent: number | null
  readonly streams: Set<Sent>
  /** whether it ever had a stream here */
  wasOpened: boolean
  hasLeft: boolean
  /** when and what was written for the other replicas */
  writtenAt: number
  written: string
}

export interface RegistryOptions {
  /** ms since 1970 */
  readonly now: () => number
  /** where the other replicas read; undefined where there are none */
  readonly shared?: SharedPdps | undefined
  /** milliseconds between two writes there */
  readonly writeMs?: number
}

export class PdpRegistry {
  readonly #now: () => number
  readonly #shared: SharedPdps | undefined
  readonly #environments = new Map<LogId, Map<string, Entry>>()
  readonly #timer: NodeJS.Timeout | undefined
  #unnamed = 0
  #goneCount = 0
  #writing: Promise<void> | undefined

  constructor({ now, shared, writeMs = PDPS_WRITE_MS }: RegistryOptions) {
    this.#now = now
    this.#shared = shared
    if (shared === undefined) return
    this.#timer = setInterval(
      contained('writing which PDPs are seen', () => this.#write(shared)),
      writeMs,
    )
    this.#timer.unref()
  }

  /**
   * A PDP opened a stream. Returns what to call when that ends.
   * @param isV1 the stream is one that only PDPs for clients of the first API version open
   */
  opened(environment: LogId, who: Introduction | undefined, sent: Sent, isV1 = false): () => void {
    const instance = who?.instance ?? `${UNNAMED}${++this.#unnamed}`
    const entry = this.#entry(environment, instance)
    entry.streams.add(sent)
    entry.wasOpened = true
    entry.name = who?.name ?? null
    entry.version = who?.version ?? null
    entry.apiVersion = isV1 ? PDP_API_VERSION_V1 : (who?.apiVersion ?? null)
    this.#hear(entry, who?.applied)
    return () => {
      entry.streams.delete(sent)
      entry.sent = sent()
      this.#hear(entry, undefined)
      // it is another one when it comes again
      if (who === undefined) entry.hasLeft = true
      this.#gone(entry)
    }
  }

  /** A PDP says which revision it applied, or that it closes. */
  reported(environment: LogId, instance: string, { revision, leaving = false }: Report): void {
    const isNew = this.#environments.get(environment)?.has(instance) !== true
    // its stream is at another replica; where there is none, it has ended already
    if (isNew && this.#shared === undefined) return
    const entry = this.#entry(environment, instance)
    this.#hear(entry, revision)
    if (leaving) entry.hasLeft = true
    if (isNew || leaving) this.#gone(entry)
  }

  /** The PDPs that follow an environment, of all replicas. @throws DATABASE_UNAVAILABLE */
  async list(environment: LogId): Promise<KnownPdp[]> {
    const others = (await this.#shared?.read(environment)) ?? []
    this.#forget(environment)
    const now = this.#now()
    const own = [...(this.#environments.get(environment)?.values() ?? [])].map((entry) => toSighting(entry, now))
    return mergeSightings([...own, ...others])
  }

  /** The environments that PDPs follow here, or lately did. */
  environments(): LogId[] {
    return [...this.#environments.keys()]
  }

  /** The PDPs that follow an environment here, without what other replicas see. */
  here(environment: LogId): KnownPdp[] {
    const now = this.#now()
    return mergeSightings(
      [...(this.#environments.get(environment)?.values() ?? [])].map((entry) => toSighting(entry, now)),
    )
  }

  /** Writes no more. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
  }

  #entry(environment: LogId, instance: string): Entry {
    const entries = this.#environments.get(environment) ?? new Map<string, Entry>()
    this.#environments.set(environment, entries)
    const known = entries.get(instance)
    if (known !== undefined) return known
    const now = this.#now()
    const entry: Entry = {
      environment,
      instance,
      name: null,
      version: null,
      apiVersion: null,
      firstSeen: now,
      lastSeen: now,
      applied: null,
      appliedAt: 0,
      sent: null,
      streams: new Set(),
      wasOpened: false,
      hasLeft: false,
      writtenAt: 0,
      written: '',
    }
    entries.set(instance, entry)
    return entry
  }

  #hear(entry: Entry, applied: number | undefined): void {
    entry.lastSeen = this.#now()
    if (applied === undefined) return
    entry.applied = applied
    entry.appliedAt = entry.lastSeen
  }

  /** An entry has no stream any more, or has none yet. All are looked at now and then: thousands may go at once. */
  #gone({ environment, instance, streams, hasLeft }: Entry): void {
    if (streams.size > 0) return
    if (hasLeft && this.#shared === undefined) this.#environments.get(environment)?.delete(instance)
    if (++this.#goneCount % PDPS_AWAY_MAX === 0) this.#forgetAll()
  }

  #forgetAll(): void {
    for (const environment of [...this.#environments.keys()]) this.#forget(environment)
  }

  /** Removes those without a stream that are old, or too many. */
  #forget(environment: LogId): void {
    const entries = this.#environments.get(environment)
    if (entries === undefined) return
    const oldest = this.#now() - PDP_KEPT_MS
    // where another replica had its stream, it is known here that it left
    const isGone = ({ hasLeft, lastSeen }: Entry): boolean =>
      lastSeen < oldest || (hasLeft && this.#shared === undefined)
    const away: Entry[] = []
    /** those that are not listed */
    const others: Entry[] = []
    for (const entry of entries.values()) {
      if (entry.streams.size > 0) continue
      if (isGone(entry)) entries.delete(entry.instance)
      else (entry.wasOpened && !entry.hasLeft ? away : others).push(entry)
    }
    for (const entry of [...tooMany(away, PDPS_AWAY_MAX), ...tooMany(others, FOLLOWERS_MAX)])
      entries.delete(entry.instance)
    if (entries.size === 0) this.#environments.delete(environment)
  }

  #write(shared: SharedPdps): void {
    // what fails is written the next time; the store reports that the database does not answer
    this.#writing ??= this.#writeDue(shared)
      .catch(() => undefined)
      .finally(() => {
        this.#writing = undefined
      })
  }

  async #writeDue(shared: SharedPdps): Promise<void> {
    this.#forgetAll()
    const now = this.#now()
    const due = [...this.#environments.values()]
      .flatMap((entries) => [...entries.values()])
      .filter((entry) => isDue(entry, now))
    for (let from = 0; from < due.length; from += PDPS_WRITE_MAX) {
      const some = due.slice(from, from + PDPS_WRITE_MAX)
      const sightings = some.map((entry): PlacedSighting => ({ ...toSighting(entry, now), ...toPlace(entry) }))
      const written = some.map(formatState)
      await shared.put(sightings)
      for (const [at, entry] of some.entries()) {
        entry.written = written[at] ?? ''
        entry.writtenAt = now
      }
    }
  }
}

export interface Report {
  readonly revision?: number | undefined
  readonly leaving?: boolean | undefined
}

/** Those that were seen before the last `max`. */
function tooMany(entries: readonly Entry[], max: number): readonly Entry[] {
  if (entries.length <= max) return []
  return entries.toSorted((one, other) => other.lastSeen - one.lastSeen).slice(max)
}

const toPlace = ({ environment }: Entry) => ({ environment })

/** What other replicas must know soon, when it changes. */
const formatState = (entry: Entry): string => `${stateWord(entry)} ${entry.applied} ${sentRevision(entry)}`

/** It is news, or what was written would seem old. */
const isDue = (entry: Entry, now: number): boolean =>
  formatState(entry) !== entry.written || (entry.streams.size > 0 && entry.writtenAt < now - PDP_ALIVE_MS)

function stateWord({ streams, hasLeft, wasOpened }: Entry): PdpSighting['state'] {
  if (streams.size > 0) return 'connected'
  return hasLeft ? 'left' : wasOpened ? 'away' : 'heard'
}

const sentRevision = ({ streams, sent }: Entry): number | null =>
  streams.size === 0 ? sent : Math.max(...[...streams].map((of) => of()))

function toSighting(entry: Entry, now: number): PdpSighting {
  const { instance, name, version, apiVersion, applied, appliedAt, firstSeen, lastSeen, streams } = entry
  const state = stateWord(entry)
  return {
    instance,
    name,
    version,
    apiVersion,
    state,
    applied,
    appliedAgoMs: applied === null ? null : Math.max(0, now - appliedAt),
    sent: sentRevision(entry),
    firstSeenAgoMs: Math.max(0, now - firstSeen),
    // one that reports nothing is seen by its open connection
    lastSeenAgoMs: streams.size > 0 && applied === null ? 0 : Math.max(0, now - lastSeen),
  }
}
