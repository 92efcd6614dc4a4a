// The policy at the instant of a question (D15), for tests whose policies may have no times: those need no instant.
import type { Policy } from '../reference/policy.ts'
import { policyAt } from '../reference/times.ts'

/** Ms since 1970, or undefined for a policy without times. */
export type Instant = number | undefined

/** @throws where a policy with times is asked at no instant */
export function policyIn(policy: Policy, t: Instant): Policy {
  if (t !== undefined) return policyAt(policy, t)
  const { role_assignment, relationship_tuple, user } = policy
  const suspensions = [...user.values()].map(({ suspension = {} }) => suspension)
  for (const { valid_from, valid_until } of [
    ...role_assignment.values(),
    ...relationship_tuple.values(),
    ...suspensions,
  ])
    if (valid_from !== undefined || valid_until !== undefined) throw new Error('a policy with times needs an instant')
  return policy
}
