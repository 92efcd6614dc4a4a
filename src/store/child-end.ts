// How a child process that read a data folder ended. A damaged page ends a process by a few signals; every other
// signal, and an end without any output, comes from outside: an operator, a supervisor that ends a whole group,
// a machine without memory. Then nothing is known to be damaged: the check did not finish.
import { ZerohopError } from '../model/errors.ts'

/** Signals that a read of a damaged page raises, and LMDB's own assertions. */
const FAULTS: ReadonlySet<string> = new Set(['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGILL', 'SIGFPE', 'SIGTRAP'])
/** Windows has no signals: a fault is an exit code of this size (NTSTATUS). */
const FAULT_CODE_MIN = 0xc000_0000

export interface ChildEnd {
  readonly code: number | string | null | undefined
  readonly signal: string | null | undefined
}

/** Whether the process died of what it read. */
export function isFault({ code, signal }: ChildEnd): boolean {
  if (typeof signal === 'string') return FAULTS.has(signal)
  return typeof code === 'number' && code >= FAULT_CODE_MIN
}

/** `reading data.mdb ended with SIGBUS`. */
export function endText({ code, signal }: ChildEnd): string {
  return `reading data.mdb ended with ${signal ?? `exit code ${code}`}`
}

/** The error of a check that says nothing about the data: it can be repeated. */
export function unfinished(what: string, reason: string): ZerohopError {
  return new ZerohopError('CHECK_UNFINISHED', { what, reason })
}
