// The claims on a fact in the API: what answers have of them, and what the stream of the facts of a claim is asked.
import { CLAIMED_KINDS, type Claim } from '../../kinds/claims.ts'
import * as t from '../../model/json-schema.ts'
import { printTime } from '../../model/print-time.ts'
import { query, textParameter } from './query-parameters.ts'
import { Time } from './schema-parts.ts'

const ClaimRead = t.named(
  'Claim',
  t.open({
    by: t.described(t.Text, '`hand`, `directory`, or the name of a sync'),
    valid_from: t.optional(Time),
    valid_until: t.optional(Time),
    fields: t.optional(t.described(t.Texts, 'of a user, tenant or instance: the fields that it sets')),
  }),
)

/** What an answer about a fact has of its claims. */
export const claimMembers = {
  claims: t.optional(
    t.described(t.listOf(ClaimRead), 'who says that it is so; absent where only `hand` does (docs/claims.md)'),
  ),
}

/** The member of an answer; nothing where `hand` alone claims the fact. */
export function printClaims({ claims }: { readonly claims?: readonly Claim[] }) {
  if (claims === undefined) return {}
  return {
    claims: claims.map(({ valid_from: from, valid_until: until, ...claim }) => ({
      ...claim,
      ...(from === undefined ? {} : { valid_from: printTime(from) }),
      ...(until === undefined ? {} : { valid_until: printTime(until) }),
    })),
  }
}

export const FactStreamQuery = query({
  kind: textParameter(`one of ${CLAIMED_KINDS.join(', ')}`),
  claim: textParameter('`directory`, or the name of a sync; facts of `hand` are in the lists'),
  after: textParameter('the `key` of a line: only the facts behind it, for a reader who was cut off'),
})
