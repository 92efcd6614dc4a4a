// Facts as a writer other than `hand` says them (docs/claims.md): many at once, each put or dropped by itself, so that one
// which cannot be is said and holds up nothing else. A writer changes its own claims alone: what others claim stays, and a
// user, tenant or instance on which others' facts hang is not deleted. Nothing here knows where a writer has its facts from.
import { isDeepStrictEqual } from 'node:util'
import {
  BETWEEN,
  CLAIM_INDEXES,
  type Claimed,
  type ClaimedKind,
  findClaim,
  HAND,
  isClaimedKind,
  listOthers,
} from '../../kinds/claims.ts'
import type { Objects } from '../../kinds/index.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { counted } from '../../model/counted.ts'
import { ERRORS, type ErrorClass, type ErrorCode, isZerohopError, ZerohopError } from '../../model/errors.ts'
import type * as t from '../../model/json-schema.ts'
import { requireKey } from '../../model/keys.ts'
import { CLAIM_BLOCKING_MAX, CLAIM_ITEMS_MAX } from '../../model/limits.ts'
import { instanceKey, type Json, type JsonObject } from '../../model/objects.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, StoredView, ValueRange, View } from '../../store/view.ts'
import { afterInstance, afterTenant, afterUser } from '../rules/cascade.ts'
import {
  type ConnectingClaimed,
  claimedBy,
  dropOwnParts,
  isClaimedBy,
  withClaimOn,
  withoutClaimOn,
} from '../rules/claims.ts'
import { create, patch } from '../rules/collection.ts'
import { BODY } from '../rules/fields.ts'
import type { InstanceCreate } from '../schemas/instances.ts'
import type { PLAIN_SCHEMAS } from '../schemas/plain-kinds.ts'
import type { MembershipCreate, RoleAssignmentCreate } from '../schemas/role-assignments.ts'
import type { SetRuleCreate } from '../schemas/set-rules.ts'
import type { TupleCreate } from '../schemas/tuples.ts'
import type { UserCreate } from '../schemas/users.ts'
import { createInstance, requireTenant, updateInstance } from './instances.ts'
import { putMembership, writeAssignment } from './role-assignments.ts'
import { writeSetRule } from './set-rules.ts'
import { tenants } from './tenants.ts'
import { writeTuple } from './tuples.ts'
import { users } from './users.ts'

/** What a writer may say of each kind: the bodies of the API. */
interface ItemOf {
  user: Omit<UserCreate, 'role_assignments'>
  tenant: t.Static<(typeof PLAIN_SCHEMAS)['tenant']['create']>
  resource_instance: InstanceCreate
  membership: MembershipCreate
  role_assignment: RoleAssignmentCreate
  relationship_tuple: TupleCreate
  set_rule: SetRuleCreate
}

export type ClaimPut = {
  readonly [K in ClaimedKind]: { readonly op: 'put'; readonly kind: K; readonly item: ItemOf[K] }
}[ClaimedKind]
export interface ClaimDrop {
  readonly op: 'drop'
  readonly kind: ClaimedKind
  /** of the stored fact */
  readonly key: string
  /** of a user, tenant or instance: it stays, as `hand`'s where nobody else claims it */
  readonly keep?: boolean
}
export type ClaimItem = ClaimPut | ClaimDrop

export interface ClaimWrite {
  /** name of the writer; never `hand` */
  readonly claim: string
  /** in the order in which they are carried out, each on the result of the earlier ones */
  readonly items: readonly ClaimItem[]
  /** what history says */
  readonly summary?: string
}

/**
 * - `created`, `changed`, `same`: of what was put, whether the writer claimed it before.
 * - `deleted`: dropped, and nobody else claims it; `kept`: dropped, and there by the claim of another.
 * - `missing`: dropped, and the writer had no claim on it.
 * - `blocked`: put and refused; or dropped, and not deleted because of what others claim that hangs on it.
 */
export type ClaimOutcome = 'created' | 'changed' | 'same' | 'deleted' | 'kept' | 'missing' | 'blocked'
const OUTCOMES: readonly ClaimOutcome[] = ['created', 'changed', 'same', 'deleted', 'kept', 'missing', 'blocked']

export interface BlockingFact {
  readonly kind: string
  readonly key: string
  readonly claims: readonly string[]
}
export interface ClaimReport {
  readonly kind: ClaimedKind
  /** null of what was refused and cannot be named */
  readonly key: string | null
  readonly outcome: ClaimOutcome
  readonly code?: ErrorCode
  readonly reason?: string
  /** the first of them */
  readonly blocking?: readonly BlockingFact[]
  readonly blocking_total?: number
}
export interface ClaimsWritten {
  readonly items: readonly ClaimReport[]
  readonly counts: Readonly<Record<ClaimOutcome, number>>
}

/** @throws KEY_INVALID, KEY_TOO_LONG, KEY_RESERVED for `hand` */
export function requireClaimName(claim: string, path: readonly (string | number)[] = [...BODY, 'claim']): string {
  if (claim === HAND) throw new ZerohopError('KEY_RESERVED', { kind: 'claim', key: claim }, { path })
  return requireKey('claim', claim, path)
}

/**
 * Puts and drops the claim on many facts; an item that is refused holds up no other one.
 * @throws KEY_INVALID, KEY_RESERVED for the name of the claim, LIMIT_EXCEEDED for too many items
 */
export function writeClaims(
  view: View,
  { claim: name, items, summary }: ClaimWrite,
  mint: Mint,
): Decided<ClaimsWritten> {
  const claim = requireClaimName(name)
  if (items.length > CLAIM_ITEMS_MAX) {
    const details = { what: 'the facts of one write of claims', limit: CLAIM_ITEMS_MAX }
    throw new ZerohopError('LIMIT_EXCEEDED', details, { path: [...BODY, 'items'] })
  }
  const draft = new Draft(view)
  const reports = items.map((item) => settle(draft, item, claim, mint))
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<ClaimOutcome, number>
  for (const { outcome } of reports) counts[outcome]++
  const shown = OUTCOMES.filter((outcome) => counts[outcome] > 0 && outcome !== 'same' && outcome !== 'missing')
  const words = shown.map((outcome) => `${counts[outcome].toLocaleString('en-US')} ${outcome}`).join(', ')
  return {
    changes: draft.changes(),
    summary: summary ?? `claim ${claim}: ${words === '' ? counted(items.length, 'fact') : words}`,
    result: { items: reports, counts },
  }
}

/** What is wrong with an item, and not with the data or the program. */
const OF_ITEMS: ReadonlySet<ErrorClass> = new Set<ErrorClass>(['invalid', 'rejected', 'missing', 'conflict'])

function settle(draft: Draft, item: ClaimItem, claim: string, mint: Mint): ClaimReport {
  const { kind } = item
  try {
    if (item.op === 'drop') return drop(draft, item, claim, mint)
    const { key, changes } = makePut(draft, item, claim, mint)
    const before = draft.get(kind, key)
    const outcome = before === undefined || !isClaimedBy(before, claim) ? 'created' : 'changed'
    draft.stage(changes)
    return { kind, key, outcome: changes.length === 0 ? 'same' : outcome }
  } catch (error) {
    if (!isZerohopError(error) || !OF_ITEMS.has(ERRORS[error.code].class)) throw error
    const key = item.op === 'drop' ? item.key : null
    return { kind, key, outcome: 'blocked', code: error.code, reason: error.message }
  }
}

interface Putting {
  readonly key: string
  readonly changes: readonly Change[]
}

function makePut(draft: Draft, { kind, item }: ClaimPut, claim: string, mint: Mint): Putting {
  switch (kind) {
    case 'user':
    case 'tenant':
    case 'resource_instance':
      return putObject(draft, kind, item as never, claim, mint)
    case 'membership': {
      const { changes, result } = putMembership(draft, item, mint, claim)
      return { key: result.object.key, changes }
    }
    case 'role_assignment': {
      const { changes, result } = writeAssignment(draft, wholeTimes(item), mint, 'put', claim)
      return { key: result.object.assignment.key, changes }
    }
    case 'relationship_tuple': {
      const { changes, result } = writeTuple(draft, wholeTimes(item), mint, 'put', claim)
      return { key: result.object.tuple.key, changes }
    }
    case 'set_rule': {
      const { changes, result } = writeSetRule(draft, item, mint, claim)
      return { key: result.object.key, changes }
    }
    default:
      return kind satisfies never
  }
}

/** A claim has the times that are said: what is not said is unbounded. */
const wholeTimes = <T extends { readonly valid_from?: unknown; readonly valid_until?: unknown }>(item: T): T => ({
  ...item,
  valid_from: item.valid_from ?? null,
  valid_until: item.valid_until ?? null,
})

/** Kinds on which others hang: their fields are changed one by one. */
type ObjectKind = Exclude<ClaimedKind, ConnectingClaimed>

interface ObjectRules<K extends ObjectKind> {
  readonly keyOf: (view: View, item: ItemOf[K]) => string
  readonly create: (view: View, item: ItemOf[K], mint: Mint) => Objects[K]
  readonly update: (view: View, stored: Objects[K], item: ItemOf[K], mint: Mint) => Objects[K]
  readonly removed: (view: View, key: string) => Change[]
}
const OBJECTS: { readonly [K in ObjectKind]: ObjectRules<K> } = {
  user: {
    keyOf: (_view, { key }) => key,
    create: (view, item, mint) => create(users, view, item, mint).result,
    update: (view, { id }, { key: _, ...fields }, mint) => patch(users, view, { ref: id, fields }, mint).result,
    removed: afterUser,
  },
  tenant: {
    keyOf: (_view, { key }) => key,
    create: (view, item, mint) => create(tenants, view, item, mint).result,
    update: (view, { id }, { key: _, ...fields }, mint) => patch(tenants, view, { ref: id, fields }, mint).result,
    removed: afterTenant,
  },
  resource_instance: {
    keyOf: (view, { resource, key }) => instanceKey(view.require('resource', resource, [...BODY, 'resource']).key, key),
    create: (view, item, mint) => createInstance(view, item, mint).result,
    update: (view, stored, { key: _key, resource: _resource, tenant, ...fields }, mint) => {
      requireTenant(view, stored, tenant)
      return updateInstance(view, { ref: stored.id, fields }, mint).result
    },
    removed: afterInstance,
  },
}
const isObjectKind = (kind: ClaimedKind): kind is ObjectKind => Object.hasOwn(OBJECTS, kind)

function putObject<K extends ObjectKind>(draft: Draft, kind: K, item: ItemOf[K], claim: string, mint: Mint): Putting {
  const rules: ObjectRules<K> = OBJECTS[kind]
  const key = rules.keyOf(draft, item)
  const stored: Objects[K] | undefined = draft.get<K>(kind, key)
  const fields = listFields(item)
  if (stored === undefined) {
    const made = rules.create(draft, withAttributes(item, {}), mint)
    return { key, changes: [put(kind, claimedBy(made as Claimed, claim, fields) as unknown as Objects[K])] }
  }
  const { attributes } = stored as { readonly attributes?: JsonObject | null }
  const updated = rules.update(draft, stored, withAttributes(item, attributes ?? {}), mint)
  const claimed = withClaimOn(updated as Claimed, claim, fields)
  if (isDeepStrictEqual({ ...claimed }, { ...stored })) return { key, changes: [] }
  return { key, changes: [put(kind, { ...claimed, updated_at: mint.now } as unknown as Objects[K])] }
}

/** The fields that an item names, an attribute by its name. */
function listFields(item: object): string[] {
  const names = Object.entries(item).flatMap(([name, value]) => {
    if (name === 'key' || name === 'resource' || name === 'tenant' || value === undefined) return []
    return name === 'attributes' ? Object.keys((value ?? {}) as object).map((one) => `attributes.${one}`) : [name]
  })
  return names.sort()
}

/** The item, whose attributes are the stored ones with those that it names; null takes one away. */
function withAttributes<T extends object>(item: T, stored: JsonObject): T {
  const { attributes } = item as { readonly attributes?: JsonObject | null }
  if (attributes === undefined || attributes === null) {
    const { attributes: _, ...rest } = item as { attributes?: unknown }
    return rest as T
  }
  const all: { [name: string]: Json } = { ...stored, ...attributes }
  for (const [name, value] of Object.entries(attributes)) if (value === null) delete all[name]
  return { ...item, attributes: all }
}

function drop(draft: Draft, { kind, key, keep = false }: ClaimDrop, claim: string, mint: Mint): ClaimReport {
  const stored = draft.get(kind, key)
  if (stored === undefined || !isClaimedBy(stored, claim)) return { kind, key, outcome: 'missing' }
  if (isObjectKind(kind)) return dropObject(draft, kind, stored as Objects[ObjectKind], claim, keep, mint)
  draft.stage(dropOwnParts(kind, draft, [stored as Objects[typeof kind]], claim, mint).changes)
  return { kind, key, outcome: listOthers(stored, claim).length === 0 ? 'deleted' : 'kept' }
}

function dropObject<K extends ObjectKind>(
  draft: Draft,
  kind: K,
  stored: Objects[K],
  claim: string,
  keep: boolean,
  mint: Mint,
): ClaimReport {
  const { key } = stored
  const leave = () => {
    const left = { ...withoutClaimOn(stored as Claimed, claim), updated_at: mint.now }
    draft.stage([put(kind, left as unknown as Objects[K])])
  }
  if (keep || listOthers(stored as Claimed, claim).length > 0) {
    leave()
    return { kind, key, outcome: 'kept' }
  }
  const removed = OBJECTS[kind].removed(draft, key)
  const blocking = removed.flatMap((change) => findBlocking(draft, change, claim))
  if (/* canary: cascade-over-other-claims */ blocking.length > 0) {
    leave()
    const shown = blocking.slice(0, CLAIM_BLOCKING_MAX)
    return { kind, key, outcome: 'blocked', blocking: shown, blocking_total: blocking.length }
  }
  draft.stage([...removed, remove(kind, key)])
  return { kind, key, outcome: 'deleted' }
}

/** What others claim of what would go along. What is of no claimed kind was made by hand. */
function findBlocking(view: View, { op, kind, key }: Change, claim: string): BlockingFact[] {
  if (op !== 'delete') return []
  if (!isClaimedKind(kind)) return [{ kind, key, claims: [HAND] }]
  const stored = view.get(kind, key)
  const claims = stored === undefined ? [] : listOthers(stored, claim)
  return claims.length === 0 ? [] : [{ kind, key, claims }]
}

/** The part of an index that lists the facts of a kind which a writer claims, behind those names. */
export function claimedRange(kind: ClaimedKind, claim: string, after?: readonly string[]): ValueRange {
  const from = after === undefined ? `${claim}${BETWEEN}` : `${[claim, ...after].join(BETWEEN)}\0`
  return { index: CLAIM_INDEXES[kind], from, to: `${claim}\u0002` }
}

/** The facts of a kind that a writer other than `hand` claims, in the order of their names. */
export function* factsOfClaim<K extends ClaimedKind>(
  view: StoredView,
  kind: K,
  claim: string,
  { after, limit }: { readonly after?: readonly string[]; readonly limit?: number } = {},
): Iterable<Objects[K]> {
  const places = view.placesUnder(claimedRange(kind, claim, after), limit === undefined ? {} : { limit })
  for (const place of places) {
    const fact = view.at(kind, place)
    if (fact === undefined || findClaim(fact, claim) === undefined) throw new ZerohopError('INTERNAL')
    yield fact
  }
}

/** How many facts of a kind a writer other than `hand` claims, up to a limit. */
export const countClaimed = (view: StoredView, kind: ClaimedKind, claim: string, limit?: number): number =>
  view.countUnder(claimedRange(kind, claim), limit)
