// A sync of facts from a database of the application: which source its name is bound to, and which run holds it.
import type { Stored } from '../model/objects.ts'
import type { Kind } from './kind.ts'

/** Who writes for a sync at present. */
export interface SyncLease {
  /** random id of the run */
  readonly run: string
  /** until when no other run may begin, in ms since 1970 */
  readonly until: number
}

/** `key` is the name of the claim that its facts have. It bears on no decision, and is neither exported nor copied. */
export interface Sync extends Stored {
  /** random id of the source, 32 hex digits */
  readonly source: string
  /** how many runs have held it */
  readonly runs: number
  /** absent when no run holds it */
  readonly lease?: SyncLease
}

export const sync = {
  number: 27,
  newerNumbers: { syncs: 96 },
  hasIds: true,
  hasOwnTable: false,
  indexes: {},
  projection: null,
  inFiles: null,
} as const satisfies Kind<'sync', Sync>
