// The link that signs in once. `zerohop serve` prints it for a new data folder, so that the first page is a click away.
// Its token is in the fragment, which browsers do not send: the page redeems it by POST. Only the SHA-256 is kept. It
// works once, for SIGN_IN_LINK_MS, and only from the machine itself: a request that came through a proxy may come from
// anywhere.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { SIGN_IN_LINK_MS } from '../../model/limits.ts'
import { isLoopbackOrigin } from './allowed-hosts.ts'

const TOKEN_BYTES = 32
/** What proxies add. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']
const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/

interface Link {
  readonly digest: Buffer
  /** hash of the secret of the API key that it signs in with */
  readonly keyHash: string
  /** ms since 1970 */
  readonly until: number
}

export class SignInLink {
  #link: Link | undefined

  /** A fresh token that signs in with the key of this hash; an earlier one no longer does. */
  open(keyHash: string): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    this.#link = { digest: hashToken(token), keyHash, until: Date.now() + SIGN_IN_LINK_MS }
    return token
  }

  /** The hash of the key that the token signs in with, once. @throws LINK_REMOTE, LINK_REFUSED */
  redeem(request: FastifyRequest, token: string): string {
    if (!isLocal(request)) throw new ZerohopError('LINK_REMOTE')
    const link = this.#link
    if (link === undefined || !timingSafeEqual(link.digest, hashToken(token))) throw new ZerohopError('LINK_REFUSED')
    this.#link = undefined
    if (link.until <= Date.now()) throw new ZerohopError('LINK_REFUSED')
    return link.keyHash
  }
}

/** True for a request of this machine that no proxy has passed on, as far as one can see. */
function isLocal({ raw, headers, consoleOrigin }: FastifyRequest): boolean {
  if (!LOOPBACK_ADDRESS.test(raw.socket.remoteAddress ?? '')) return false
  return (
    consoleOrigin !== undefined &&
    isLoopbackOrigin(consoleOrigin) &&
    PROXY_HEADERS.every((name) => headers[name] === undefined)
  )
}

const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()
