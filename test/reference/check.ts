// The definition: what one check means. Each rule of docs/semantics.md is named where it stands: roles in tenants (D4)
// in roles.ts, roles on instances (D5) in relations.ts, set rules (D6) in sets.ts. D10: these functions read the policy
// and the request, nothing else; what a policy is at an instant is said in times.ts (D15), by whoever asks. D13: they have
// no limits, so they decide whatever they are asked.
import type { Policy } from './policy.ts'
import { byRelations } from './relations.ts'
import { isKnown, type Request } from './request.ts'
import { byRoles } from './roles.ts'
import { bySets } from './sets.ts'
import { isSuspended } from './suspensions.ts'

export function check(policy: Policy, request: Request): boolean {
  if (!isKnown(policy, request)) return false // D1
  if (isSuspended(policy, request.user)) return false // D16
  return byRoles(policy, request) || byRelations(policy, request) || bySets(policy, request) // D3: any part is enough
}

/** D12: the answers of a bulk are the answers of its checks, in their order. */
export function bulkCheck(policy: Policy, requests: readonly Request[]): boolean[] {
  return requests.map((request) => check(policy, request))
}
