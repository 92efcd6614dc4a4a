// The configured address that clients use for a PDP: the identifier that discovery publishes.
import { ZerohopError } from '../../model/errors.ts'

/** Addresses that mean "every address of this machine": no one can connect to them. */
const UNSPECIFIED = ['0.0.0.0', '[::]', '[::ffff:0:0]']

/**
 * Validates the URL and returns it without a trailing slash. `name` is the name of the setting for the message, which
 * does not repeat the value, because that may contain a password.
 * @throws CONFIG_INVALID unless it is http or https, without credentials, query and fragment, and names a host that can
 * be connected to
 */
export function readPublicUrl(value: string, name = 'authzen.publicUrl'): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw refused(name, 'must be an http or https URL')
  if (url.username !== '' || url.password !== '')
    throw refused(name, 'must not hold a user name or a password: discovery publishes it')
  if (/[?#]/.test(value)) throw refused(name, 'must have no query and no fragment')
  if (UNSPECIFIED.includes(url.hostname))
    throw refused(name, 'must name a host that clients can connect to, not every address of a machine')
  return value.replace(/\/+$/, '')
}

/** True for an address whose traffic leaves this machine unencrypted. */
export const isPlain = (publicUrl: string): boolean => new URL(publicUrl).protocol !== 'https:'

function refused(name: string, reason: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason: `${name} ${reason}` })
}
