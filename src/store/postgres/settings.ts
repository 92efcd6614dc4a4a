// What the rest of the store says to the database of replicas. The types here do not need the driver: an installed
// package may lack it.

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
