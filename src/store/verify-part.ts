// Shared by the parts of a verification: the log that they verify, and how they report.
import type { LogId } from '../log/change.ts'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { otherRecords } from './checked-table.ts'
import { type Digest, NO_SUM, type Sum } from './checksum.ts'
import type { Head } from './heads.ts'
import { nameOfLog, type Tables } from './tables.ts'

/** Damage found in the data. */
export interface Damage {
  /** the log that is damaged; undefined when it concerns all */
  readonly log: LogId | undefined
  readonly error: ZerohopError
}

export interface VerificationReporter {
  readonly damage: (damage: Damage) => void
  /** called with the number of records and entries compared since the last call */
  readonly checked: (count: number) => void
}

/** One log under verification. */
export interface LogPart {
  readonly tables: Tables
  readonly log: LogId
  readonly reporter: VerificationReporter
}

/** The current head of the log; undefined when there is nothing left to compare. */
export function findHead({ tables, log }: LogPart): Head | undefined {
  const head = tables.heads.get(log)
  return head?.leaving === undefined ? head : undefined
}

/** Reports damage in the log. */
export function report({ log, reporter }: LogPart, head: Head, reason: string): void {
  reporter.damage({ log, error: new ZerohopError('DATA_DAMAGED', { what: nameOfLog(log, head), reason }) })
}

/** Reports when count or digest of the records differ from the head. */
export function compare(part: LogPart, head: Head, what: string, digest: Digest, count: number, sum: Sum = NO_SUM) {
  if (digest.count === count && digest.equals(sum)) return
  report(part, head, otherRecords(what, digest.count, count))
}

/** Runs a read and reports damage that it throws. Undefined in that case. */
export function attempt<T>(reporter: VerificationReporter, log: LogId | undefined, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isZerohopError(error, 'DATA_DAMAGED')) throw error
    reporter.damage({ log, error })
    return undefined
  }
}
