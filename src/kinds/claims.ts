// Who says that a fact is so (docs/claims.md): each writer has a claim of its own on a fact, which it alone changes and
// removes. The fact is there, and in force, while one claim is. A fact without the member `claims` has the claim of `hand`
// alone, with the times of the fact: so it was stored before there were claims, and so it still is.
import { isEnded, projectTimes, type StoredTimes, type TimesPolicy } from './times.ts'

/** The claim of everyone who writes by the API, the console or the command line. */
export const HAND = 'hand'
/** The claim of a directory and of its rules for groups. Every other name is that of a sync. */
export const DIRECTORY = 'directory'

export interface Claim extends TimesPolicy {
  readonly by: string
  /** of a user, tenant or instance: the fields that the writer sets, in the order of their texts; never of `hand` */
  readonly fields?: readonly string[]
}

/** The part of a stored object that says by whom it is there. */
export interface Claimed {
  /** in the order of their names, each name once; absent where `hand` alone has one */
  readonly claims?: readonly Claim[]
}

/** Names of a fact in the order in which facts are walked. */
const IDENTITIES = {
  user: ({ key }: { readonly key: string }) => [key],
  tenant: ({ key }: { readonly key: string }) => [key],
  resource_instance: ({ resource, instance }: { readonly resource: string; readonly instance: string }) => [
    resource,
    instance,
  ],
  membership: ({ user, tenant }: { readonly user: string; readonly tenant: string }) => [user, tenant],
  role_assignment: (of: {
    readonly user: string
    readonly role: string
    readonly tenant: string
    readonly resource_instance: string | null
  }) => [of.user, of.role, of.tenant, of.resource_instance ?? ''],
  relationship_tuple: (of: { readonly subject: string; readonly relation: string; readonly object: string }) => [
    of.subject,
    of.relation,
    of.object,
  ],
  set_rule: (of: { readonly user_set: string; readonly permission: string; readonly resource_set: string }) => [
    of.user_set,
    of.permission,
    of.resource_set,
  ],
} as const

export type ClaimedKind = keyof typeof IDENTITIES
export type IdentityOf<K extends ClaimedKind> = Parameters<(typeof IDENTITIES)[K]>[0]

/** What others refer to first: in this order facts are written, and in the other one deleted. */
export const CLAIMED_KINDS: readonly ClaimedKind[] = [
  'user',
  'tenant',
  'resource_instance',
  'membership',
  'role_assignment',
  'relationship_tuple',
  'set_rule',
]
export const isClaimedKind = (kind: string): kind is ClaimedKind => Object.hasOwn(IDENTITIES, kind)

/** The names of a fact, the first one first: facts are compared name by name, as UTF-8 bytes. */
export const readIdentity = <K extends ClaimedKind>(kind: K, fact: IdentityOf<K>): readonly string[] =>
  (IDENTITIES[kind] as (fact: IdentityOf<K>) => readonly string[])(fact)

const byParts =
  (least: number, most = least) =>
  (key: string) => {
    const names = key.split('/')
    return names.length < least || names.length > most ? undefined : [...names, ...Array(most - names.length).fill('')]
  }
const NAMES_OF_KEY: { readonly [K in ClaimedKind]: (key: string) => readonly string[] | undefined } = {
  user: byParts(1),
  tenant: byParts(1),
  resource_instance: (key) => (key.split(':').length === 2 ? key.split(':') : undefined),
  membership: (key) => byParts(2)(key)?.toReversed(),
  role_assignment: byParts(3, 4),
  relationship_tuple: byParts(3),
  set_rule: byParts(3),
}

/** The names of the fact that has or had the key; undefined for what is the key of no fact of the kind. */
export function readNames(kind: ClaimedKind, key: string): readonly string[] | undefined {
  // what stands between names in an index is in none
  return /^[!-~]+$/.test(key) ? NAMES_OF_KEY[kind](key) : undefined
}

/** Stands between the parts of a value: below every character of a key, so that the order is that of the parts. */
export const BETWEEN = '\u0001'

/** The values under which an index lists the claims of others than `hand`: the claim, then the identity. */
export const claimedValues = <K extends ClaimedKind>(kind: K, fact: IdentityOf<K> & Claimed): readonly string[] =>
  fact.claims === undefined
    ? []
    : fact.claims.filter(({ by }) => by !== HAND).map(({ by }) => [by, ...readIdentity(kind, fact)].join(BETWEEN))

/** The index over the claims of each kind. */
export const CLAIM_INDEXES = {
  user: 'users_claimed',
  tenant: 'tenants_claimed',
  resource_instance: 'instances_claimed',
  membership: 'memberships_claimed',
  role_assignment: 'assignments_claimed',
  relationship_tuple: 'tuples_claimed',
  set_rule: 'set_rules_claimed',
} as const satisfies { readonly [K in ClaimedKind]: string }

type AnyFact = Claimed & StoredTimes & { readonly explicit?: boolean }

/** The claims on a fact. A membership that only comes with a role has none. */
export function listClaims(fact: AnyFact): readonly Claim[] {
  if (fact.claims !== undefined) return fact.claims
  return fact.explicit === false ? [] : [{ by: HAND, ...projectTimes(fact) }]
}

export const findClaim = (fact: AnyFact, by: string): Claim | undefined =>
  listClaims(fact).find((claim) => claim.by === by)

/** The names of the claims of others. */
export const listOthers = (fact: AnyFact, by: string): readonly string[] =>
  listClaims(fact).flatMap((claim) => (claim.by === by ? [] : [claim.by]))

const beginning = ({ valid_from: from }: TimesPolicy): number => from ?? Number.NEGATIVE_INFINITY
const end = ({ valid_until: until }: TimesPolicy): number => until ?? Number.POSITIVE_INFINITY

/**
 * When a fact with these claims is in force: the last stretch without a gap. What was before a gap has ended
 * (`areTogether`).
 */
export function unionOfTimes(claims: readonly TimesPolicy[]): TimesPolicy {
  const inOrder = claims.toSorted((left, right) => beginning(left) - beginning(right) || 0)
  let [from, until] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const claim of inOrder) {
    if (beginning(claim) > until) from = beginning(claim)
    until = Math.max(until, end(claim))
  }
  return {
    ...(from === Number.NEGATIVE_INFINITY ? {} : { valid_from: from }),
    ...(until === Number.POSITIVE_INFINITY ? {} : { valid_until: until }),
  }
}

/**
 * Whether those of the claims that have not ended overlap or meet, each with each other one: without a gap between them, also
 * after one of them goes.
 */
export function areTogether(claims: readonly TimesPolicy[], now: number): boolean {
  const left = claims.filter((claim) => !isEnded(claim, now))
  return Math.max(...left.map(beginning)) <= Math.min(...left.map(end))
}
