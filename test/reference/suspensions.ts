// The definition: suspended users (D16). Who is suspended at the instant of the question is denied everything, before any
// other rule is asked, and no listing has anything of them. What they were granted stays.
import type { Policy } from './policy.ts'

/** D16: is the user suspended? The policy is that of an instant (times.ts): a suspension that it still has is in force. */
export function isSuspended(policy: Policy, user: string): boolean {
  return policy.user.get(user)?.suspension !== undefined
}
