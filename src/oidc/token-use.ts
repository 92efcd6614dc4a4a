// What a token is for. ID tokens and access tokens of one provider have one form and often one audience, and a token that
// holds as the other one is a way in: so each must have nothing that marks it as the other.
import type { JsonObject } from '../model/objects.ts'

/** `id` tells a client who signed in, `access` authorizes calls of an API. */
export type TokenUse = 'id' | 'access'

/**
 * Whose claims tokens have. `cognito`: `token_use`, and `client_id` in place of an audience of access tokens. `oidc`: as
 * OpenID Connect Core and RFC 9068 have them.
 */
export const CLAIM_FORMS = ['cognito', 'oidc'] as const
export type ClaimForm = (typeof CLAIM_FORMS)[number]

/** Why claims of a token that was verified do not hold for this use; undefined where they do. */
export function findMisuse(
  form: ClaimForm,
  use: TokenUse,
  audience: string,
  { header, claims }: { readonly header: Readonly<Record<string, unknown>>; readonly claims: JsonObject },
): string | undefined {
  if (form === 'cognito') return findCognitoMisuse(use, audience, claims)
  const isMarkedAccess = ACCESS_TYPES.has(String(header.typ).toLowerCase())
  if (use === 'id' && (isMarkedAccess || ['scope', 'scp'].some((name) => Object.hasOwn(claims, name))))
    return 'it is an access token'
  // Keycloak says in `typ` what a token is, and Cognito in `token_use`; events are what a logout token has
  const own = use === 'id' ? 'ID' : 'Bearer'
  if (Object.hasOwn(claims, 'typ') && claims.typ !== own) return `it has the \`typ\` ${shown(claims.typ)}`
  if (Object.hasOwn(claims, 'token_use') && claims.token_use !== use) return 'it is for another use (`token_use`)'
  // RFC 9449 and 8705: who sends it would have to prove that they hold a key
  if (Object.hasOwn(claims, 'cnf')) return 'it is bound to a key (`cnf`)'
  if (Object.hasOwn(claims, 'events')) return 'it is about an event (`events`)'
  const isAccess = isMarkedAccess || claims.typ === 'Bearer'
  if (use === 'access' && !isAccess && ['nonce', 'at_hash', 'c_hash'].some((name) => Object.hasOwn(claims, name)))
    return 'it is an ID token'
  const audiences: readonly unknown[] = [claims.aud].flat()
  if (!audiences.includes(audience)) return 'it is for another audience'
  // Core 3.1.3.7: an ID token for several clients says which of them asked for it
  const isOthers = claims.azp === undefined ? audiences.length > 1 : claims.azp !== audience
  return use === 'id' && isOthers ? 'another client asked for it (`azp`)' : undefined
}

function findCognitoMisuse(use: TokenUse, audience: string, claims: JsonObject): string | undefined {
  if (claims.token_use !== use) return 'it is for another use (`token_use`)'
  const clients: readonly unknown[] = use === 'access' ? [claims.client_id] : [claims.aud].flat()
  return clients.includes(audience) ? undefined : 'it is for another client'
}

/** RFC 9068, 2.1 */
const ACCESS_TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt'])

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 40) ?? ''
