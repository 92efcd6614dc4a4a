// What the decision log tells: that its journal or one of its sinks begins to fail, and that it works again.
import type { ZerohopError } from '../model/errors.ts'

export type DecisionLogEvent =
  | { readonly event: 'failing'; readonly part: string; readonly error: ZerohopError }
  | { readonly event: 'working'; readonly part: string }

/** `part` is `journal`, or the name of a sink. */
export const workingEvent = (part: string, error: ZerohopError | undefined): DecisionLogEvent =>
  error === undefined ? { event: 'working', part } : { event: 'failing', part, error }
