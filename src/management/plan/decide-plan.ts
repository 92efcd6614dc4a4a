// What a request for a plan comes to, on a view: the changes, and what they do in the words of the file. The thread that
// makes plans and the writer that applies them run the same function, and compare what it said by its digest.
import { createHash } from 'node:crypto'
import type { Change } from '../../log/change.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Mint, View } from '../../store/view.ts'
import { within } from '../bulk/items.ts'
import { BODY } from '../fields.ts'
import type { Moved, PolicyFile } from '../policy-file/schema.ts'
import { type Entry, inOrder, isIdle } from './entries.ts'
import { type KindCount, reconcile, told } from './reconcile.ts'
import type { SentChange } from './schema.ts'
import { stageSent } from './sent-changes.ts'

/** Exactly one of `policy` and `changes`. */
export interface Wanted {
  readonly policy?: PolicyFile | null | undefined
  readonly changes?: readonly SentChange[] | null | undefined
  readonly prune?: boolean | null | undefined
  readonly cascade?: boolean | null | undefined
}

export interface DecidedPlan {
  readonly changes: readonly Change[]
  readonly entries: readonly Entry[]
  readonly cascade: readonly KindCount[]
  readonly carried: readonly KindCount[]
  readonly suggested: readonly Moved[]
  remembered(by: string | null): Change[]
}

/** @throws INPUT_INVALID unless exactly one of policy and changes is sent; what they throw */
export function decidePlan(view: View, { policy, changes, prune }: Wanted, mint: Mint): DecidedPlan {
  if (policy && !changes)
    return within([...BODY, 'policy'], () => reconcile(view, policy, { prune: prune === true }, mint))
  if (!changes || policy)
    throw new ZerohopError('INPUT_INVALID', { reason: 'exactly one of policy and changes is required' }, { path: BODY })
  if (prune)
    throw new ZerohopError('INPUT_INVALID', { reason: 'changes say what they delete' }, { path: [...BODY, 'prune'] })
  const real = stageSent(view, changes, mint)
    .changes()
    .filter((change) => !isIdle(view, change))
  const named = new Set(changes.map(({ kind, key }) => `${kind} ${key}`))
  const { entries, cascade } = told(view, real, (kind, key) => named.has(`${kind} ${key}`))
  const plan = { changes: real, entries: inOrder(entries), cascade, carried: [], suggested: [] }
  return { ...plan, remembered: () => [] }
}

/** What the plan says, in short. */
export function digestOf({ entries, cascade }: Pick<DecidedPlan, 'entries' | 'cascade'>): string {
  return createHash('sha256')
    .update(JSON.stringify([entries, cascade]))
    .digest('hex')
}

/** @throws PRUNE_CASCADES when deletes take facts along and that was not asked for */
export function requireCascade({ cascade }: Pick<DecidedPlan, 'cascade'>, wanted: Wanted): void {
  if (cascade.length === 0 || wanted.cascade || wanted.changes) return
  throw new ZerohopError('PRUNE_CASCADES', { what: countsText(cascade) })
}

/** `3 role assignments, 1 relationship tuple` */
const countsText = (counts: readonly KindCount[]): string =>
  counts.map(({ kind, count }) => `${count} ${kind.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`).join(', ')
