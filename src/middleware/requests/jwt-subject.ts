// Who sent a request, by the token of an OpenID provider: the key of the user, and the user's groups as an attribute that
// conditions read. What the provider left out is never read as "in no group".
import { isZerohopError, type ZerohopError } from '../../model/errors.ts'
import { requireKey } from '../../model/keys.ts'
import { GROUPS_MAX } from '../../model/limits.ts'
import type { JsonObject } from '../../model/objects.ts'
import { type ClaimPath, claimRefused, listClaimValues } from '../../oidc/claim-values.ts'
import type { ClaimForm, TokenUse } from '../../oidc/token-use.ts'
import { type Claims, TokenVerifier } from '../../oidc/token-verifier.ts'
import { type Refusal, UNAUTHENTICATED } from './request-authorization.ts'

export interface JwtSubjectOptions {
  /** the issuer, exactly as tokens have it; its metadata says where its keys are and how it signs */
  readonly issuer: string
  /** who the tokens are for: the name of this API at the provider; with `token: 'id'` the client */
  readonly audience: string
  /** default `access`: tokens that authorize calls of an API. `id`: those that tell a client who signed in */
  readonly token?: TokenUse
  /** default `oidc`. `cognito`: the audience of an access token is in `client_id` */
  readonly claims?: ClaimForm
  /** where the provider's keys are, instead of where its metadata says */
  readonly jwksUri?: string
  /** the claim with the key of the user; default `sub`. `email` counts only where the provider has verified it */
  readonly key?: string
  /** the claim with the groups of the user; without it no groups are read */
  readonly groups?: ClaimPath | GroupsClaim
  /** hears why a request was refused; without it, a warning of the process says that the provider cannot be used, or left out a claim */
  readonly onError?: (error: ZerohopError) => void
}

export interface GroupsClaim {
  readonly claim: ClaimPath
  /** the attribute of the user that has them in conditions; default `groups` */
  readonly attribute?: string
  /**
   * what a token without the claim is. Default `refuse`. `none`: the user is in no group, for providers that send the claim
   * only to those who are in one. A claim that the provider says to have left out is refused always
   */
  readonly absent?: 'refuse' | 'none'
}

/** The user of a request, as the option `user` of `authorization` gives it. */
export interface JwtUser {
  readonly key: string
  readonly attributes: JsonObject
}

/** Verifies the token of each request once, and says whose it is. */
export class JwtSubjects<R extends object> {
  readonly #options: JwtSubjectOptions
  readonly #verifier: TokenVerifier
  /** undefined for a request without a token */
  readonly #users = new WeakMap<R, { readonly user: JwtUser | undefined }>()
  /** what was said last, so that it is not said for each request */
  #warning = ''

  /** @throws CONFIG_INVALID for an issuer that is not read over https */
  constructor(options: JwtSubjectOptions) {
    const { issuer, jwksUri, claims = 'oidc', audience } = options
    this.#options = options
    this.#verifier = new TokenVerifier({
      issuer,
      claims,
      audiences: { id: audience, access: audience },
      ...(jwksUri === undefined ? {} : { jwksUri }),
    })
  }

  /**
   * The user of a request whose token was verified, as the option `user` of `authorization`: undefined without a token.
   * @throws TypeError for a request whose token was not: `verify` has to run first
   */
  readonly user = (request: R): JwtUser | undefined => {
    const known = this.#users.get(request)
    if (known === undefined) throw new TypeError('the token of this request was not verified: `verify` must run first')
    return known.user
  }

  /** The answer to a request whose token does not hold; undefined where it holds, and without a token. */
  async verify(request: R, authorization: string | undefined): Promise<Refusal | undefined> {
    const { token = 'access', onError = (error: ZerohopError) => this.#warn(error) } = this.#options
    try {
      const user =
        authorization === undefined ? undefined : this.#toUser(await this.#verifier.verify(authorization, token))
      this.#users.set(request, { user })
      return undefined
    } catch (error) {
      if (!isZerohopError(error)) throw error
      onError(error)
      return toRefusal(error)
    }
  }

  /** Says what the operator has to mend. Tokens that do not hold are their senders' matter, and may be many. */
  #warn({ code, message }: ZerohopError): void {
    if (code === 'TOKEN_INVALID' || message === this.#warning) return
    this.#warning = message
    globalThis.process?.emitWarning(`zerohop: a request was refused: ${message}`, { code: 'ZEROHOP_SIGN_IN' })
  }

  /** @throws CLAIM_REFUSED */
  #toUser(claims: Claims): JwtUser {
    const { key: claim = 'sub', groups } = this.#options
    const key = readUserKey(claim, claims)
    if (groups === undefined) return { key, attributes: {} }
    const { claim: path, attribute = 'groups', absent = 'refuse' } = isPath(groups) ? { claim: groups } : groups
    const values = listClaimValues(path, claims) ?? (absent === 'none' ? [] : undefined)
    if (values === undefined) throw claimRefused(path, 'the token does not have it')
    if (values.length > GROUPS_MAX) throw claimRefused(path, `it has more than ${GROUPS_MAX} values`)
    return { key, attributes: { [attribute]: [...values] } }
  }
}

const isPath = (groups: ClaimPath | GroupsClaim): groups is ClaimPath =>
  typeof groups === 'string' || Array.isArray(groups)

/** @throws CLAIM_REFUSED for what is not the key of a user */
function readUserKey(claim: string, claims: Claims): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (typeof value !== 'string') throw claimRefused(claim, 'the key of the user must be a text')
  if (claim === 'email' && claims.email_verified !== true) throw claimRefused(claim, 'the provider has not verified it')
  try {
    return requireKey('user', value)
  } catch (error) {
    throw claimRefused(claim, isZerohopError(error) ? error.message : 'it is not the key of a user')
  }
}

function toRefusal(error: ZerohopError): Refusal {
  switch (error.code) {
    case 'PROVIDER_UNUSABLE':
      return {
        status: 503,
        headers: { 'retry-after': '1' },
        body: { error: 'unavailable', message: 'whether this token is valid is not known now: try again' },
      }
    case 'CLAIM_REFUSED':
      return { status: 403, headers: {}, body: { error: 'claim_refused', message: error.message } }
    default:
      return {
        ...UNAUTHENTICATED,
        headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
        body: { error: 'unauthenticated', message: 'the token is not valid' },
      }
  }
}
