// Whose request it is: the identity provider's token in the Bearer header. aws-jwt-verify checks signature, issuer, expiry and not-before, and
// fetches keys with a bound on how often; here stands what is asked besides: RS256 alone, `token_use`, and whose client the token is for.
import { CognitoJwtVerifier, JwtVerifier } from 'aws-jwt-verify'
import { validateCognitoJwtFields } from 'aws-jwt-verify/cognito-verifier'
import { SimpleJwksCache } from 'aws-jwt-verify/jwk'
import { ZerohopError } from '../model/errors.ts'
import { JWKS_RETRY_MS, TOKEN_LENGTH_MAX } from '../model/limits.ts'
import type { JsonObject } from '../model/objects.ts'

/** What a token is for: `id` tells who signed in, `access` lets call. */
export type TokenUse = 'id' | 'access'

/** The claims of a token that holds. */
export type Claims = JsonObject & { readonly sub: string }

export interface TokenSettings {
  /** a Cognito user pool; its issuer and keys follow from the id */
  readonly userPoolId?: string
  /** for pools elsewhere: who issues the tokens, and where the keys are (`<issuer>/.well-known/jwks.json`) */
  readonly issuer?: string
  readonly jwksUri?: string
  readonly clientId: string
  /** reads the keys instead of HTTPS: for providers without TLS, as the stand-in and tests are */
  readonly fetchJwks?: (uri: string) => Promise<Uint8Array>
}

export interface Tokens {
  /**
   * The claims of the token in the header.
   * @throws TOKEN_INVALID, with no word about why to the caller; the reason is its cause, for the log
   */
  verify(authorization: string | undefined, use: TokenUse): Promise<Claims>
}

const BEARER = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/** @throws CONFIG_INVALID */
export function tokensOf(settings: TokenSettings): Tokens {
  const { issuer, jwksUri } = providerOf(settings)
  const { clientId, fetchJwks } = settings
  if (fetchJwks === undefined && new URL(jwksUri).protocol !== 'https:')
    throw unfit(`the keys of the provider are read over https alone, not from \`${jwksUri}\`: set JWKS_URI`)
  const jwksCache = new SparingJwksCache(
    fetchJwks === undefined ? {} : { fetcher: { fetch: async (uri) => bufferOf(await fetchJwks(uri)) } },
  )
  const verifier = JwtVerifier.create({ issuer, jwksUri, audience: null }, { jwksCache })
  return {
    async verify(authorization, use) {
      if (authorization === undefined || authorization.length > TOKEN_LENGTH_MAX) throw invalid()
      const token = BEARER.exec(authorization)?.[1]
      if (token === undefined) throw invalid()
      try {
        const claims = await verifier.verify(token, {
          audience: null,
          customJwtCheck: ({ header, payload }) => {
            if (header.alg !== 'RS256') throw new Error('the token is not signed with RS256')
            validateCognitoJwtFields(payload, { tokenUse: use, clientId })
          },
        })
        if (typeof claims.sub !== 'string' || claims.sub === '') throw new Error('the token has no `sub`')
        return claims as unknown as Claims
      } catch (cause) {
        throw invalid(cause)
      }
    },
  }
}

/** Does not ask a provider that just failed: each token that comes meanwhile would ask it again. */
class SparingJwksCache extends SimpleJwksCache {
  #failure: unknown

  override async getJwks(uri: string): ReturnType<SimpleJwksCache['getJwks']> {
    if (this.#failure !== undefined) throw this.#failure
    try {
      return await super.getJwks(uri)
    } catch (error) {
      this.#failure = error
      setTimeout(() => {
        this.#failure = undefined
      }, JWKS_RETRY_MS).unref()
      throw error
    }
  }
}

function providerOf({ userPoolId, issuer, jwksUri }: TokenSettings): { issuer: string; jwksUri: string } {
  if (issuer !== undefined) {
    return { issuer, jwksUri: jwksUri ?? `${issuer.replace(/\/+$/, '')}/.well-known/jwks.json` }
  }
  if (userPoolId === undefined)
    throw unfit('USER_POOL_ID is not set: it names the user pool; ISSUER names another provider')
  try {
    const pool = CognitoJwtVerifier.parseUserPoolId(userPoolId)
    return { issuer: pool.issuer, jwksUri: jwksUri ?? pool.jwksUri }
  } catch {
    throw unfit(
      `USER_POOL_ID must be the id of a user pool such as eu-west-1_AbCdEf, not \`${userPoolId.slice(0, 100)}\``,
    )
  }
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer // a copy: a Buffer may be a part of something larger
}

function invalid(cause?: unknown): ZerohopError {
  return new ZerohopError('TOKEN_INVALID', {}, { cause })
}

function unfit(reason: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason })
}
