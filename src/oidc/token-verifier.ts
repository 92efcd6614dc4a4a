// Verifies tokens of any OpenID provider: signature by one of its keys and algorithms, issuer, times, subject, and what the
// token is for. `jose` does the cryptography. Nothing of a provider is asked for before the text has the form of a token.
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose'
import { isZerohopError, ZerohopError } from '../model/errors.ts'
import { JWKS_TRIES_MAX, TOKEN_LENGTH_MAX, TOKEN_SKEW_SECONDS } from '../model/limits.ts'
import type { JsonObject } from '../model/objects.ts'
import { ALGORITHMS, isTrustedAddress, type ProviderAddress } from './provider-metadata.ts'
import { SigningKeys, type TrustedKeys } from './signing-keys.ts'
import { type ClaimForm, findMisuse, type TokenUse } from './token-use.ts'

/** The claims of a valid token. */
export type Claims = JsonObject & { readonly sub: string }

export interface VerifierSettings extends ProviderAddress {
  readonly claims: ClaimForm
  /** the audience of tokens of each use */
  readonly audiences: Readonly<Record<TokenUse, string>>
}

const BEARER = /^bearer +(?<token>(?<header>[\w-]+)\.[\w-]+\.[\w-]+)$/i

export class TokenVerifier {
  readonly #settings: VerifierSettings
  readonly #keys: SigningKeys

  /** @throws CONFIG_INVALID for an address over which keys must not be read */
  constructor(settings: VerifierSettings) {
    for (const address of [settings.issuer, ...(settings.jwksUri === undefined ? [] : [settings.jwksUri])])
      if (!isTrustedAddress(address)) throw unfit(`the provider is read over https alone, not from \`${address}\``)
    this.#settings = settings
    this.#keys = new SigningKeys(settings)
  }

  /**
   * The claims of the token in a header `authorization`.
   * @throws TOKEN_INVALID, without the reason, which callers must not see; it is the error's cause, for the log
   * @throws PROVIDER_UNUSABLE where the provider's keys cannot be read, and so nothing is known of the token
   */
  async verify(authorization: string | undefined, use: TokenUse): Promise<Claims> {
    const token = readToken(authorization)
    try {
      const { claims: form, audiences } = this.#settings
      const { protectedHeader: header, payload } = await this.#verifySigned(token)
      const claims = payload as JsonObject
      const misuse = findMisuse(form, use, audiences[use], { header: { ...header }, claims })
      if (misuse !== undefined) throw new Error(`the token does not hold here: ${misuse}`)
      if (typeof claims.sub !== 'string' || claims.sub === '') throw new Error('the token has no `sub`')
      return claims as Claims
    } catch (error) {
      throw isZerohopError(error) ? error : invalid(error)
    }
  }

  async #verifySigned(token: string): Promise<JWTVerifyResult<JWTPayload>> {
    const known = await this.#keys.trusted()
    try {
      return await this.#verifyWith(token, known)
    } catch (error) {
      const newer = isUnknownKey(error) ? await this.#keys.newerThan(known) : undefined
      if (newer === undefined) throw error
      return this.#verifyWith(token, newer)
    }
  }

  async #verifyWith(token: string, { find, algorithms }: TrustedKeys): Promise<JWTVerifyResult<JWTPayload>> {
    const { jwtVerify, errors } = await import('jose')
    const options: JWTVerifyOptions = {
      algorithms: [...algorithms],
      issuer: this.#settings.issuer,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: TOKEN_SKEW_SECONDS,
    }
    try {
      return await jwtVerify(token, find as JWTVerifyGetKey, options)
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      let tries = 0
      for await (const key of error) {
        if (++tries > JWKS_TRIES_MAX) break
        const verified = await jwtVerify(token, key, options).catch((failure: unknown) => {
          if (failure instanceof errors.JWSSignatureVerificationFailed) return undefined
          throw failure
        })
        if (verified !== undefined) return verified
      }
      throw new Error('none of the keys that the token may be signed with has signed it')
    }
  }
}

/** The token of a header, of the form of a signed one. @throws TOKEN_INVALID */
function readToken(authorization: string | undefined): string {
  if (authorization === undefined || authorization.length > TOKEN_LENGTH_MAX) throw invalid()
  const { token, header } = BEARER.exec(authorization)?.groups ?? {}
  if (token === undefined || header === undefined) throw invalid()
  const { alg, crit } = parseHeader(header)
  if (!ALGORITHMS.includes(String(alg))) throw invalid(new Error('the token has an algorithm that is never taken'))
  // RFC 7515, 4.1.11: every extension in `crit` must be understood, and none is supported
  if (crit !== undefined) throw invalid(new Error('the token has critical extensions (`crit`)'))
  return token
}

function parseHeader(header: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.from(header, 'base64url').toString()))
  } catch (cause) {
    throw invalid(cause)
  }
}

const isUnknownKey = (error: unknown): boolean =>
  (error as { readonly code?: unknown }).code === 'ERR_JWKS_NO_MATCHING_KEY'

const invalid = (cause?: unknown): ZerohopError => new ZerohopError('TOKEN_INVALID', {}, { cause })
const unfit = (reason: string): ZerohopError => new ZerohopError('CONFIG_INVALID', { reason })
