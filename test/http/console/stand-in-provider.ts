// An OpenID Connect provider for tests: discovery, keys, authorization and token endpoint, user info. It signs in
// whoever it was told to, at once, and checks what a provider has to check: client, redirect URI, PKCE, and that a code
// is used once. A test may make it lie.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Visitor } from './harness.ts'

export const CLIENT = 'zerohop-console'

/** Goes to the provider as who has these claims, and comes back; answers where that led. */
export async function signInAs(
  provider: StandIn,
  visitor: Visitor,
  claims: Record<string, unknown>,
  info: Record<string, unknown> = {},
): Promise<unknown> {
  Object.assign(provider, { claims, info })
  const begun = await visitor.ask('GET', '/console/api/session/provider')
  const back = new URL(provider.authorize(String(begun.headers.location)))
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  const { headers: answered } = await visitor.ask('GET', `${back.pathname}${back.search}`, { headers })
  visitor.csrf = (await visitor.ask('GET', '/console/api/session')).json().csrf_token ?? ''
  return answered.location
}

interface Granted {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
}

export interface StandIn {
  readonly issuer: string
  /** who signs in next */
  claims: Record<string, unknown>
  /** what the user info says beside the ID token */
  info: Record<string, unknown>
  /** replaces claims of the next ID tokens, or the key that signs them */
  lie: { readonly claims?: Record<string, unknown>; readonly key?: boolean }
  /** requests to the token endpoint */
  exchanges: number
  /** the address that the browser is sent back to, for an authorization request */
  authorize(location: string): string
  close(): Promise<void>
}

export async function openProvider(): Promise<StandIn> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const other = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const codes = new Map<string, Granted>()
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const standIn: StandIn = {
    issuer,
    claims: {},
    info: {},
    lie: {},
    exchanges: 0,
    authorize: (location) => {
      const { searchParams: asked } = new URL(location)
      if (asked.get('client_id') !== CLIENT || asked.get('code_challenge_method') !== 'S256') throw new Error('refused')
      const code = randomBytes(8).toString('hex')
      const redirectUri = asked.get('redirect_uri')!
      codes.set(code, { challenge: asked.get('code_challenge')!, nonce: asked.get('nonce')!, redirectUri })
      const back = new URL(redirectUri)
      back.search = new URLSearchParams({ code, state: asked.get('state')!, iss: issuer }).toString()
      return back.href
    },
    close: () => closed(server),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === '/.well-known/openid-configuration') {
      return send(200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
        authorization_response_iss_parameter_supported: true,
      })
    }
    if (request.url === '/keys') return send(200, { keys: [jwk] })
    if (request.url === '/userinfo') return send(200, { sub: standIn.claims.sub, ...standIn.info })
    if (request.url !== '/token') return send(404, {})
    standIn.exchanges++
    const form = new URLSearchParams(await readText(request))
    const granted = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (granted?.challenge !== proof || granted.redirectUri !== form.get('redirect_uri'))
      return send(400, { error: 'invalid_grant' })
    const claims = { ...standIn.claims, nonce: granted.nonce, iss: issuer, aud: CLIENT, ...standIn.lie.claims }
    const token = new SignJWT({ iat: now(), exp: now() + 60, ...claims }).setProtectedHeader({
      alg: 'ES256',
      kid: 'one',
    })
    const id_token = await token.sign(standIn.lie.key ? other.privateKey : privateKey)
    send(200, { access_token: 'of-no-use', token_type: 'Bearer', expires_in: 60, id_token })
  }
  return standIn
}

const now = (): number => Math.floor(Date.now() / 1000)

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

async function closed(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}
