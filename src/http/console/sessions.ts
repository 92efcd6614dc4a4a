// Sessions of the console. A session is what its cookie says, sealed so that only servers with the same secrets key can
// read or make one: no server keeps it, and every replica knows it (docs/adr/0024-console-sessions.md). It names an API
// key by the hash of its secret, so a key that is rotated or deleted ends its sessions; whoever opens a session looks
// the key up. A session ends SESSION_IDLE_MS after its last request, SESSION_MS after its begin, or when it is signed out.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ZerohopError } from '../../model/errors.ts'
import { SESSION_IDLE_MS, SESSION_MS, SESSION_RENEW_MS } from '../../model/limits.ts'
import { EndedSessions } from './ended-sessions.ts'
import { cookieOf, readCookie } from './session-cookie.ts'

export interface Session {
  readonly id: string
  /** hash of the secret of the API key that signed in */
  readonly keyHash: string
  /** what requests that change something must send as `x-csrf-token` */
  readonly csrf: string
  /** ms since 1970 */
  readonly startedAt: number
  /** when its cookie was sealed last, ms since 1970 */
  readonly sealedAt: number
}

const SEALING = { alg: 'dir', enc: 'A256GCM' } as const
const ISSUER = 'zerohop console'
const RANDOM_BYTES = 16

export class Sessions {
  readonly #key: Uint8Array
  readonly #ended = new EndedSessions()

  /** @param key 32 bytes: the same on all replicas, and used for nothing else */
  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** Begins a session of an API key and sets its cookie. One that the request had ends: its id is never taken over. */
  async start(request: FastifyRequest, reply: FastifyReply, keyHash: string): Promise<Session> {
    const before = await this.#read(request)
    const now = Date.now()
    if (before !== undefined) this.#ended.add(before, now)
    const random = (): string => randomBytes(RANDOM_BYTES).toString('base64url')
    return this.#seal(request, reply, { id: random(), csrf: random(), keyHash, startedAt: now, sealedAt: now })
  }

  /** The session of a request. @throws SESSION_MISSING */
  async open(request: FastifyRequest): Promise<Session> {
    const session = await this.#read(request)
    if (session !== undefined) return session
    const reason = request.headers.cookie === undefined ? 'there is no session' : 'there is no session any more'
    throw new ZerohopError('SESSION_MISSING', { reason })
  }

  /** Moves the end of a session that is in use. */
  async renew(request: FastifyRequest, reply: FastifyReply, session: Session): Promise<Session> {
    const now = Date.now()
    if (now - session.sealedAt < SESSION_RENEW_MS) return session
    return this.#seal(request, reply, { ...session, sealedAt: now })
  }

  /** Signs out. */
  end(request: FastifyRequest, reply: FastifyReply, session: Session): void {
    this.#ended.add(session, Date.now())
    reply.header('set-cookie', cookieOf('', isSecure(request)))
  }

  async #read(request: FastifyRequest): Promise<Session | undefined> {
    const sealed = readCookie(request.headers.cookie, isSecure(request))
    const session = sealed === undefined ? undefined : await this.#unseal(sealed)
    if (session === undefined || endOf(session) <= Date.now() || this.#ended.has(session)) return undefined
    return session
  }

  async #seal(request: FastifyRequest, reply: FastifyReply, session: Session): Promise<Session> {
    const { EncryptJWT } = await import('jose') // loaded with the first session: a server starts sooner without it
    const token = new EncryptJWT({ session: { ...session } }).setProtectedHeader(SEALING).setIssuer(ISSUER)
    reply.header('set-cookie', cookieOf(await token.encrypt(this.#key), isSecure(request)))
    return session
  }

  /** Undefined for what is not sealed under our key, or is damaged. */
  async #unseal(sealed: string): Promise<Session | undefined> {
    const { jwtDecrypt } = await import('jose')
    const options = {
      issuer: ISSUER,
      keyManagementAlgorithms: [SEALING.alg],
      contentEncryptionAlgorithms: [SEALING.enc],
    }
    try {
      const { payload } = await jwtDecrypt<{ session: Session }>(sealed, this.#key, options)
      return payload.session
    } catch {
      return undefined
    }
  }
}

/** When a session ends if it makes no further request, in ms since 1970. */
export const endOf = ({ startedAt, sealedAt }: Session): number =>
  Math.min(sealedAt + SESSION_IDLE_MS, startedAt + SESSION_MS)

/** @throws CSRF_REFUSED when a request that changes something does not carry the token of its session */
export function requireCsrf({ method, headers }: FastifyRequest, { csrf }: Session): void {
  if (method === 'GET' || method === 'HEAD') return
  const sent = Buffer.from(String(headers['x-csrf-token'] ?? ''))
  const wanted = Buffer.from(csrf)
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) throw new ZerohopError('CSRF_REFUSED')
}

/** Whether browsers reach the console over TLS, even if a proxy ends it. */
const isSecure = ({ consoleOrigin }: FastifyRequest): boolean => consoleOrigin?.startsWith('https:') ?? false
