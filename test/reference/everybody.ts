// The definition: what is assigned to everybody (D16). It counts for each user of a question, stored or not, and for nobody signed
// in, whom a question names by the same sign. Nothing is stored of it but the roles.
import { EVERYBODY } from '../../src/model/keys.ts'
import type { Policy } from './policy.ts'

export { EVERYBODY }

/** D16: whose assignments count for the user. */
export const holdersFor = (user: string): readonly string[] => (user === EVERYBODY ? [EVERYBODY] : [user, EVERYBODY])

/** The policy in which users have what they hold themselves. Itself when nothing is assigned to everybody. */
export function withoutEverybody(policy: Policy): Policy {
  const own = [...policy.role_assignment].filter(([, { user }]) => user !== EVERYBODY)
  return own.length === policy.role_assignment.size ? policy : { ...policy, role_assignment: new Map(own) }
}
