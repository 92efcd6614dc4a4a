// The time of a check (`context.now`) is set here, whatever was sent (D8: where attributes come from): the one instant
// of the request. With PDP_ACCEPT_NOW a sent time is kept, for tests of policies and for checks at another moment.
import type { Pdp } from '../../pdp/pdp.ts'
import type { Attributes } from '../../pdp/request.ts'

export function withNow(pdp: Pick<Pdp, 'now'>, context: Attributes | null | undefined, acceptNow: boolean): Attributes {
  const isSent = acceptNow && context != null && Object.hasOwn(context, 'now') && context.now !== null
  return isSent ? context : { ...context, now: pdp.now }
}
