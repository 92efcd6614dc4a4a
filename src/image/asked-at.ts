// Questions that bring their own time, in tests of policies and in records of decisions: it is also that of grants (D15).
import { parseInstant } from '../model/instant.ts'
import type { Json } from '../model/objects.ts'
import type { Image, Sent } from './image.ts'

/**
 * Asks at the `context.now` that is sent.
 * @param otherwise ms since 1970: for a question without one, or whose one is not an instant
 */
export function askAt<T>(image: Image, sent: Sent | undefined, otherwise: number, ask: () => T): T {
  const { now } = (sent?.context ?? {}) as { readonly now?: Json }
  return image.guardAt(parseInstant(now) ?? otherwise, ask)
}
