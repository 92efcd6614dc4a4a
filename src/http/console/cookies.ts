// Cookies of the console: how they are named, read and set. Under TLS a name begins with `__Host-`: a browser then
// takes the cookie only from this host, over TLS and for all paths, so no other host of the domain can plant one.
import { CONSOLE_COOKIE_LENGTH_MAX } from '../../model/limits.ts'

export interface Cookie {
  readonly name: 'zerohop_session' | 'zerohop_sign_in'
  /** `Lax` for the one that has to come along when the identity provider leads back */
  readonly sameSite: 'Strict' | 'Lax'
  /** seconds; without it the cookie goes when the browser is closed */
  readonly maxAge?: number
}

/** The session. */
export const SESSION_COOKIE: Cookie = { name: 'zerohop_session', sameSite: 'Strict' }

const cookieName = ({ name }: Cookie, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)

/** The value; undefined without one, or with several: then someone else has planted one. */
export function readCookie(cookie: Cookie, header: string | undefined, isSecure: boolean): string | undefined {
  const begin = `${cookieName(cookie, isSecure)}=`
  const pairs = (header ?? '').split(';').map((pair) => pair.trim())
  const values = pairs.filter((pair) => pair.startsWith(begin)).map((pair) => pair.slice(begin.length))
  const [value, ...others] = values
  return others.length > 0 || value === '' || (value?.length ?? 0) > CONSOLE_COOKIE_LENGTH_MAX ? undefined : value
}

/** The header `set-cookie`; an empty value removes the cookie. */
export function formatCookie(cookie: Cookie, value: string, isSecure: boolean): string {
  const age = value === '' ? 0 : cookie.maxAge
  const more = `${isSecure ? '; Secure' : ''}${age === undefined ? '' : `; Max-Age=${age}`}`
  return `${cookieName(cookie, isSecure)}=${value}; Path=/; HttpOnly; SameSite=${cookie.sameSite}${more}`
}
