// Signing in at an identity provider with OpenID Connect: code flow with PKCE, state and nonce, by openid-client, which
// verifies signature, issuer, audience and times of the ID token. Nothing of the provider is kept but who the user is:
// tokens are dropped. Discovery is made with the first sign-in, and again after a failure.
import { createHash } from 'node:crypto'
import type { Configuration } from 'openid-client'
import { isZerohopError, ZerohopError } from '../../model/errors.ts'
import { KEY_BYTES_MAX, PROVIDER_TIMEOUT_MS, USER_NAME_LENGTH_MAX } from '../../model/limits.ts'
import { claimRefused, listClaimValues, type UserClaims } from '../../oidc/claim-values.ts'
import type { SessionUser } from './sessions.ts'
import { type AccessRule, knownValues, valuesAskedFor } from './user-access.ts'

export interface ProviderOptions {
  readonly issuer: string
  readonly clientId: string
  /** without one the client is a public one: PKCE alone protects the code */
  readonly clientSecret?: string
  /** space-separated; `openid` is among them */
  readonly scopes: string
  /** the claim whose values the rules name */
  readonly claim: string
  readonly rules: readonly AccessRule[]
  /** the claim that has the key of a stored user */
  readonly userClaim?: string
}

/** What the browser keeps while its user is at the provider. */
export interface Begun {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
}

export class IdentityProvider {
  readonly #options: ProviderOptions
  #configuration: Promise<Configuration> | undefined

  constructor(options: ProviderOptions) {
    this.#options = options
  }

  get rules(): readonly AccessRule[] {
    return this.#options.rules
  }

  /** True for a user of this provider: the setting may have changed since the user signed in. */
  knows({ issuer }: SessionUser): boolean {
    return issuer === this.#options.issuer
  }

  /** Where the browser goes to sign in, and what it has to bring back. @throws PROVIDER_FAILED */
  async begin(redirectUri: string): Promise<{ readonly location: string; readonly begun: Begun }> {
    const client = await import('openid-client') // loaded with the first sign-in: few servers have a provider
    const configuration = await this.#configured()
    const begun = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
      redirectUri,
    }
    const location = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.#options.scopes,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
    })
    return { location: location.href, begun }
  }

  /**
   * Who came back.
   * @param query what the provider sent along
   * @throws PROVIDER_FAILED, CLAIM_REFUSED
   */
  async finish({ state, nonce, verifier, redirectUri }: Begun, query: string): Promise<SessionUser> {
    const client = await import('openid-client')
    const configuration = await this.#configured()
    try {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()!
      const { claim, rules, issuer, userClaim } = this.#options
      const isAsked = valuesAskedFor(rules).length > 0
      const own = isAsked ? listClaimValues(claim, claims) : []
      const more: UserClaims =
        isMissing(claims, own, userClaim) && configuration.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : {}
      const values = own ?? listClaimValues(claim, more)
      if (values === undefined) throw claimRefused(claim, 'neither the ID token nor the user info has it')
      const name = nameIn({ ...more, ...claims })
      const storedUser = userClaim === undefined ? undefined : userKeyIn(userClaim, { ...more, ...claims })
      const known = { values: knownValues(rules, values), asked: this.#asked }
      return { issuer, subject: claims.sub, name, ...known, ...(storedUser === undefined ? {} : { storedUser }) }
    } catch (error) {
      throw isZerohopError(error) ? error : failed(error)
    }
  }

  /** What the provider is asked for, as a short text that changes with it. */
  get #asked(): string {
    const { claim, rules, userClaim } = this.#options
    return createHash('sha256')
      .update(JSON.stringify([claim, valuesAskedFor(rules), ...(userClaim === undefined ? [] : [userClaim])]))
      .digest('base64url')
      .slice(0, 16)
  }

  /** False when other values count than when the user signed in: which of them the user has is not known then. */
  hasAsked({ asked }: SessionUser): boolean {
    return asked === this.#asked
  }

  async #configured(): Promise<Configuration> {
    this.#configuration ??= this.#discover()
    try {
      return await this.#configuration
    } catch (error) {
      this.#configuration = undefined
      throw failed(error)
    }
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client')
    const { issuer, clientId, clientSecret } = this.#options
    const server = new URL(issuer)
    const authentication = clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret)
    const overHttp = server.protocol === 'http:' ? [client.allowInsecureRequests] : []
    return client.discovery(server, clientId, undefined, authentication, {
      timeout: PROVIDER_TIMEOUT_MS / 1000,
      // by itself the library trusts a token that it fetched over TLS: its signature is verified anyway
      execute: [client.enableNonRepudiationChecks, ...overHttp],
    })
  }
}

/** Whether the ID token lacks what is asked for, so that the user info may have it. */
const isMissing = (claims: UserClaims, values: readonly string[] | undefined, userClaim: string | undefined): boolean =>
  values === undefined || (userClaim !== undefined && !Object.hasOwn(claims, userClaim))

/** The key of a stored user. An email counts when the provider has verified it: some let their users type any. */
function userKeyIn(claim: string, claims: UserClaims): string | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (typeof value !== 'string' || (claim === 'email' && claims.email_verified !== true)) return undefined
  return Buffer.byteLength(value) > KEY_BYTES_MAX ? undefined : value
}

/** How the provider calls the user; null when it does not say. */
function nameIn({ name, preferred_username, email }: Readonly<Record<string, unknown>>): string | null {
  const found = [name, preferred_username, email].find((one) => typeof one === 'string' && one !== '')
  return found === undefined ? null : String(found).slice(0, USER_NAME_LENGTH_MAX)
}

/** What the provider or the library said is for the log of the server, not for the browser. */
const failed = (cause: unknown): ZerohopError => new ZerohopError('PROVIDER_FAILED', {}, { cause })
