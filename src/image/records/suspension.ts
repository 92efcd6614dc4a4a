// When a user is suspended (D16). assembly/abi.ts draws the record. `isSuspended` is about the instant of the question;
// functions whose names end in `Stored` give what is stored, and only the files that a test of test/tidy lists may use them.
import { FLAG_SUSPENDED, Suspension, SymbolRecord } from '../../../assembly/abi.ts'
import { Table } from '../../../assembly/limits.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { TimesPolicy } from '../../kinds/times.ts'
import { tableCount } from './tables.ts'
import { isInForce, nextChange, type RecordTimes, recordTimes } from './times.ts'

const isFlagged = (kernel: Kernel, user: number): boolean =>
  ((kernel.word(user + SymbolRecord.Meta) >>> 24) & FLAG_SUSPENDED) !== 0

/** Whether anybody has a suspension, in force or not. */
export const hasSuspensions = (kernel: Kernel): boolean => tableCount(kernel, Table.Suspensions) !== 0

/** When the user is suspended; undefined when nothing says so. */
export function suspensionStored(kernel: Kernel, user: number): RecordTimes | undefined {
  if (!isFlagged(kernel, user)) return undefined
  const record = kernel.calls.suspensionOfStored(user)
  return { from: kernel.float(record + Suspension.From), until: kernel.float(record + Suspension.Until) }
}

/** When the user is suspended, if that is so at the instant of the question. */
export function findSuspension(kernel: Kernel, user: number): RecordTimes | undefined {
  const times = suspensionStored(kernel, user)
  if (times === undefined || isUnbounded(times)) return times
  return /* canary: end-of-suspensions-in-the-host */ isInForce(kernel, times.from, times.until) ? times : undefined
}

const isUnbounded = ({ from, until }: RecordTimes): boolean =>
  from === Number.NEGATIVE_INFINITY && until === Number.POSITIVE_INFINITY

/** Whether the user is suspended at the instant of the question. */
export const isSuspended = (kernel: Kernel, user: number): boolean => findSuspension(kernel, user) !== undefined

/**
 * The earliest instant after that of the question at which the user is suspended or no longer; infinite when nothing
 * changes.
 */
export function nextChangeOfSuspension(kernel: Kernel, user: number): number {
  const times = suspensionStored(kernel, user)
  return times === undefined || isUnbounded(times) ? Number.POSITIVE_INFINITY : nextChange(kernel, times)
}

/** Suspends the user at these times, instead of others; undefined: not at all. */
export function putSuspension(kernel: Kernel, user: number, times: TimesPolicy | undefined): void {
  if (times === undefined) {
    if (isFlagged(kernel, user)) kernel.calls.resume(user)
    return
  }
  const { from, until } = recordTimes(times)
  kernel.calls.suspend(user, from, until)
}
