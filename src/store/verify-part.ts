// What the parts of a verification share: which log they are about, and how they report.
import type { LogId } from '../log/change.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { type Digest, NO_SUM, type Sum } from './checksum.ts'
import type { Head } from './heads.ts'
import { otherRecords } from './record.ts'
import { nameOfLog, type Tables } from './tables.ts'

/** Something that is not as it was written. */
export interface Damage {
  /** the log that it is in; undefined when it concerns all */
  readonly log: LogId | undefined
  readonly error: ZerohopError
}

export interface Heard {
  readonly damage: (damage: Damage) => void
  /** so many records and entries more were compared */
  readonly checked: (count: number) => void
}

/** What the parts of a verification need to know of the log that they are about. */
export interface LogPart {
  readonly tables: Tables
  readonly log: LogId
  readonly heard: Heard
}

/** The head of the log now; undefined when there is nothing to compare any more. */
export function headOf({ tables, log }: LogPart): Head | undefined {
  const head = tables.heads.get(log)
  return head?.leaving === undefined ? head : undefined
}

/** Reports damage in the log. */
export function report({ log, heard }: LogPart, head: Head, reason: string): void {
  heard.damage({ log, error: new ZerohopError('DATA_DAMAGED', { what: nameOfLog(log, head), reason }) })
}

/** Reports when records are not those that the head counts. */
export function compare(part: LogPart, head: Head, what: string, digest: Digest, count: number, sum: Sum = NO_SUM) {
  if (digest.count === count && digest.equals(sum)) return
  report(part, head, otherRecords(what, digest.count, count))
}

/** Does what may meet damage, and reports that. Undefined when it did. */
export function attempt<T>(heard: Heard, log: LogId | undefined, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isZerohopError(error, 'DATA_DAMAGED')) throw error
    heard.damage({ log, error })
    return undefined
  }
}
