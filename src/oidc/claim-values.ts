// The values of a claim that gives access, among the claims of an identity provider about a user. They are a text or a
// list of texts, or the user is refused: a user whose claim was left out, is kept elsewhere, or has another form is not
// known to be in no group.
import { ZerohopError } from '../model/errors.ts'

/** Claims of a token, or of a user info. */
export type UserClaims = Readonly<Record<string, unknown>>

/** The name of a claim, or the way to one inside of others: `['realm_access', 'roles']`. */
export type ClaimPath = string | readonly [string, ...string[]]

/**
 * The values of the claim; undefined when it is missing, and not kept elsewhere either. An empty list is not missing.
 * @throws CLAIM_REFUSED
 */
export function listClaimValues(claim: ClaimPath, claims: UserClaims): readonly string[] | undefined {
  const path = typeof claim === 'string' ? ([claim] as const) : claim
  if (isElsewhere(path[0], claims)) throw claimRefused(claim, ELSEWHERE)
  let value: unknown = claims
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw claimRefused(claim, NO_LIST)
    if (!Object.hasOwn(value, name)) return undefined
    value = (value as UserClaims)[name]
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!values.every((one) => typeof one === 'string' && one !== '')) throw claimRefused(claim, NO_LIST)
  return values as readonly string[]
}

export const claimRefused = (claim: ClaimPath, reason: string): ZerohopError =>
  new ZerohopError('CLAIM_REFUSED', { claim: typeof claim === 'string' ? claim : claim.join('.'), reason })

const NO_LIST = 'it is neither a text nor a list of texts'
const ELSEWHERE =
  'it has too many to send, and says where they are instead (`_claim_names` or `hasgroups`): let it send only groups that are assigned to the application, or use a claim of roles'

/**
 * True for an aggregated or distributed claim (OpenID Connect Core 5.6.2), and for Entra's mark that the groups are left
 * out, even if some values are there.
 */
function isElsewhere(claim: string, { _claim_names: names, hasgroups }: UserClaims): boolean {
  if (claim === 'groups' && hasgroups !== undefined && hasgroups !== false) return true
  return typeof names === 'object' && names !== null && Object.hasOwn(names, claim)
}
