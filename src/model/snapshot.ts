// The form of a snapshot (docs/browser.md): what one user may do, as data that a browser decides by. Made by
// src/pdp/snapshot.ts, read by src/browser. Types and one number: a browser loads this, too.
import type { FilterNode } from './filter.ts'

/** The version of the form; what reads snapshots refuses another one. */
export const SNAPSHOT_FORMAT = 1

/** For which rows of a type, in one tenant, the user may do an action. */
export interface SnapshotCondition {
  /** rows with one of these keys */
  readonly keys?: readonly string[]
  /** rows for which this is true ([filters](docs/filters.md#the-form)) */
  readonly where?: SnapshotWhere
}

export interface SnapshotWhere {
  readonly node: FilterNode
  /** attributes of the row that the node reads: the row has each of them, `null` where it has no value */
  readonly attributes: readonly string[]
  /** relations of the row that the node reads */
  readonly relations: readonly string[]
  /** only the server knows whether a row that has a key lies in the tenant (D2) */
  readonly isKeyOpen?: true
}

/** True or false of every row, `null` when only the server can tell, or a condition. */
export type SnapshotAnswer = boolean | null | SnapshotCondition

/** What one user may do, for a while. */
export interface Snapshot {
  readonly format: typeof SNAPSHOT_FORMAT
  /** of the policy and data that decided */
  readonly revision: number
  /** key of the user; `*` where no one is signed in */
  readonly user: string
  /** milliseconds since 1970 from which on nothing is answered */
  readonly expiresAt: number
  /** milliseconds from when it was made until then */
  readonly lifetimeMs: number
  /**
   * milliseconds since 1970 from which on it would be another: a role or a relation that it depends on starts or ends then
   * (D15), and `expiresAt` is not later. Absent: none does
   */
  readonly validUntil?: number
  /**
   * a digest of everything but `revision` and `expiresAt`: equal ones say the same, for as long. A snapshot that ends
   * before its time has another one at each moment
   */
  readonly etag: string
  /** each answer once */
  readonly answers: readonly SnapshotAnswer[]
  /** by type and action, a place in `answers`; once for all tenants in which they are the same */
  readonly rights: readonly Rights[]
  /** by tenant, a place in `rights` */
  readonly tenants: Readonly<Record<string, number>>
}

export type Rights = Readonly<Record<string, Readonly<Record<string, number>>>>
