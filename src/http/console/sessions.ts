// Sessions of the console. A session is what its cookie says, sealed so that only servers with the same secrets key can
// read or make one: no server keeps it, and every replica knows it (docs/adr/0024-console-sessions.md). It stands for
// an API key, named by the hash of its secret so that a key that is rotated or deleted ends its sessions, or for a user
// of the identity provider (docs/adr/0027-users-of-the-console.md). Whoever opens a session looks up what that may do.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UserActor } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { SESSION_IDLE_MS, SESSION_MS, SESSION_RENEW_MS, USER_SESSION_MS } from '../../model/limits.ts'
import { formatCookie, readCookie, SESSION_COOKIE } from './cookies.ts'
import { EndedSessions } from './ended-sessions.ts'
import { Sealed } from './sealed.ts'

/** A user as the identity provider has told. */
export interface SessionUser extends UserActor {
  /** values of the claim that gives access, as far as the server knows them */
  readonly values: readonly string[]
  /** the value of the claim that names a stored user, where there is such a claim and the provider sent one */
  readonly storedUser?: string
  /** what was asked for when the user signed in (`IdentityProvider.hasAsked`) */
  readonly asked: string
}

/** Who signed in: the hash of the secret of an API key, or a user. */
export type SignedIn = { readonly keyHash: string } | { readonly user: SessionUser }

export interface Session {
  readonly id: string
  readonly by: SignedIn
  /** what requests that change something must send as `x-csrf-token` */
  readonly csrf: string
  /** ms since 1970 */
  readonly startedAt: number
  /** when its cookie was sealed last, ms since 1970 */
  readonly sealedAt: number
}

const RANDOM_BYTES = 16

export class Sessions {
  readonly #sealed: Sealed<Session>
  readonly #ended = new EndedSessions()

  /** @param key 32 bytes: the same on all replicas */
  constructor(key: Uint8Array) {
    this.#sealed = new Sealed(key, 'zerohop console')
  }

  /** Begins a session and sets its cookie. One that the request had ends: its id is never taken over. */
  async start(request: FastifyRequest, reply: FastifyReply, by: SignedIn): Promise<Session> {
    const before = await this.#read(request)
    const now = Date.now()
    if (before !== undefined) this.#ended.add(before, now)
    const random = (): string => randomBytes(RANDOM_BYTES).toString('base64url')
    return this.#send(request, reply, { id: random(), csrf: random(), by, startedAt: now, sealedAt: now })
  }

  /** The session of a request. @throws SESSION_MISSING */
  async open(request: FastifyRequest): Promise<Session> {
    const session = await this.#read(request)
    if (session !== undefined) return session
    const reason = request.headers.cookie === undefined ? 'there is no session' : 'the session has ended'
    throw new ZerohopError('SESSION_MISSING', { reason })
  }

  /** Moves the end of a session that is in use. */
  async renew(request: FastifyRequest, reply: FastifyReply, session: Session): Promise<Session> {
    const now = Date.now()
    if (now - session.sealedAt < SESSION_RENEW_MS) return session
    return this.#send(request, reply, { ...session, sealedAt: now })
  }

  /** Signs out. */
  end(request: FastifyRequest, reply: FastifyReply, session: Session): void {
    this.#ended.add(session, Date.now())
    reply.header('set-cookie', formatCookie(SESSION_COOKIE, '', isSecure(request)))
  }

  async #read(request: FastifyRequest): Promise<Session | undefined> {
    const sealed = readCookie(SESSION_COOKIE, request.headers.cookie, isSecure(request))
    const session = sealed === undefined ? undefined : await this.#sealed.open(sealed)
    if (session === undefined || sessionEnd(session) <= Date.now() || this.#ended.has(session)) return undefined
    return session
  }

  async #send(request: FastifyRequest, reply: FastifyReply, session: Session): Promise<Session> {
    reply.header('set-cookie', formatCookie(SESSION_COOKIE, await this.#sealed.seal(session), isSecure(request)))
    return session
  }
}

/** When a session ends if it makes no further request, in ms since 1970. */
export function sessionEnd({ by, startedAt, sealedAt }: Session): number {
  const longest = 'user' in by ? USER_SESSION_MS : SESSION_MS
  return Math.min(sealedAt + SESSION_IDLE_MS, startedAt + longest)
}

/** @throws CSRF_REFUSED when a request that changes something does not carry the token of its session */
export function requireCsrf({ method, headers }: FastifyRequest, { csrf }: Session): void {
  if (method === 'GET' || method === 'HEAD') return
  const sent = Buffer.from(String(headers['x-csrf-token'] ?? ''))
  const wanted = Buffer.from(csrf)
  if (sent.length !== wanted.length || !timingSafeEqual(sent, wanted)) throw new ZerohopError('CSRF_REFUSED')
}

/** Whether browsers reach the console over TLS, even if a proxy ends it. */
export const isSecure = ({ consoleOrigin }: FastifyRequest): boolean => consoleOrigin?.startsWith('https:') ?? false
