// A change is one put or delete of one object of one kind; a log entry is the list of changes of one revision, with who
// and when. How entries are stored (src/store) and what they mean for decisions (src/image) is not defined here.
import type { KindName, Objects } from '../kinds/index.ts'

/** Names a log: the id of an environment, or of an organization (its control log). 32 hex digits. */
export type LogId = string

export type Put = {
  [K in KindName]: { readonly op: 'put'; readonly kind: K; readonly key: string; readonly value: Objects[K] }
}[KindName]
export type Delete = { readonly op: 'delete'; readonly kind: KindName; readonly key: string }
export type Change = Put | Delete

export function put<K extends KindName>(kind: K, value: Objects[K]): Change {
  return { op: 'put', kind, key: value.key, value } as Change
}

export function remove(kind: KindName, key: string): Change {
  return { op: 'delete', kind, key }
}

/** A person, as their identity provider names them. */
export interface UserActor {
  readonly issuer: string
  readonly subject: string
  readonly name: string | null
}

/** Who caused an entry and through which request: the log is the history. Never holds a secret. */
export interface Actor {
  /** id of the API key, or null for the command line, bootstrap and users */
  readonly api_key_id: string | null
  /** a person who signed in to the console without a key (docs/adr/0026-users-in-the-log.md) */
  readonly user?: UserActor
  readonly request_id: string | null
  readonly address: string | null
  readonly method: string | null
  readonly path: string | null
  readonly operation: string
  /** why, as the request said; absent where it did not (docs/adr/0048-reasons-in-the-log.md) */
  readonly reason?: string
  /** what it was done for, such as the key of an issue */
  readonly ticket?: string
}

/** Why something is written, and what for. */
export type Reasons = Pick<Actor, 'reason' | 'ticket'>

/** The actor of an entry that no request caused: a process itself, or an operator at the command line. */
export const withoutRequest = (operation: string, { reason, ticket }: Reasons = {}): Actor => ({
  api_key_id: null,
  request_id: null,
  address: null,
  method: null,
  path: null,
  operation,
  ...(reason === undefined ? {} : { reason }),
  ...(ticket === undefined ? {} : { ticket }),
})

/**
 * One committed revision of one log. `chain` = SHA-256(previous chain ‖ entry), 64 hex digits; `at` in ms since 1970.
 */
export interface LogEntry {
  readonly log: LogId
  readonly revision: number
  readonly previous: string
  readonly chain: string
  readonly at: number
  readonly by: Actor
  readonly status: number
  /** what was done, in words; absent where the operation and the path say it, and of entries of older versions */
  readonly summary?: string
  readonly changes: readonly Change[]
}

/** A log entry as history shows it: without its changes, under an id of its own. */
export interface HistoryEntry extends Omit<LogEntry, 'previous' | 'changes'> {
  /** 32 hex digits */
  readonly id: string
}

/** Where a log stands: the last revision and its chain. A new log is at revision 0 with its random lineage as chain. */
export interface Position {
  readonly revision: number
  readonly chain: string
}
