// Syncs: the name of one is bound to one source, and one run at a time holds it by a lease, which each slice renews. A
// slice writes facts with the claim of the sync (claims.ts), in one revision. docs/sync.md.
import type { Sync } from '../../kinds/sync.ts'
import { type Change, put, remove } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { parseId } from '../../model/keys.ts'
import { SYNC_LEASE_MS, SYNC_PROBLEMS_SHOWN, SYNCS_MAX } from '../../model/limits.ts'
import { formatInstant } from '../../model/print-time.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { BODY } from '../rules/fields.ts'
import { requireShape } from '../rules/shape.ts'
import { InstanceCreate } from '../schemas/instances.ts'
import { PLAIN_SCHEMAS } from '../schemas/plain-kinds.ts'
import { MembershipCreate, RoleAssignmentCreate } from '../schemas/role-assignments.ts'
import type { SyncedKind, SyncItem, SyncLeaseRequest, SyncWritten } from '../schemas/syncs.ts'
import { TupleCreate } from '../schemas/tuples.ts'
import { UserCreate } from '../schemas/users.ts'
import { type ClaimItem, type ClaimReport, requireClaimName, writeClaims } from './claims.ts'
import { deleteInstance } from './instances.ts'
import { deleteTenant } from './tenants.ts'
import { deleteUser, suspendUser } from './users.ts'

interface Named {
  /** name of the sync */
  readonly ref: string
}

/**
 * Binds the name to the source where it is new, and gives the sync to the run, or to the same run for longer.
 * @throws KEY_INVALID, KEY_RESERVED, INPUT_INVALID, LIMIT_EXCEEDED; SYNC_OTHER_SOURCE, SYNC_RUNNING
 */
export function leaseSync(
  view: View,
  { ref, source, run, take_over: takesOver }: Named & SyncLeaseRequest,
  mint: Mint,
): Decided<Sync> {
  const key = requireClaimName(ref, ['path', 'sync'])
  requireRandom(source, 'source')
  requireRandom(run, 'run')
  const stored = view.get('sync', key)
  if (stored === undefined && view.count('sync') >= SYNCS_MAX)
    throw new ZerohopError('LIMIT_EXCEEDED', { what: 'the syncs of the environment', limit: SYNCS_MAX }, { path: BODY })
  if (stored !== undefined && stored.source !== source) throw new ZerohopError('SYNC_OTHER_SOURCE', { name: key })
  const held = stored?.lease
  if (held !== undefined && held.run !== run && held.until > mint.now && !takesOver)
    throw new ZerohopError('SYNC_RUNNING', { name: key, until: formatInstant(held.until) })
  const base = stored ?? { id: mint.id(), key, created_at: mint.now, source, runs: 0 }
  const runs = held?.run === run ? base.runs : base.runs + 1
  const leased: Sync = { ...base, updated_at: mint.now, runs, lease: makeLease(run, mint) }
  return { changes: [put('sync', leased)], result: leased }
}

const makeLease = (run: string, { now }: Mint): NonNullable<Sync['lease']> => ({ run, until: now + SYNC_LEASE_MS })

function requireRandom(text: string, name: string): void {
  if (parseId(text) !== text)
    throw new ZerohopError('INPUT_INVALID', { reason: 'expected 32 hex digits' }, { path: [...BODY, name] })
}

/** Ends the lease of the run; nothing changes when it is not the one that holds the sync. @throws OBJECT_NOT_FOUND */
export function releaseSync(view: View, { ref, run }: Named & { readonly run: string }, mint: Mint): Decided<Sync> {
  const stored = view.require('sync', ref)
  if (stored.lease?.run !== run) return { changes: [], result: stored }
  const { lease: _, ...rest } = stored
  const released: Sync = { ...rest, updated_at: mint.now }
  return { changes: [put('sync', released)], result: released }
}

/** Frees the name for another source; its facts stay as they are. @throws OBJECT_NOT_FOUND, SYNC_RUNNING */
export function deleteSync(view: View, { ref }: Named, mint: Mint): Decided<null> {
  const { key, lease } = view.require('sync', ref)
  if (lease !== undefined && lease.until > mint.now)
    throw new ZerohopError('SYNC_RUNNING', { name: key, until: formatInstant(lease.until) })
  return { changes: [remove('sync', key)], status: 204, result: null }
}

export interface SyncSliceWrite extends Named {
  readonly run: string
  readonly items: readonly SyncItem[]
}

/**
 * Writes a slice for the run that holds the sync, and renews its lease.
 * @throws OBJECT_NOT_FOUND, SYNC_LEASE_LOST; INPUT_INVALID, LIMIT_EXCEEDED
 */
export function writeSyncSlice(view: View, { ref, run, items }: SyncSliceWrite, mint: Mint): Decided<SyncWritten> {
  const stored = view.require('sync', ref)
  /* canary: slices-of-the-leaseholder */ if (stored.lease?.run !== run)
    throw new ZerohopError('SYNC_LEASE_LOST', { name: stored.key })
  const { changes, summary, result } = writeItems(view, stored.key, items, mint)
  const renewed: Sync = { ...stored, updated_at: mint.now, lease: makeLease(run, mint) }
  return { changes: [...changes, put('sync', renewed)], ...(summary === undefined ? {} : { summary }), result }
}

/** What the items of a sync come down to: for a plan too, which writes nothing. @throws as writeSyncSlice */
export function writeItems(view: View, claim: string, items: readonly SyncItem[], mint: Mint): Decided<SyncWritten> {
  const draft = new Draft(view)
  const asked = items.map(readItem)
  const { changes, summary, result } = writeClaims(draft, { claim, items: asked }, mint)
  draft.stage(changes)
  const counts: Record<string, number> = { ...result.counts }
  const problems: SyncWritten['problems'][number][] = []
  let refused = 0
  for (const [at, report] of result.items.entries()) {
    if (report.outcome !== 'blocked') continue
    const item = items[at]!
    if (item.op === 'drop' && end(draft, item, report, claim, mint)) {
      counts.blocked!--
      counts.deleted!++
    } else if (refused++ < SYNC_PROBLEMS_SHOWN) problems.push(formatProblem(item, report))
  }
  const all = draft.changes()
  return {
    changes: all,
    ...(summary === undefined ? {} : { summary }),
    result: { counts, removed: countRemoved(all), problems },
  }
}

/** Bodies of the single writes. */
const BODIES = {
  user: UserCreate,
  tenant: PLAIN_SCHEMAS.tenant.create,
  resource_instance: InstanceCreate,
  membership: MembershipCreate,
  relationship_tuple: TupleCreate,
  role_assignment: RoleAssignmentCreate,
} as const satisfies { readonly [K in SyncedKind]: object }

/** @throws INPUT_INVALID */
function readItem({ op, kind, item, key, on_gone: onGone }: SyncItem, at: number): ClaimItem {
  const path = [...BODY, 'items', at]
  const invalid = (reason: string, name: string) =>
    new ZerohopError('INPUT_INVALID', { reason }, { path: [...path, name] })
  if (op === 'drop') {
    if (typeof key !== 'string') throw invalid('field required', 'key')
    if (item) throw invalid('a drop has no item', 'item')
    if (onGone && !isObject(kind)) throw invalid('only users, tenants and instances have it', 'on_gone')
    if (onGone === 'suspend' && kind !== 'user') throw invalid('only users can be suspended', 'on_gone')
    return { op, kind, key }
  }
  if (typeof key === 'string') throw invalid('the item names the fact', 'key')
  if (!item) throw invalid('field required', 'item')
  if (onGone) throw invalid('only a drop has it', 'on_gone')
  requireShape(BODIES[kind], item, [...path, 'item'])
  if ('role_assignments' in item) throw invalid('roles are items of their own', 'item')
  return { op, kind, item } as ClaimItem
}

const isObject = (kind: SyncedKind): boolean => kind === 'user' || kind === 'tenant' || kind === 'resource_instance'

/** What becomes of an object on which others' facts hang. Returns whether it is deleted. */
function end(draft: Draft, item: SyncItem, { key }: ClaimReport, claim: string, mint: Mint): boolean {
  if (key === null || draft.get(item.kind, key) === undefined) return false
  if (item.on_gone === 'suspend' && item.kind === 'user') {
    const suspension = { reason: `it has no row in sync ${claim} any more` }
    draft.stage(suspendUser(draft, { ref: key, suspension }, mint).changes)
  }
  /* canary: only-where-it-says-delete */ if (item.on_gone !== 'delete') return false
  draft.stage(DELETES[item.kind as keyof typeof DELETES](draft, { ref: key }, mint).changes)
  return true
}

const DELETES = { user: deleteUser, tenant: deleteTenant, resource_instance: deleteInstance } as const

function formatProblem(
  { op, item }: SyncItem,
  { kind, key, code, reason, blocking, blocking_total: total }: ClaimReport,
): SyncWritten['problems'][number] {
  return {
    op,
    kind: kind as SyncedKind,
    key: key ?? nameItem(kind as SyncedKind, item ?? {}),
    ...(code === undefined ? {} : { code }),
    ...(reason === undefined ? {} : { reason }),
    ...(blocking === undefined ? {} : { blocking }),
    ...(total === undefined ? {} : { blocking_total: total }),
  }
}

/** The key that the fact of an item would have: what was refused has none. */
function nameItem(kind: SyncedKind, item: object): string {
  const of = item as Readonly<Record<string, string>>
  const names: { readonly [K in SyncedKind]: readonly (string | undefined)[] } = {
    user: [of.key],
    tenant: [of.key],
    resource_instance: [`${of.resource}:${of.key}`],
    membership: [of.tenant, of.user],
    role_assignment: [of.user, of.role, of.tenant, of.resource_instance],
    relationship_tuple: [of.subject, of.relation, of.object],
  }
  return names[kind].filter((name) => name).join('/')
}

function countRemoved(changes: readonly Change[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { op, kind } of changes) if (op === 'delete') counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
