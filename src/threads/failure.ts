// An error as it crosses the border of a thread. An `Error` that is cloned loses its code, its details and its path.
import { type ErrorCode, type ErrorDetails, isZerohopError, ZerohopError } from '../model/errors.ts'

/** An error as plain data. */
export interface Failure {
  readonly code: ErrorCode
  readonly details: ErrorDetails
  readonly path: readonly (string | number)[] | undefined
  /** the stack of an unexpected error, for the log of the process */
  readonly cause: string | undefined
}

/** The error as plain data, because class instances do not cross the thread border. */
export function toFailure(error: unknown): Failure {
  if (isZerohopError(error)) {
    return { code: error.code, details: error.details, path: error.path, cause: readStack(error.cause) }
  }
  return { code: 'INTERNAL', details: {}, path: undefined, cause: readStack(error) }
}

/** The error again, on the receiving side. */
export function fromFailure(failure: Failure): ZerohopError {
  const { code, details, path, cause } = failure
  return new ZerohopError(code, details, {
    ...(path === undefined ? {} : { path }),
    ...(cause === undefined ? {} : { cause: new Error(cause) }),
  })
}

function readStack(cause: unknown): string | undefined {
  if (cause === undefined) return undefined
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
