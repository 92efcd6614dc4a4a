// From a view and a policy file to the changes after which the environment is what the file says, and to what they do
// in the words of the file: first what `moved` renames, then what `prune` deletes, then what the file says. Pure;
// nothing is deleted without `prune`.

import type { KindName } from '../../kinds/index.ts'
import type { Change } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import { FACT_KINDS, type PolicyKind } from '../../model/policy-kinds.ts'
import { Draft } from '../../store/draft.ts'
import type { Mint, View } from '../../store/view.ts'
import { applyPolicy } from '../policy-file/apply-policy.ts'
import { IN_FILES, isConnecting, isPolicyKind } from '../rules/kinds-in-files.ts'
import type { Moved, PolicyFile } from '../schemas/policy-file.ts'
import { type Entry, inOrder, isIdle, listEntries } from './entries.ts'
import { fingerprintAt, remember } from './fingerprints.ts'
import { isEmptyPolicy, type NamedObjects, namedObjects, type Ownership, readOwnership } from './managed.ts'
import { stageMoves } from './moves.ts'
import { prune, requireNothingReplaced } from './prune.ts'

export interface ReconcileOptions {
  /** deletes what the file owns and does not name */
  readonly prune?: boolean
}

/** How many objects of one kind. */
export interface KindCount {
  readonly kind: string
  readonly count: number
}

export interface Reconciled {
  /** what is written, apart from `remembered` */
  readonly changes: readonly Change[]
  readonly entries: readonly Entry[]
  /** facts that deletes take along and that the file does not manage */
  readonly cascade: readonly KindCount[]
  /** facts that moved objects take along */
  readonly carried: readonly KindCount[]
  /** renames that `moved` could say instead of a delete and a create */
  readonly suggested: readonly Moved[]
  /** What objects remember about this file, when the changes are committed. */
  remembered(by: string | null): Change[]
}

/**
 * @throws PRUNE_EMPTY when `prune` is asked for a file that names nothing; what single writes throw, with the place in
 *   the policy
 */
export function reconcile(view: View, policy: PolicyFile, { prune: prunes }: ReconcileOptions, mint: Mint): Reconciled {
  if (prunes && isEmptyPolicy(policy)) throw new ZerohopError('PRUNE_EMPTY')
  const moved = new Draft(view)
  const moves = stageMoves(moved, policy.moved ?? [], mint)
  const carried = moved.changes().filter(({ op, kind }) => op === 'put' && FACT_KINDS.has(kind))
  const named = namedObjects(policy, moved)
  const ownership = readOwnership(policy)
  const draft = new Draft(moved)
  if (prunes) prune(draft, { policy, named, ownership, mint })
  else requireNothingReplaced(draft, policy)
  applyPolicy(draft, policy, mint, { skipsEnded: true })
  const real = draft.changes().filter((change) => !isIdle(moved, change))
  const { entries, cascade } = planEntries(moved, real, (kind, key) => isPruned(ownership, named, kind, key))
  const final = new Draft(view).stage(moved.changes()).stage(real)
  return {
    changes: final.changes(),
    entries: inOrder(withMoves(view, entries, moves)),
    cascade,
    carried: counted(carried.map(({ kind }) => kind)),
    suggested: suggestions(entries),
    remembered: (by) => remember(final, named, by, mint),
  }
}

const isPruned = (ownership: Ownership, named: NamedObjects, kind: KindName, key: string): boolean =>
  isPolicyKind(kind) && ownership.owns(kind, key) && !named.has(kind, key)

/** Entries, and the number of facts that go with something else: they may be very many. */
export function planEntries(
  view: View,
  changes: readonly Change[],
  isWanted: (kind: KindName, key: string) => boolean,
): { entries: Entry[]; cascade: KindCount[] } {
  const entries: Entry[] = []
  const taken: KindName[] = []
  for (const change of changes) {
    const { op, kind, key } = change
    const isFact = FACT_KINDS.has(kind) || kind === 'group' || kind === 'user_invite' || kind === 'tenant_role'
    if (op === 'put' || !isFact || isWanted(kind, key)) entries.push(...listEntries(view, change))
    else if (kind !== 'membership' || view.get('membership', key)?.explicit) taken.push(kind)
  }
  return { entries, cascade: counted(taken) }
}

function counted(kinds: readonly string[]): KindCount[] {
  const counts = new Map<string, number>()
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => ({ kind, count }))
}

/** A moved object that changes besides is one entry. */
function withMoves(view: View, entries: readonly Entry[], moves: readonly Moved[]): Entry[] {
  const rest = new Map(entries.map((entry) => [`${entry.kind} ${entry.key}`, entry]))
  const movesToo = moves.map(({ kind, from, to }): Entry => {
    const changed = rest.get(`${kind} ${to}`)
    rest.delete(`${kind} ${to}`)
    const was = fingerprintAt(view, kind, from)
    return { op: 'move', kind, key: to, fields: { key: [from, to], ...changed?.fields }, was }
  })
  return [...rest.values(), ...movesToo]
}

/** Kinds of objects that are renamed by people. */
function isRenamed(kind: PolicyKind): boolean {
  if (kind === 'user_attribute' || kind === 'tenant_attribute') return false
  return !IN_FILES[kind].isFact && !isConnecting(kind)
}

/** A delete and a create of one kind with the same fields are most likely one object that has another key. */
function suggestions(entries: readonly Entry[]): Moved[] {
  const gone = bySign(entries, 'delete', 0)
  const made = bySign(entries, 'create', 1)
  const suggested: Moved[] = []
  for (const [sign, [created, ...others]] of made) {
    const [deleted, ...more] = gone.get(sign) ?? []
    if (created === undefined || deleted === undefined || others.length + more.length > 0) continue
    suggested.push({ kind: created.kind, from: deleted.key, to: created.key })
  }
  return suggested
}

function bySign(entries: readonly Entry[], op: Entry['op'], side: 0 | 1): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.op !== op || !isRenamed(entry.kind)) continue
    const of = entry.key.includes('/') ? entry.key.slice(0, entry.key.indexOf('/')) : ''
    const values = Object.entries(entry.fields).filter(([name]) => name !== 'name')
    const sign = JSON.stringify([entry.kind, of, values.map(([name, pair]) => [name, pair[side]])])
    found.set(sign, [...(found.get(sign) ?? []), entry])
  }
  return found
}
