// The values of the claim that gives access, among the claims of an identity provider about a user. They are a text or a
// list of texts, or the user is refused: `*` is for users to whom none of the other rules applies, and a user whose
// claim was left out, is kept elsewhere, or has another form is not known to be one.
import { ZerohopError } from '../../model/errors.ts'

/** Claims of an ID token, or of a user info. */
export type UserClaims = Readonly<Record<string, unknown>>

/**
 * The values of the claim; undefined when it is missing, and not kept elsewhere either. An empty list is not missing.
 * @throws CLAIM_REFUSED
 */
export function listClaimValues(claim: string, claims: UserClaims): readonly string[] | undefined {
  if (isElsewhere(claim, claims)) throw claimRefused(claim, ELSEWHERE)
  if (!Object.hasOwn(claims, claim)) return undefined
  const value = claims[claim]
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!values.every((one) => typeof one === 'string' && one !== ''))
    throw claimRefused(claim, 'it is neither a text nor a list of texts')
  return values as readonly string[]
}

export const claimRefused = (claim: string, reason: string): ZerohopError =>
  new ZerohopError('CLAIM_REFUSED', { claim, reason })

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
