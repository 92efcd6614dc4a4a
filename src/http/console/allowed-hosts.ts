// Under which names the console may be used, and by which pages. A page of another site cannot read our answers, but it
// can point a name of its own at this server (DNS rebinding): so `Host` must be a name that the operator expects. Pages
// of other ports of the same host do get the session cookie: so `Origin` must be exactly that of the console.
import type { FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { SIGN_IN_CALLBACK, SIGN_IN_START } from './console-request.ts'

/** The names of the machine itself, with the port. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/
/** What an error repeats of a header. */
const SHOWN_LENGTH = 100

export class AllowedHosts {
  readonly #isSecure: boolean
  /** by host, as browsers send it */
  readonly #origins: ReadonlyMap<string, string>

  /**
   * @param origins where the console is used besides the loopback names, such as `https://console.example.com`
   * @param isSecure whether this server itself listens with TLS
   */
  constructor(origins: readonly string[], isSecure: boolean) {
    this.#isSecure = isSecure
    this.#origins = new Map(origins.map((origin) => [new URL(origin).host, origin]))
  }

  /**
   * The origin of the console as this request names it. Loopback names count with the port that was bound.
   * @throws HOST_REFUSED, ORIGIN_REFUSED when the request is of another page
   */
  require({ method, url, headers, raw }: FastifyRequest): string {
    const host = (headers.host ?? '').toLowerCase()
    const origin = this.#origins.get(host) ?? this.#loopback(host, raw.socket.localPort)
    if (origin === undefined) throw new ZerohopError('HOST_REFUSED', { host: host.slice(0, SHOWN_LENGTH) })
    const site = headers['sec-fetch-site']
    const sent = headers.origin
    if (sent !== undefined && sent !== origin) throw foreign(sent, host)
    const isFromHere = site === undefined || site === 'same-origin' || (method === 'GET' && isNavigated(url, site))
    if (!isFromHere) throw foreign('another site', host)
    return origin
  }

  #loopback(host: string, bound: number | undefined): string | undefined {
    const found = LOOPBACK.exec(host)
    if (found === null) return undefined
    const usual = this.#isSecure ? 443 : 80
    // a request that was injected has no port
    if (Number(found[1] ?? usual) !== (bound ?? usual)) return undefined
    return `${this.#isSecure ? 'https' : 'http'}://${host}`
  }
}

/**
 * What a browser opens as a page: signing in at a provider begins by a link or a typed address, and the provider,
 * another site, leads back.
 */
function isNavigated(url: string, site: string | string[]): boolean {
  const path = url.split('?', 1)[0]
  return path === SIGN_IN_CALLBACK || (path === SIGN_IN_START && site === 'none')
}

/** True for a name of the machine itself. */
export const isLoopbackOrigin = (origin: string): boolean => LOOPBACK.test(new URL(origin).host)

function foreign(page: string, host: string): ZerohopError {
  return new ZerohopError('ORIGIN_REFUSED', { origin: page.slice(0, SHOWN_LENGTH), host })
}
