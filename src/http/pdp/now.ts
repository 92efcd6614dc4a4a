// D8: the time of a question is set at the border, whatever was sent. With PDP_ACCEPT_NOW it is set only when none was sent: for tests of
// policies, and for questions about another moment.
import type { Attributes } from '../../pdp/request.ts'

export function withNow(context: Attributes | null | undefined, acceptNow: boolean): Attributes {
  const isSent = acceptNow && context != null && Object.hasOwn(context, 'now') && context.now !== null
  return isSent ? context : { ...context, now: Date.now() }
}
