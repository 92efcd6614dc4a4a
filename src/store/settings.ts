// What the rest of the store says to the database of replicas. The types here do not need the driver: an installed
// package may lack it.
import type { LogId } from '../log/change.ts'

/** How a replica reaches its database. */
export interface DatabaseSettings {
  /** `postgres://user:password@host:port/name`, with the options of the driver */
  readonly url: string
  /** creates the tables and upgrades them at the start; default true */
  readonly migrate?: boolean
  /** hears of writes of other replicas by LISTEN; without it the database is asked every 50 ms. Default true */
  readonly listen?: boolean
  /** milliseconds in which a statement must be answered; default DATABASE_STATEMENT_MS */
  readonly statementMs?: number
  /** entries after the newest snapshot from which a new one is written; default SNAPSHOT_ENTRIES_MIN */
  readonly snapshotEntries?: number
}

/** What identifies a server. */
export interface ServerIdentity {
  /** system identifier: the same for a primary and its standbys */
  readonly system: string
  /** rises by one with each promotion of a standby */
  readonly timeline: number
}

/** What a task did; `result` and `error` are JSON. */
export interface SharedTask {
  /** id of the environment that it is about */
  readonly environment: string
  readonly status: 'processing' | 'success' | 'failure'
  readonly result: string | null
  /** null also for a failure whose replica died */
  readonly error: string | null
}

/** A PDP as one replica sees it, `…AgoMs` before now: clocks of replicas differ. */
export interface PdpSighting {
  readonly instance: string
  readonly name: string | null
  readonly version: string | null
  /** of its checks; null when it is not known */
  readonly apiVersion: number | null
  /**
   * `connected`: it has a stream here; `away`: it had one; `left`: it said that it closes; `heard`: it only reported,
   * because its stream is at another replica
   */
  readonly state: 'connected' | 'away' | 'left' | 'heard'
  /** the revision that it said it applied; null when it said none */
  readonly applied: number | null
  readonly appliedAgoMs: number | null
  /** the last revision that its connection took; null without one */
  readonly sent: number | null
  readonly firstSeenAgoMs: number
  readonly lastSeenAgoMs: number
}

/** A sighting of a PDP that follows this environment. */
export type PlacedSighting = PdpSighting & { readonly environment: LogId }

/** What a replica did for the record, or what became of it. */
export type UpkeepEvent =
  | { readonly what: 'written'; readonly log: LogId; readonly revision: number; readonly objects: number }
  | { readonly what: 'confirmed'; readonly log: LogId; readonly revision: number }
  | { readonly what: 'refused'; readonly log: LogId; readonly revision: number; readonly reason: string }
  /** entries of a log were removed, or lost their changes */
  | { readonly what: 'trimmed'; readonly log: LogId; readonly removed: number; readonly shortened: number }
  /** entries that this replica lacked were trimmed: it loaded a snapshot */
  | { readonly what: 'reloaded'; readonly log: LogId; readonly from: number; readonly to: number }
  | { readonly what: 'failed'; readonly reason: string }
