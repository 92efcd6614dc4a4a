// The feed in the process of the store: an image of an environment, then its log entries as deltas, with heartbeats.
// src/http/management/routes/feed.ts serves it over HTTP; the PDP of `serve` and of zerohop/embedded reads it directly.
// Frames: docs/feed.md.
import { setImmediate } from 'node:timers/promises'
import type { LogEntry, LogId, Position } from '../../log/change.ts'
import { packDeltaSlowly } from '../../log/codec.ts'
import { toDelta } from '../../log/delta.ts'
import type { Feed, FeedEvent } from '../../log/feed.ts'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import {
  DELTA_IN_TURN_MAX,
  FEED_UNCONFIRMED_MS,
  FOLLOWER_BYTES_MAX,
  HEARTBEAT_MS,
  LOG_READ_MAX,
  RECENT_BYTES_MAX,
  RECENT_DELTAS_MAX,
} from '../../model/limits.ts'
import { momentBefore } from '../../model/moment.ts'
import type { Store } from '../../store/store.ts'
import type { UseCases } from '../../store/view.ts'
import type { Snapshots } from '../snapshot/snapshot.ts'

export interface FeedDeps {
  readonly store: Pick<Store<UseCases>, 'head' | 'exists' | 'entries' | 'waitBeyond' | 'view' | 'confirm'>
  readonly snapshots: Snapshots
  /** shared by the feeds of many followers */
  readonly recent?: RecentDeltas
}

type DeltaEvent = Exclude<FeedEvent, { type: 'heartbeat' }>

/** The log entries that one read gave, as the store has them. */
interface LastRead {
  readonly log: LogId
  readonly have: number
  /** of the head of the log: it names the whole history up to there */
  readonly chain: string
  readonly entries: readonly LogEntry[]
}

/**
 * The last deltas, as they are sent: a write that a thousand followers wait for is read, made and encoded once. Those
 * who wait are woken in one turn and share what the first of them reads; those who are slower find it kept.
 */
export class RecentDeltas {
  /** the frame of an event, encoded once. @throws LIMIT_EXCEEDED when it is too long */
  readonly #encode: (event: FeedEvent) => Uint8Array
  /** by log and revision, the oldest first */
  readonly #kept = new Map<string, { readonly event: DeltaEvent; readonly bytes: number }>()
  /** of the frames of all that are kept */
  #bytes = 0
  /** of entries that followers are being sent */
  readonly #made = new WeakMap<LogEntry, Promise<DeltaEvent>>()
  /** there until it is collected as garbage, so at least while those who wait for the same write are woken */
  #lastRead: WeakRef<LastRead> | undefined

  constructor(encode: (event: FeedEvent) => Uint8Array) {
    this.#encode = encode
  }

  /** The kept delta that continues exactly from this position. */
  after(log: LogId, at: Position): DeltaEvent | undefined {
    const event = this.#kept.get(`${log}/${at.revision + 1}`)?.event
    return event?.delta.previous === at.chain ? event : undefined
  }

  /** The entries after revision `have` of a log with this head, from `read` unless they were read just now. */
  read(log: LogId, have: number, { chain }: Position, read: () => readonly LogEntry[]): readonly LogEntry[] {
    const last = this.#lastRead?.deref()
    if (last !== undefined && last.log === log && last.have === have && last.chain === chain) return last.entries
    const entries = read()
    this.#lastRead = new WeakRef({ log, have, chain, entries })
    return entries
  }

  /** The delta of an entry, made once. */
  event(entry: LogEntry): Promise<DeltaEvent> {
    let made = this.#made.get(entry)
    if (made === undefined) {
      made = this.#make(entry)
      this.#made.set(entry, made)
    }
    return made
  }

  async #make(entry: LogEntry): Promise<DeltaEvent> {
    const event = await makeEvent(entry)
    const bytes = this.#countBytes(event)
    if (bytes > RECENT_BYTES_MAX) return event
    const name = `${event.delta.environment}/${event.delta.to}`
    this.#drop(name)
    this.#kept.set(name, { event, bytes })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= RECENT_DELTAS_MAX && this.#bytes <= RECENT_BYTES_MAX) break
      this.#drop(oldest)
    }
    return event
  }

  /** A frame that is too long is refused where it is sent, and not kept. */
  #countBytes(event: DeltaEvent): number {
    try {
      return this.#encode(event).length
    } catch (error) {
      if (!isZerohopError(error, 'LIMIT_EXCEEDED')) throw error
      return Number.POSITIVE_INFINITY
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0
    this.#kept.delete(name)
  }
}

/** The followed environment, and the organization whose control log shows whether it still exists. */
export interface Followed {
  readonly environment: LogId
  readonly organization: LogId
}

/** The feed of one environment. */
export function localFeed(deps: FeedDeps, followed: Followed): Feed {
  return {
    image: (signal) => readImage(deps, followed, signal),
    deltas: (after, signal) => deltasOf(deps, followed, after, signal),
  }
}

async function readImage(
  { store, snapshots }: FeedDeps,
  followed: Followed,
  signal?: AbortSignal,
): Promise<Uint8Array> {
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
  const { store, recent } = deps
  const log = followed.environment
  let at = after
  let heartbeatDue = 0
  let confirmedAt = performance.now()
  let controlAt = -1 // revision of the control log at which the environment was seen
  while (!signal?.aborted) {
    const control = store.head(followed.organization).revision
    if (control !== controlAt || !store.exists(log)) requireEnvironment(store, followed)
    controlAt = control
    for (let event = recent?.after(log, at); event !== undefined; event = recent?.after(log, at)) {
      at = { revision: event.delta.to, chain: event.delta.chain }
      yield event
      if (signal?.aborted) return
    }
    const head = store.head(log)
    if (at.revision > head.revision && isOnDisk(store, log, at)) {
      await waitBeyond(store, log, at.revision - 1, HEARTBEAT_MS, signal)
      continue
    }
    requireOurs(at, head)
    const read = () => entriesAfter(store, log, at.revision, head.revision)
    const entries = at.revision === head.revision ? [] : (recent?.read(log, at.revision, head, read) ?? read())
    for (const entry of entries) {
      if (entry.revision !== at.revision + 1)
        throw new ZerohopError('FEED_GAP', { have: at.revision, got: entry.revision })
      if (entry.previous !== at.chain) throw new ZerohopError('FEED_FORK', { to: entry.revision })
      at = { revision: entry.revision, chain: entry.chain }
      yield await (recent?.event(entry) ?? makeEvent(entry))
      if (signal?.aborted) return
    }
    if (entries.length === 0 && at.revision < head.revision)
      throw new ZerohopError('FEED_GAP', { have: at.revision, got: head.revision })
    const now = performance.now()
    const everything = at.revision >= store.head(log).revision
    if (now >= heartbeatDue && (everything || heartbeatDue > 0)) {
      // a follower takes a heartbeat for a sign that it has everything: so it must be true of the log of record
      const at = momentBefore(0) // what is written from here on may be missing in the head
      if (/* canary: confirmed-heartbeat */ await isConfirmed(store, confirmedAt)) {
        confirmedAt = performance.now()
        yield { type: 'heartbeat', revision: store.head(log).revision, at }
      }
      heartbeatDue = now + HEARTBEAT_MS
    }
    if (everything) await waitBeyond(store, log, at.revision, heartbeatDue - performance.now(), signal)
  }
}

/**
 * A small part of the log, because a follower that does not read keeps it until it is cut off. Unreadable entries force
 * followers to take an image: the state has checksums of its own. @throws FEED_GAP
 */
function entriesAfter(store: FeedDeps['store'], log: LogId, have: number, got: number): LogEntry[] {
  try {
    return store.entries(log, have, LOG_READ_MAX, FOLLOWER_BYTES_MAX)
  } catch (cause) {
    if (!isZerohopError(cause, 'DATA_DAMAGED')) throw cause
    throw new ZerohopError('FEED_GAP', { have, got }, { cause })
  }
}

/**
 * Whether nothing is on record that is not here.
 * @throws CLOSED when that has not been known for FEED_UNCONFIRMED_MS: the follower then asks another replica
 */
async function isConfirmed(store: FeedDeps['store'], confirmedAt: number): Promise<boolean> {
  try {
    await store.confirm()
    return true
  } catch (cause) {
    if (performance.now() - confirmedAt < FEED_UNCONFIRMED_MS) return false
    throw new ZerohopError('CLOSED', { what: 'the feed' }, { cause })
  }
}

/** A large delta is packed piece by piece: its followers unpack it in a thread. */
async function makeEvent(entry: LogEntry): Promise<DeltaEvent> {
  const delta = toDelta(entry)
  if (delta.changes.length <= DELTA_IN_TURN_MAX) return { type: 'delta', delta }
  return { type: 'packed', delta: await packDeltaSlowly(delta, () => setImmediate()) }
}

/**
 * True when a follower is ahead of the head only because its image was read from disk between a commit of the writer
 * thread and the message that tells this thread of it.
 */
function isOnDisk(store: FeedDeps['store'], log: LogId, at: Position): boolean {
  const { position } = store.view(log)
  return at.revision < position.revision || (at.revision === position.revision && at.chain === position.chain)
}

/** A follower at or beyond the head must be exactly at the head. */
function requireOurs(at: Position, head: Position): void {
  const forked = at.revision > head.revision || (at.revision === head.revision && at.chain !== head.chain)
  if (forked) throw new ZerohopError('FEED_FORK', { to: head.revision })
}

/** @throws ENVIRONMENT_DELETED when the control log no longer has the environment */
function requireEnvironment(store: FeedDeps['store'], { environment, organization }: Followed): void {
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
  signal?: AbortSignal,
): Promise<void> {
  try {
    await store.waitBeyond(log, revision, signal, Math.max(1, ms))
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}
