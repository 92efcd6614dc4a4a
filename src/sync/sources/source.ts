// What every source gives: the rows of one section after the other, all of one snapshot where the source has snapshots.
import type { SectionName } from '../file/sections.ts'
import type { Section } from '../file/sync-file.ts'

/**
 * A value as a source has it. Integers that a number cannot hold are bigints; a time of the source is its text, with a
 * zone only if the source knows one.
 */
export type SourceValue = null | string | number | bigint | boolean | object

/** Rows that have the same columns. */
export interface RowBatch {
  /** number of the first one; rows count from 1, as the source gives them */
  readonly first: number
  readonly columns: readonly string[]
  readonly rows: readonly (readonly SourceValue[])[]
}

export interface Snapshot {
  /** @throws SYNC_SOURCE_FAILED, without the address of the source */
  read(name: SectionName, section: Section): AsyncGenerator<RowBatch, void, undefined>
  /** Ends what was opened. Never rejects. */
  close(): Promise<void>
}
