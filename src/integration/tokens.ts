// Verifies the identity provider's token in the Bearer header. aws-jwt-verify checks the signature and the issuer, and
// `exp` and `nbf` when the token has them. Checked here: the algorithm, no critical extension, `exp` and `sub` are present,
// `token_use`, and the client that the token is for.
import { CognitoJwtVerifier, JwtVerifier } from 'aws-jwt-verify'
import { validateCognitoJwtFields } from 'aws-jwt-verify/cognito-verifier'
import { ZerohopError } from '../model/errors.ts'
import { TOKEN_LENGTH_MAX } from '../model/limits.ts'
import type { ClaimForm, TokenUse } from '../oidc/token-use.ts'
import { type Claims, TokenVerifier } from '../oidc/token-verifier.ts'
import { ALGORITHM, ProviderKeys } from './provider-keys.ts'

export interface TokenSettings {
  /** a Cognito user pool; its issuer and keys follow from the id */
  readonly userPoolId?: string
  /**
   * for other providers: the issuer of the tokens; the keys are at `<issuer>/.well-known/jwks.json` unless `jwksUri` is
   * set
   */
  readonly issuer?: string
  readonly jwksUri?: string
  readonly clientId: string
  /** default `cognito`: the specification's. `oidc`: any OpenID provider, whose metadata says how it signs */
  readonly claims?: ClaimForm
  /** of access tokens, with `oidc`; default: the client id */
  readonly audience?: string
  /** reads the keys instead of HTTPS: for providers without TLS, such as the stand-in and tests */
  readonly fetchJwks?: (uri: string) => Promise<Uint8Array>
}

export interface Tokens {
  /**
   * The claims of the token in the header.
   * @throws TOKEN_INVALID, without the reason, which callers must not see; it is the error's cause, for the log
   * @throws PROVIDER_UNUSABLE with `oidc`, where nothing is known of the token
   */
  verify(authorization: string | undefined, use: TokenUse): Promise<Claims>
}

const BEARER = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

/** @throws CONFIG_INVALID */
export function makeTokens(settings: TokenSettings): Tokens {
  if (settings.claims === 'oidc') return makeOidcTokens(settings)
  const { issuer, jwksUri } = resolveProvider(settings)
  const { clientId, fetchJwks } = settings
  if (fetchJwks === undefined && new URL(jwksUri).protocol !== 'https:')
    throw unfit(`the keys of the provider are read over https alone, not from \`${jwksUri}\`: set JWKS_URI`)
  const jwksCache = new ProviderKeys({
    ...(fetchJwks === undefined ? {} : { fetchJwks }),
    onRead: (keys) => verifier.cacheJwks(keys),
  })
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
            if (header.alg !== ALGORITHM) throw new Error(`the token is not signed with ${ALGORITHM}`)
            // RFC 7515, 4.1.11: every extension in `crit` must be understood, and none is supported
            if ('crit' in header) throw new Error('the token has critical extensions (`crit`)')
            if (typeof payload.exp !== 'number') throw new Error('the token has no `exp`')
            // an access token names one client; an ID token may be for several
            validateCognitoJwtFields(payload, { tokenUse: use, clientId: use === 'access' ? clientId : null })
            if (use === 'id' && ![payload.aud].flat().includes(clientId))
              throw new Error('the token is for another client')
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

/** @throws CONFIG_INVALID */
function makeOidcTokens({ issuer, jwksUri, clientId, audience = clientId }: TokenSettings): Tokens {
  if (issuer === undefined) throw unfit('ISSUER is not set: it names the provider whose tokens are taken')
  const audiences = { id: clientId, access: audience }
  return new TokenVerifier({ issuer, claims: 'oidc', audiences, ...(jwksUri === undefined ? {} : { jwksUri }) })
}

function resolveProvider({ userPoolId, issuer, jwksUri }: TokenSettings): { issuer: string; jwksUri: string } {
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

function invalid(cause?: unknown): ZerohopError {
  return new ZerohopError('TOKEN_INVALID', {}, { cause })
}

function unfit(reason: string): ZerohopError {
  return new ZerohopError('CONFIG_INVALID', { reason })
}
