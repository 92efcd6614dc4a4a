// When an API key ends: what refuses it, and the day on which its use is noted. An end is compared with the clock of
// the server at each use; nothing else ends a key by time.
import { ZerohopError } from './errors.ts'

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000

/** The first instant of the day (UTC) of an instant. */
export const startOfDay = (at: number): number => at - (((at % DAY_MS) + DAY_MS) % DAY_MS)

interface Ending {
  /** ms since 1970 */
  readonly expires_at?: number | null
}

/** Whether a key, or an old secret, has reached its end. */
export const isEnded = ({ expires_at }: Ending, now: number): boolean => expires_at != null && expires_at <= now

/**
 * @throws KEY_EXPIRED for a key that has reached its end; KEY_REVOKED for an old secret that was valid for some time
 *   after a rotation
 */
export function requireNotEnded(key: Ending & { readonly secret_of?: string }, now: number): void {
  if (isEnded(key, now)) throw new ZerohopError(key.secret_of === undefined ? 'KEY_EXPIRED' : 'KEY_REVOKED')
}
