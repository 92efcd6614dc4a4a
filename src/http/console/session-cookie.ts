// The session cookie: its name, how it is read from a request and how it is set. Under TLS its name begins with
// `__Host-`: a browser then takes it only from this host, over TLS and for all paths, so no other host of the domain can
// plant one.
import { SESSION_COOKIE_LENGTH_MAX } from '../../model/limits.ts'

const NAME = 'zerohop_session'
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict'

const nameOf = (isSecure: boolean): string => (isSecure ? `__Host-${NAME}` : NAME)

/** The value; undefined without one, or with several: somebody else has then planted one beside it. */
export function readCookie(header: string | undefined, isSecure: boolean): string | undefined {
  const begin = `${nameOf(isSecure)}=`
  const found = (header ?? '').split(';').map((pair) => pair.trim())
  const values = found.filter((pair) => pair.startsWith(begin)).map((pair) => pair.slice(begin.length))
  const [value, ...others] = values
  return others.length > 0 || value === '' || (value?.length ?? 0) > SESSION_COOKIE_LENGTH_MAX ? undefined : value
}

/** The header `set-cookie`; an empty value removes the cookie. It goes when the browser is closed. */
export function cookieOf(value: string, isSecure: boolean): string {
  const more = `${isSecure ? '; Secure' : ''}${value === '' ? '; Max-Age=0' : ''}`
  return `${nameOf(isSecure)}=${value}; ${ATTRIBUTES}${more}`
}
