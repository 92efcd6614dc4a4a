// The PDP that answers a question about an environment as it was: that of the revision in force at `at`.
import { FixedImage } from '../../pdp/fixed-image.ts'
import { Pdp } from '../../pdp/pdp.ts'
import type { Scope } from '../http/auth.ts'
import type { RouteContext } from '../http/route-context.ts'
import type { Found, PastRevisions } from './past-revisions.ts'
import { readAt } from './read-at.ts'

export interface PastPdp {
  readonly pdp: Pdp
  readonly found: Found
  /** ms since 1970 that conditions see unless the question sends another time */
  readonly now: number
}

/**
 * @param sent `at` of a body: a revision, an instant, or nothing for the newest revision
 * @throws INPUT_INVALID, REVISION_UNKNOWN, REVISION_GONE; PAST_BUSY, PAST_TOO_LARGE
 */
export async function pastPdp(
  { store }: RouteContext,
  past: PastRevisions,
  { environment: { id } }: Scope,
  sent: string | number | null | undefined,
): Promise<PastPdp> {
  const at = readAt(sent, ['body', 'at'])
  const found = past.find(id, at ?? { revision: store.head(id).revision })
  const pdp = new Pdp(new FixedImage(await past.image(id, found)))
  const now = at === undefined ? Date.now() : 'instant' in at ? at.instant : found.at
  return { pdp, found, now }
}
