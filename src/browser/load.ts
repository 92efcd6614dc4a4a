// Loads a snapshot from the application's own server, which asks a PDP: the API key of a PDP never reaches a browser.
import type { Snapshot } from '../model/snapshot.ts'
import { PermissionsError } from './permissions-error.ts'

export interface LoadOptions extends Omit<RequestInit, 'cache'> {
  /** the last snapshot, expired or not: when nothing has changed, it is answered again with a new time */
  readonly current?: Snapshot | undefined
}

/** @throws SNAPSHOT_FAILED, and as `fetch` does */
export async function loadSnapshot(url: string | URL, { current, ...init }: LoadOptions = {}): Promise<Snapshot> {
  const headers = new Headers(init.headers)
  if (current !== undefined) headers.set('if-none-match', `"${current.etag}"`)
  const asked = Date.now()
  const response = await fetch(url, { ...init, headers, cache: 'no-store' })
  const { status } = response
  if (status === 304 && current !== undefined) {
    const { lifetimeMs, validUntil = Number.POSITIVE_INFINITY } = current
    return { ...current, expiresAt: /* canary: end-of-what-is-unchanged */ Math.min(asked + lifetimeMs, validUntil) }
  }
  if (status !== 200)
    throw new PermissionsError('SNAPSHOT_FAILED', `the server answered ${status} instead of a snapshot`, status)
  return notLonger((await response.json()) as Snapshot, asked)
}

/**
 * The snapshot with its ends by the clock of this device: one that is slow would keep it for longer than it may be kept.
 */
export function notLonger(snapshot: Snapshot, since: number): Snapshot {
  const { expiresAt, validUntil } = snapshot
  const end = Math.min(expiresAt, since + snapshot.lifetimeMs)
  if (validUntil === undefined) return { ...snapshot, expiresAt: end }
  return { ...snapshot, expiresAt: end, validUntil: Math.min(validUntil, validUntil - expiresAt + end) }
}
