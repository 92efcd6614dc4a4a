// The facts of a claim as lines of JSON: what a writer compares with its own side. A line has the names of the fact, what is
// stored of it, and of the times those of that claim; the last line says that all were there.
import { type ClaimedKind, findClaim, HAND, listClaims } from '../../kinds/claims.ts'
import { presentFields, printSuspension } from '../../kinds/fields.ts'
import type { Objects } from '../../kinds/index.ts'
import { timeFields } from '../../kinds/times.ts'
import { printTime } from '../../model/print-time.ts'

type Print = { readonly [K in ClaimedKind]: (fact: Objects[K]) => object }

/** What a line has of a fact of each kind, in this order. */
const PRINT: Print = {
  user: ({ email, first_name, last_name, attributes, suspension }) => ({
    ...{ email, first_name, last_name, attributes },
    ...(suspension === undefined ? {} : { suspension: printSuspension(suspension) }),
  }),
  tenant: ({ name, description, attributes }) => ({ name, description, attributes }),
  resource_instance: ({ resource, instance, tenant, attributes }) => ({ resource, instance, tenant, attributes }),
  membership: ({ user, tenant }) => ({ user, tenant }),
  role_assignment: ({ user, role, tenant, resource_instance }) => ({ user, role, tenant, resource_instance }),
  relationship_tuple: ({ subject, relation, object, tenant }) => ({ subject, relation, object, tenant }),
  set_rule: ({ user_set, permission, resource_set }) => ({ user_set, permission, resource_set }),
}

/** The line of a fact, without its end. */
export function printClaimLine<K extends ClaimedKind>(kind: K, fact: Objects[K], by: string): string {
  const print: (fact: Objects[K]) => object = PRINT[kind]
  const { fields, ...claim } = findClaim(fact, by) ?? { by: HAND }
  const times = Object.entries(presentFields(timeFields, claim)).map(([name, at]) => [name, printTime(at as number)])
  return JSON.stringify({
    key: fact.key,
    ...print(fact),
    ...Object.fromEntries(times),
    ...(fields === undefined ? {} : { fields }),
    claims: listClaims(fact).map((one) => one.by),
  })
}

/** The last line: without it the answer was cut off. */
export const printLastLine = (revision: number, rows: number): string =>
  JSON.stringify({ complete: true, revision, rows })
