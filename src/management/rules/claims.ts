// What a write makes of the claims on a fact (docs/claims.md): each writer sees and writes its own part of the fact, as if
// there were no other one, and what is stored has all parts.

import { isDeepStrictEqual } from 'node:util'
import {
  areTogether,
  type Claim,
  type Claimed,
  type ClaimedKind,
  findClaim,
  HAND,
  isClaimedKind,
  listClaims,
  listOthers,
  unionOfTimes,
} from '../../kinds/claims.ts'
import type { KindName, Objects } from '../../kinds/index.ts'
import { noteFields } from '../../kinds/role-assignment.ts'
import { projectTimes, type StoredTimes, timeFields } from '../../kinds/times.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { counted, plural } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import { CLAIMS_PER_FACT_MAX } from '../../model/limits.ts'
import type { Stored } from '../../model/objects.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { membershipAfter, withoutAssignments } from './cascade.ts'
import { BODY } from './fields.ts'

/** Facts that are found by what they connect: what a writer has of one is its own. */
export type ConnectingClaimed = 'role_assignment' | 'relationship_tuple' | 'membership' | 'set_rule'

type Clock = Pick<Mint, 'now'>
type AnyFact = Claimed & StoredTimes & { readonly explicit?: boolean }

/** What is of `hand` alone beside its times. */
const OF_HAND = [...Object.keys(noteFields), 'origin']
const TIMES = Object.keys(timeFields)

const omit = (object: object, names: readonly string[]): object => {
  const rest: { [name: string]: unknown } = { ...object }
  for (const name of names) delete rest[name]
  return rest
}

/** The fact as the writer has it, as if there were no other claim; undefined where it has none. */
export function ownPart<T extends AnyFact>(stored: T | undefined, by: string): T | undefined {
  const claim = stored === undefined ? undefined : findClaim(stored, by)
  if (stored === undefined || claim === undefined) return undefined
  if (stored.claims === undefined) return stored
  const bare = omit(stored, ['claims', ...TIMES, ...(by === HAND ? [] : OF_HAND)])
  return { ...bare, ...projectTimes(claim) } as T
}

/** Whether the writer has a claim on what is there. */
export const isClaimedBy = (stored: AnyFact, by: string): boolean => findClaim(stored, by) !== undefined

/** A fact with these claims, at least one. That of `hand` alone is not written down. */
function withClaims<T extends AnyFact>(fact: T, claims: readonly Claim[], isTimed: boolean): T {
  const times = isTimed ? /* canary: union-of-claims */ unionOfTimes(claims) : {}
  const bare = omit(fact, ['claims', ...(isTimed ? TIMES : [])])
  if (claims.every(({ by }) => by === HAND)) return { ...bare, ...times } as unknown as T
  return { ...bare, ...times, claims: claims.toSorted((left, right) => (left.by < right.by ? -1 : 1)) } as unknown as T
}

/**
 * The stored fact in which the part of the writer is `own`. Id and times of the object stay those of what is there.
 * @throws LIMIT_EXCEEDED for too many claims, CLAIM_TIMES_APART where a gap would be between them
 */
export function withOwnPart<T extends AnyFact>(
  kind: ClaimedKind,
  stored: T | undefined,
  own: T,
  by: string,
  { now }: Clock,
): T {
  const others = stored === undefined ? [] : listClaims(stored).filter((claim) => claim.by !== by)
  if (others.length === 0 && by === HAND) return own
  if (others.length >= CLAIMS_PER_FACT_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the claims on one fact', limit: CLAIMS_PER_FACT_MAX })
  const claims = [...others, { by, ...projectTimes(own) }]
  if (/* canary: claims-apart */ !areTogether(claims, now)) {
    const names = others.map((claim) => `\`${claim.by}\``).join(', ')
    throw new ZerohopError('CLAIM_TIMES_APART', { kind, others: names }, { path: [...BODY, 'valid_from'] })
  }
  const { id, created_at } = (stored ?? own) as unknown as Objects['role_assignment']
  // what is of `hand` stays where another writes; a membership that came with a role stays without the role from now on
  const lasting = own.explicit === undefined ? {} : { explicit: own.explicit }
  const base = by === HAND || stored === undefined ? own : { ...stored, ...lasting, updated_at: now }
  return withClaims({ ...base, id, created_at } as T, claims, true)
}

/** The fact without the claim of the writer; undefined where nothing else claims it. */
function withoutOwnPart<T extends AnyFact>(stored: T, by: string, { now }: Clock): T | undefined {
  const others = listClaims(stored).filter((claim) => claim.by !== by)
  if (/* canary: takes-the-claims-of-others */ others.length === 0) return undefined
  const bare = { ...omit(stored, by === HAND ? OF_HAND : []), updated_at: now } as unknown as T
  return withClaims(bare, others, true)
}

/** The same changes, in which what the writer puts of a fact is its part of what is there. */
export function asOwnPart<K extends ConnectingClaimed>(
  kind: K,
  view: View,
  changes: readonly Change[],
  by: string,
  clock: Clock,
): Change[] {
  return changes.map((change) => {
    if (change.op !== 'put' || change.kind !== kind) return change
    const stored = view.get(kind, change.key) as AnyFact | undefined
    return put(kind, withOwnPart(kind, stored, change.value as AnyFact, by, clock) as Objects[K])
  })
}

/** The object that the changes put. */
export function findPut<K extends ConnectingClaimed>(
  kind: K,
  changes: readonly Change[],
  key: string,
): Objects[K] | undefined {
  const change = changes.find((one) => one.op === 'put' && one.kind === kind && one.key === key)
  return change?.op === 'put' ? (change.value as Objects[K]) : undefined
}

/**
 * A user, tenant or instance with the claim of a writer, who sets these fields.
 * @throws LIMIT_EXCEEDED for too many claims
 */
export function withClaimOn<T extends AnyFact>(object: T, by: string, fields: readonly string[]): T {
  const others = listClaims(object).filter((claim) => claim.by !== by)
  if (others.length >= CLAIMS_PER_FACT_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the claims on one fact', limit: CLAIMS_PER_FACT_MAX })
  return withClaims(object, [...others, { by, ...(fields.length === 0 ? {} : { fields }) }], false)
}

/** The same as it is made: no other claims it. */
export const claimedBy = <T extends AnyFact>(object: T, by: string, fields: readonly string[]): T =>
  by === HAND ? object : ({ ...object, claims: [{ by, ...(fields.length === 0 ? {} : { fields }) }] } as T)

/** A user, tenant or instance without the claim. Where none is left it is of `hand`, who may delete it. */
export const withoutClaimOn = <T extends AnyFact>(object: T, by: string): T => {
  const others = listClaims(object).filter((claim) => claim.by !== by)
  return withClaims(object, others.length === 0 ? [{ by: HAND }] : others, false)
}

/** The object with the claim of `hand`, where others claim it. @throws LIMIT_EXCEEDED for too many claims */
export const madeByHand = <T extends object>(object: T): T =>
  (object as Claimed).claims === undefined || isClaimedBy(object, HAND) ? object : withClaimOn(object, HAND, [])

/** Says which fields that other writers set a write by hand changed: they set them again when they write the object. */
export function warnOfFieldsOfOthers(
  kind: KindName,
  before: Stored & Claimed,
  after: object,
): Pick<Decided<null>, 'warnings'> {
  const warnings = (before.claims ?? []).flatMap(({ by, fields = [] }) => {
    const changed = fields.filter((field) => !isDeepStrictEqual(findField(before, field), findField(after, field)))
    if (changed.length === 0) return []
    const names = changed.map((field) => `\`${field}\``).join(', ')
    const what = `${names} of ${kind.replaceAll('_', ' ')} \`${before.key}\` ${plural(changed.length, 'comes', 'come')}`
    return [`${what} from \`${by}\`, which writes it again with the next change of its own`]
  })
  return warnings.length === 0 ? {} : { warnings }
}

/** The value of a field as claims name it: `attributes.level` is an attribute. */
function findField(object: object, field: string): unknown {
  const { attributes } = object as { readonly attributes?: object | null }
  const [from, name] = field.startsWith('attributes.')
    ? [attributes ?? {}, field.slice('attributes.'.length)]
    : [object, field]
  return (from as { readonly [name: string]: unknown })[name] ?? null
}

/** What of a stored object a write of its fields keeps. */
export const claimsIn = (object: object): Claimed => {
  const { claims } = object as Claimed
  return claims === undefined ? {} : { claims }
}

export interface Removal {
  readonly changes: Change[]
  /** what stays, because others claim it too */
  readonly kept: readonly { readonly kind: KindName; readonly key: string; readonly by: readonly string[] }[]
  /** what the writer has no claim on */
  readonly foreign: Removal['kept']
}

/** Takes the claim of a writer from facts; what nothing else claims goes, with what only comes with it. */
export function dropOwnParts<K extends ConnectingClaimed>(
  kind: K,
  view: View,
  facts: Iterable<Objects[K]>,
  by: string,
  clock: Clock,
): Removal {
  const gone: Objects[K][] = []
  const changes: Change[] = []
  const kept: Removal['kept'][number][] = []
  const foreign: Removal['kept'][number][] = []
  for (const fact of facts) {
    const others = listOthers(fact, by)
    const named = { kind, key: fact.key, by: others }
    if (!isClaimedBy(fact, by)) {
      if (others.length > 0) foreign.push(named)
      continue
    }
    const left = withoutOwnPart(fact as AnyFact, by, clock) as Objects[K] | undefined
    if (left === undefined) gone.push(fact)
    else {
      changes.push(put(kind, left))
      kept.push(named)
    }
  }
  return { changes: [...changes, ...removeWhole(kind, view, gone, clock)], kept, foreign }
}

function removeWhole<K extends ConnectingClaimed>(
  kind: K,
  view: View,
  gone: readonly Objects[K][],
  clock: Clock,
): Change[] {
  if (kind === 'role_assignment') return withoutAssignments(view, gone as readonly Objects['role_assignment'][])
  if (kind !== 'membership') return gone.map(({ key }) => remove(kind, key))
  return (gone as readonly Objects['membership'][]).flatMap((membership) =>
    membershipAfter(view, membership, clock.now),
  )
}

/**
 * The same for one fact that a writer names. What stays is said as a warning.
 * @throws CLAIMED_BY_OTHERS where the writer has no claim on it
 */
export function removeOwnPart<K extends ConnectingClaimed>(
  kind: K,
  view: View,
  fact: Objects[K],
  clock: Clock,
  by: string = HAND,
): Pick<Decided<null>, 'changes' | 'warnings'> {
  const { changes, kept, foreign } = dropOwnParts(kind, view, [fact], by, clock)
  const [other] = foreign
  if (other !== undefined) throw claimedByOthers(other.kind, other.key, other.by)
  return { changes, ...warnOfKept(kept) }
}

export function claimedByOthers(kind: KindName, key: string, by: readonly string[]): ZerohopError {
  const others = by.map((name) => `\`${name}\``).join(', ')
  return new ZerohopError('CLAIMED_BY_OTHERS', { kind, key, others, claims: by.join(' ') })
}

/** Says what is still there after it was removed by hand. */
export function warnOfKept(kept: Removal['kept']): Pick<Decided<null>, 'warnings'> {
  const [first, ...others] = kept
  if (first === undefined) return {}
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'other fact')}`
  const names = first.by.map((name) => `\`${name}\``).join(', ')
  return {
    warnings: [
      `${first.kind.replaceAll('_', ' ')} \`${first.key}\`${more} is still there: claimed by ${names}, which also says so`,
    ],
  }
}

/** What of the claims on a user, tenant or instance remains when it is deleted by hand. */
export function keepForOthers<K extends KindName>(
  kind: K,
  object: Objects[K],
  { now }: Clock,
): Decided<null> | undefined {
  if (!isClaimedKind(kind)) return undefined
  const others = listOthers(object as Claimed, HAND)
  if (others.length === 0) return undefined
  if (!isClaimedBy(object as Claimed, HAND)) throw claimedByOthers(kind, object.key, others)
  const left = { ...withoutClaimOn(object as Claimed, HAND), updated_at: now } as unknown as Objects[K]
  return {
    changes: [put(kind, left)],
    ...warnOfKept([{ kind, key: object.key, by: others }]),
    result: null,
    status: 204,
  }
}
