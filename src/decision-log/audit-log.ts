// Records of decisions, as the rest of the management side sees them: in a folder of this process
// (folder-audit-log.ts), or in the database that replicas share (database-audit-log.ts).
import type { AuditBatch, Stored } from './audit-lines.ts'
import type { AuditInstance, AuditRecord } from './audit-tables.ts'
import type { AuditMinutes, AuditMinutesRange, TermGroups } from './audit-terms.ts'
import type { KnownUses, UseName } from './last-uses.ts'

export type { AuditInstance, AuditRecord } from './audit-tables.ts'

/** How much is kept of each environment: records over either bound are deleted. */
export interface AuditKeep {
  readonly now: number
  readonly ms: number
  readonly records: number
}

/** What was forgotten in one step. */
export interface AuditTrimmed {
  readonly rows: number
  readonly more: boolean
}

export interface AuditRange {
  /** ms since 1970, included */
  readonly since?: number
  /** ms since 1970, not included */
  readonly before?: number
  /** id of a record: only those that come after it in the list */
  readonly after?: string
  /** the newest of them that are left out */
  readonly skip?: number
  readonly limit: number
}

/** Which records are looked for in the index, as in a list. */
export type AuditMatchRange = Omit<AuditRange, 'skip'>

/** What was found in the index. */
export interface AuditMatches {
  /** the newest first */
  readonly ids: readonly string[]
  /** ask again with it as `after`: there may be more. Undefined at the end */
  readonly next: string | undefined
}

export interface AuditLog {
  /** records received by this process since its start */
  readonly stats: { readonly stored: number; readonly known: number; readonly refused: number }
  /**
   * Stores a batch; records that are already stored are recognised by their number. Resolves when it is durable.
   * @throws INPUT_INVALID, LIMIT_EXCEEDED, OVERLOADED, CLOSED; in a folder DISK_FULL, DISK_FAILED, DATA_DAMAGED; in a
   *   database DATABASE_UNAVAILABLE, DATABASE_REFUSED, OUTCOME_UNKNOWN
   */
  append(batch: AuditBatch): Promise<Stored>
  /** Deletes a bounded number of old records. Call again while `more` is true. */
  trim(keep: AuditKeep): Promise<AuditTrimmed>
  /**
   * Records of an environment in a range of time, the newest first.
   * @throws DATA_DAMAGED, DATABASE_UNAVAILABLE, OVERLOADED, CLOSED, as all reads
   */
  list(environment: string, range: AuditRange): Promise<AuditRecord[]>
  /**
   * Ids of records that have one of the terms of each group, from the index; undefined while records of an older
   * version are not in it: then a list is to be looked through. Groups: one at least.
   */
  match(environment: string, groups: TermGroups, range: AuditMatchRange): Promise<AuditMatches | undefined>
  /** The records with these ids, in their order; those that are not there are left out. */
  records(environment: string, ids: readonly string[]): Promise<AuditRecord[]>
  /** Decisions by time, the oldest first; times without any are left out. They are kept longer than records. */
  minutes(environment: string, range: AuditMinutesRange): Promise<AuditMinutes[]>
  /** When each of these was last used, in their order; undefined where nothing is known of it. Kept longer than records. */
  uses(environment: string, names: readonly UseName[]): Promise<readonly (number | undefined)[]>
  /** Since when uses are known; undefined when no decision was ever recorded. */
  knownUses(environment: string): Promise<KnownUses | undefined>
  count(environment: string): Promise<number>
  /** The same of several; those without records may be missing. */
  counts(environments: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** `id`: 32 hex digits */
  find(environment: string, id: string): Promise<AuditRecord | undefined>
  /** The totals of a series of records; undefined when nothing was received from it. */
  instance(name: string): Promise<AuditInstance | undefined>
  /** Bytes on the disk of this process; undefined where others keep them. */
  readonly bytes: number | undefined
  close(): Promise<void>
}
