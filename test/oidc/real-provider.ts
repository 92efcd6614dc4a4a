// A real OpenID provider for the tests: the package oidc-provider, certified by the OpenID Foundation, on a port of this
// machine, and a browser that signs in there by the forms that it shows. The package asks for Node 22; what is used of it
// here runs on Node 20, with a warning.
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import { vi } from 'vitest'
import { ALGORITHMS } from '../../src/oidc/provider-metadata.ts'

/** Where the browser of a client of the tests is sent back to. */
const CALLBACK = 'https://shop.example.com/callback'
export const AUDIENCE = 'shop-api'

/** The client whose ID tokens are signed with an algorithm. */
export const makeClientId = (algorithm: string): string => `shop-${algorithm}`

export interface RealProvider {
  readonly issuer: string
  /** the claims of who signs in, apart from `sub` */
  claims: Record<string, unknown>
  /** goes through the pages of the provider as this user; the address that the browser is sent back to */
  signIn(address: string, login: string): Promise<string>
  /** the tokens of a code flow with PKCE */
  fetchTokens(algorithm: string, login: string): Promise<{ readonly id_token: string; readonly access_token: string }>
  close(): void
}

/** @param redirectUri of a client `console`, whose ID tokens are signed with PS256 */
export async function openRealProvider(redirectUri: string): Promise<RealProvider> {
  const quiet = (['warn', 'info'] as const).map((name) => vi.spyOn(console, name).mockReturnValue())
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = (client_id: string, uri: string, id_token_signed_response_alg: string) => ({
    client_id,
    redirect_uris: [uri],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg,
  })
  const own: RealProvider = {
    issuer,
    claims: {},
    signIn: (address, login) => signInAt(address, login, [redirectUri, CALLBACK]),
    fetchTokens,
    close: () => {
      server.close()
      server.closeAllConnections()
      for (const spy of quiet) spy.mockRestore()
    },
  }
  const provider = new Provider(issuer, {
    clients: [
      client('console', redirectUri, 'PS256'),
      ...ALGORITHMS.map((algorithm) => client(makeClientId(algorithm), CALLBACK, algorithm)),
    ],
    jwks: { keys: await Promise.all(ALGORITHMS.map(makeKey)) },
    cookies: { keys: ['of the tests'] },
    claims: { openid: ['sub', 'groups', 'name'] },
    conformIdTokenClaims: false, // claims in the ID token, as most providers have them
    enabledJWA: { idTokenSigningAlgValues: ALGORITHMS },
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId, ...own.claims }) }),
    extraTokenClaims: () => own.claims,
    features: {
      resourceIndicators: {
        enabled: true,
        defaultResource: (_: unknown, { clientId }: { clientId: string }) =>
          clientId === 'console' ? undefined : 'urn:shop',
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: '',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  })
  server.on('request', provider.callback())

  async function fetchTokens(algorithm: string, login: string) {
    const verifier = randomBytes(32).toString('base64url')
    const asked = new URL('/auth', issuer)
    asked.search = String(
      new URLSearchParams({
        client_id: makeClientId(algorithm),
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: 'openid',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }),
    )
    const code = new URL(await own.signIn(asked.href, login)).searchParams.get('code')!
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: makeClientId(algorithm),
      redirect_uri: CALLBACK,
      code,
      code_verifier: verifier,
    })
    return (await fetch(`${issuer}/token`, { method: 'POST', body })).json()
  }
  return own
}

async function makeKey(alg: string): Promise<object> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, kid: `of ${alg}`, use: 'sig' }
}

/** Goes from page to page with the cookies of one browser, and fills in the forms for the login and the consent. */
async function signInAt(address: string, login: string, ends: readonly string[]): Promise<string> {
  const cookies = new Map<string, string>()
  const ask = async (url: string, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const init = form === undefined ? {} : { method: 'POST', body: form }
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      cookies.set(name!, value!)
    }
    return response
  }
  let at = address
  for (let step = 0; step < 12; step++) {
    if (ends.some((end) => at.startsWith(end))) return at
    let response = await ask(at)
    if (response.status === 200) {
      const page = await response.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)![1]!
      const form = new URLSearchParams({ prompt, login, password: 'any' })
      response = await ask(/action="([^"]+)"/.exec(page)![1]!, form)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`the provider answered ${response.status}`)
    at = new URL(location, at).href
  }
  throw new Error('the provider led in a circle')
}
