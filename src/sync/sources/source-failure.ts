// What a database or a program reports, as one error. It never has an address in it: drivers repeat the URL, which has
// the password.
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { SYNC_COMMAND_ERROR_BYTES } from '../../model/limits.ts'

/** @param secrets texts that the error must not repeat */
export function toSourceError(error: unknown, where: string, secrets: readonly string[] = []): ZerohopError {
  if (isZerohopError(error)) return error
  const report = readReason(error)
  const reason = secrets
    .filter((secret) => secret.length > 2)
    .reduce((text, secret) => text.replaceAll(secret, '…'), report)
  // no cause: a driver's error holds its settings
  return new ZerohopError('SYNC_SOURCE_FAILED', { where, reason: reason.slice(0, SYNC_COMMAND_ERROR_BYTES) })
}

function readReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return readReason(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.message || (error as NodeJS.ErrnoException).code || error.name
}

/** The parts of a URL that must not be shown. */
export function listSecrets(url: string): string[] {
  try {
    const { username, password, href } = new URL(url)
    return [url, href, password, decodeURIComponent(password), username === '' ? '' : `${username}:`].filter(
      (text) => text !== '',
    )
  } catch {
    return [url]
  }
}
