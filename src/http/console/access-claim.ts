// The values of the claim that gives access, in what an identity provider says of a user. They are there as a text or a
// list of texts, or the user is refused: `*` is for users of none of the other rules, and nobody is known to be one
// whose claim was left out, is kept elsewhere, or has another form.
import { ZerohopError } from '../../model/errors.ts'

/** Claims of an ID token, or of a user info. */
export type SaidClaims = Readonly<Record<string, unknown>>

/**
 * The values of the claim; undefined when it is not there, nor said to be elsewhere. An empty list is there.
 * @throws CLAIM_REFUSED
 */
export function listClaimValues(claim: string, said: SaidClaims): readonly string[] | undefined {
  if (isElsewhere(claim, said)) throw claimRefused(claim, ELSEWHERE)
  if (!Object.hasOwn(said, claim)) return undefined
  const value = said[claim]
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
function isElsewhere(claim: string, { _claim_names: names, hasgroups }: SaidClaims): boolean {
  if (claim === 'groups' && hasgroups !== undefined && hasgroups !== false) return true
  return typeof names === 'object' && names !== null && Object.hasOwn(names, claim)
}
