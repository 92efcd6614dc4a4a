// The time of a check (`context.now`) is set here, whatever was sent (D8: where attributes come from). With
// PDP_ACCEPT_NOW a sent time is kept, for tests of policies and for checks at another moment.
import type { Attributes } from '../../pdp/request.ts'

export function withNow(context: Attributes | null | undefined, acceptNow: boolean): Attributes {
  const isSent = acceptNow && context != null && Object.hasOwn(context, 'now') && context.now !== null
  return isSent ? context : { ...context, now: Date.now() }
}
