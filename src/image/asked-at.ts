// Questions that bring their own time, in tests of policies and in records of decisions: it is also that of grants (D15).
import { parseInstant } from '../model/instant.ts'
import type { Json } from '../model/objects.ts'
import type { Image, Sent } from './image.ts'

/** Asks at the `context.now` that is sent; without one, or where it is not an instant, at the time of the clock. */
export function askAt<T>(image: Image, sent: Sent | undefined, ask: () => T): T {
  const { now } = (sent?.context ?? {}) as { readonly now?: Json }
  return image.guardAt(parseInstant(now) ?? Date.now(), ask)
}
