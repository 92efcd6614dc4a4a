// The instant of a question over HTTP: that of the request, whatever was sent (D8: where attributes come from, D15: grants
// for a time). With PDP_ACCEPT_NOW a `context.now` that is sent is the instant of the whole question, for tests of
// policies and for checks at another moment.
import { ZerohopError } from '../../model/errors.ts'
import { parseInstant } from '../../model/instant.ts'
import type { Pdp } from '../../pdp/pdp.ts'
import type { Attributes } from '../../pdp/request.ts'

/**
 * The PDP at the instant of the question.
 * @throws INPUT_INVALID where a time is accepted that is not an instant
 */
export function pdpAt(pdp: Pdp, context: Attributes | null | undefined, acceptNow: boolean): Pdp {
  const instant = acceptedInstant(context, acceptNow)
  return instant === undefined || instant === pdp.now ? pdp : pdp.at(instant)
}

/** The instant that is sent and accepted, in ms since 1970. @throws as `pdpAt` */
export function acceptedInstant(context: Attributes | null | undefined, acceptNow: boolean): number | undefined {
  const now = acceptNow ? sentNow(context) : undefined
  if (now === undefined) return undefined
  const instant = parseInstant(now)
  if (instant === undefined || !Number.isFinite(instant))
    throw new ZerohopError('INPUT_INVALID', { reason: 'it is not an instant' }, { path: ['body', 'context', 'now'] })
  return instant
}

/** The context with the instant of the question: that of `pdp`, unless one is accepted. */
export function withNow(pdp: Pick<Pdp, 'now'>, context: Attributes | null | undefined, acceptNow: boolean): Attributes {
  return acceptNow && sentNow(context) !== undefined ? context! : { ...context, now: pdp.now }
}

function sentNow(context: Attributes | null | undefined): Attributes[string] | undefined {
  return context != null && Object.hasOwn(context, 'now') ? (context.now ?? undefined) : undefined
}
