// A STAND-IN for an identity provider, for trying the backend on one machine (`zerohop integration --demo`): anyone can
// sign in as any user. It has keys of its own, generated at the start and never written, and speaks the parts that the
// page needs: authorization code with PKCE (S256, no client secret), tokens, JWKS. It must never be reachable from
// another machine; src/cli/commands/integration.ts sees to that.
import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { STAND_IN_CODE_MS, STAND_IN_CODES_MAX, STAND_IN_TOKEN_SECONDS } from '../../model/limits.ts'
import { signInPage } from './demo-page.ts'

const PATH = '/stand-in'

/** The issuer in its tokens: a host name that cannot exist. */
export const STAND_IN_ISSUER = 'https://stand-in.invalid'

export interface StandIn {
  /** the public keys as a JWK set */
  jwks(): Uint8Array
  /** adds the routes to the app; pages of these origins alone may sign in */
  routes(app: FastifyInstance, origins: () => readonly string[]): void
}

interface Grant {
  readonly user: string
  readonly challenge: string
  readonly redirectUri: string
  readonly nonce: string | undefined
  readonly until: number
}

type Fields = Readonly<Record<string, string | undefined>>

const KEY_ID = 'stand-in'
const CHALLENGE = /^[\w-]{43}$/
const VERIFIER = /^[\w.~-]{43,128}$/
const NONCE = /^[\w.~-]{1,128}$/
const USER = /^(?!\.{1,2}$)[\w|@+.-]{1,128}$/

/** A provider with fresh keys and one registered client. */
export async function standIn(clientId: string): Promise<StandIn> {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const jwks = Buffer.from(
    JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: 'RS256', use: 'sig' }] }),
  )
  const codes = new Map<string, Grant>()

  const sign = (user: string, claims: object): Promise<string> =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: KEY_ID })
      .setIssuer(STAND_IN_ISSUER)
      .setSubject(user)
      .setIssuedAt()
      .setExpirationTime(`${STAND_IN_TOKEN_SECONDS}s`)
      .sign(privateKey)

  /** Issues an authorization code, valid for one minute and one use. */
  const grant = (fields: Fields, redirectUri: string): string => {
    const code = randomBytes(24).toString('base64url')
    if (codes.size >= STAND_IN_CODES_MAX) codes.delete(codes.keys().next().value!)
    codes.set(code, {
      user: fields.user!,
      challenge: fields.code_challenge!,
      redirectUri,
      nonce: fields.nonce,
      until: Date.now() + STAND_IN_CODE_MS,
    })
    return code
  }

  const authorize = (fields: Fields, origins: readonly string[], reply: FastifyReply): FastifyReply => {
    const { response_type, client_id, redirect_uri, code_challenge, code_challenge_method, user, state, nonce } = fields
    // Redirects only to our own addresses: any other would give the code to whoever made the link.
    const isOurs = redirect_uri !== undefined && origins.some((origin) => redirect_uri === `${origin}/`)
    if (client_id !== clientId || !isOurs) return refused(reply, 'unauthorized_client')
    if (response_type !== 'code') return refused(reply, 'unsupported_response_type')
    if (code_challenge_method !== 'S256' || !CHALLENGE.test(code_challenge ?? ''))
      return refused(reply, 'invalid_request')
    if (nonce !== undefined && !NONCE.test(nonce)) return refused(reply, 'invalid_request')
    if (user === undefined) return html(reply, signInPage(fields, clientId))
    if (!USER.test(user)) return refused(reply, 'invalid_request')
    const target = new URL(redirect_uri)
    target.searchParams.set('code', grant(fields, redirect_uri))
    if (state !== undefined) target.searchParams.set('state', state)
    return reply.redirect(target.href, 302)
  }

  const exchange = async (fields: Fields, reply: FastifyReply): Promise<FastifyReply> => {
    const { grant_type, code = '', code_verifier = '', client_id, redirect_uri } = fields
    const held = codes.get(code)
    codes.delete(code)
    if (grant_type !== 'authorization_code') return refused(reply, 'unsupported_grant_type')
    const challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const holds =
      held !== undefined &&
      held.until > Date.now() &&
      VERIFIER.test(code_verifier) &&
      held.challenge === challenge &&
      held.redirectUri === redirect_uri &&
      client_id === clientId
    if (!holds) return refused(reply, 'invalid_grant')
    const { user, nonce } = held
    const id = { token_use: 'id', aud: clientId, 'cognito:username': user, ...(nonce === undefined ? {} : { nonce }) }
    return reply.header('cache-control', 'no-store').send({
      id_token: await sign(user, id),
      access_token: await sign(user, { token_use: 'access', client_id: clientId, scope: 'openid' }),
      token_type: 'Bearer',
      expires_in: STAND_IN_TOKEN_SECONDS,
    })
  }

  return {
    jwks: () => jwks,
    routes(parent, origins) {
      parent.register(async (app) => {
        app.addContentTypeParser('application/x-www-form-urlencoded', (request, _payload, done) =>
          app.readBytes(request, (error, bytes) =>
            done(error, Object.fromEntries(new URLSearchParams(bytes.toString('utf8')))),
          ),
        )
        app.get(`${PATH}/authorize`, (request: FastifyRequest<{ Querystring: Fields }>, reply) =>
          authorize(single(request.query), origins(), reply),
        )
        app.post(`${PATH}/token`, (request: FastifyRequest<{ Body: Fields | null }>, reply) =>
          exchange(request.body ?? {}, reply),
        )
        app.get(`${PATH}/.well-known/jwks.json`, (_request, reply) => reply.type('application/json').send(jwks))
      })
    },
  }
}

/** A parameter that comes twice counts as absent. */
function single(query: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

function refused(reply: FastifyReply, error: string): FastifyReply {
  return reply.code(400).header('cache-control', 'no-store').send({ error })
}

function html(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'")
    .send(page)
}
