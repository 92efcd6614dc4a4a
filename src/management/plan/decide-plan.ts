// Computes the plan for a request against a view: the changes, and what they do in the words of the file. The thread
// that makes plans and the writer that applies them run the same function, and compare what it said by its digest.
import { createHash } from 'node:crypto'
import type { Change } from '../../log/change.ts'
import { counted } from '../../model/counted.ts'
import { ZerohopError } from '../../model/errors.ts'
import type { Mint, View } from '../../store/view.ts'
import { type Entry, inOrder, isIdle } from '../differences/entries.ts'
import { type KindCount, planEntries, reconcile } from '../differences/reconcile.ts'
import { stageSent } from '../differences/sent-changes.ts'
import { listTenantRoleEntries, type TenantRoleEntry } from '../differences/tenant-role-entries.ts'
import type { Conflict, Lost, Revert } from '../differences/undone.ts'
import { within } from '../objects/bulk-items.ts'
import { createGroupRule, deleteGroupRule, updateGroupRule } from '../objects/group-rules.ts'
import { writeItems } from '../objects/syncs.ts'
import { type Reverted, revert } from '../revert/revert.ts'
import { BODY } from '../rules/fields.ts'
import type { GroupRulePlan } from '../schemas/group-rules.ts'
import type { SentChange } from '../schemas/plan.ts'
import type { Moved, PolicyFile } from '../schemas/policy-file.ts'
import type { SyncItem, SyncWritten } from '../schemas/syncs.ts'
import { type CopyOf, copyInto } from './copy-into.ts'

/** One write of a rule for groups of a directory. */
export type WantedGroupRule = Omit<GroupRulePlan, 'page'>

/** What a copy plans. */
export interface PlannedCopy extends CopyOf {
  /** the target is not there yet */
  readonly isNew?: boolean
}

/** Facts of a sync: what its run would write. */
export interface PlannedSync {
  readonly claim: string
  readonly items: readonly SyncItem[]
  /** whether access is compared */
  readonly access: boolean
}

/** Exactly one of `policy`, `changes`, `revert`, `copy`, `groupRule` and `sync`. */
export interface Wanted {
  readonly policy?: PolicyFile | null | undefined
  readonly changes?: readonly SentChange[] | null | undefined
  readonly revert?: Revert | undefined
  readonly copy?: PlannedCopy | undefined
  readonly sync?: PlannedSync | undefined
  readonly groupRule?: WantedGroupRule | undefined
  readonly prune?: boolean | null | undefined
  readonly cascade?: boolean | null | undefined
}

export interface DecidedPlan {
  readonly changes: readonly Change[]
  readonly entries: readonly Entry[]
  /** of a copy that takes along roles of tenants */
  readonly tenantRoles: readonly TenantRoleEntry[]
  readonly cascade: readonly KindCount[]
  readonly carried: readonly KindCount[]
  readonly suggested: readonly Moved[]
  /** of a revert: with one, there are no changes */
  readonly conflicts: readonly Conflict[]
  readonly lost: readonly Lost[]
  readonly secrets: Reverted['secrets']
  readonly sync?: SyncWritten
  remembered(by: string | null): Change[]
}

/** Whether nothing is to change: what time does by itself is asked then. */
export const wantsNothing = ({ policy, changes, revert: undone, copy, groupRule, sync }: Wanted): boolean =>
  !policy && !changes && undone === undefined && copy === undefined && groupRule === undefined && sync === undefined

/** The plan that changes nothing. */
export const NO_CHANGE: DecidedPlan = {
  ...{ changes: [], entries: [], tenantRoles: [], cascade: [], carried: [], suggested: [] },
  ...{ conflicts: [], lost: [], secrets: [] },
  remembered: () => [],
}

/** @throws INPUT_INVALID unless exactly one of policy and changes is sent; what they throw */
export function decidePlan(view: View, wanted: Wanted, mint: Mint): DecidedPlan {
  const { policy, changes, prune, revert: undone, copy, groupRule, sync } = wanted
  if (sync !== undefined) {
    const { changes: written, result } = writeItems(view, sync.claim, sync.items, mint)
    return { ...NOTHING_ELSE, changes: written, entries: [], cascade: [], sync: result, remembered: () => [] }
  }
  if (groupRule !== undefined) return decideGroupRule(view, groupRule, mint)
  if (undone !== undefined) return { ...NOTHING_ELSE, ...revert(view, undone, mint), remembered: () => [] }
  if (copy !== undefined) {
    const copied = copyInto(view, copy, mint)
    const { entries, cascade } = planEntries(view, copied, () => false)
    const tenantRoles = copy.tenantRoles ? listTenantRoleEntries(view, copied) : []
    const made = { changes: copied, entries: inOrder(entries), tenantRoles, cascade }
    return { ...NOTHING_ELSE, ...made, remembered: () => [] }
  }
  if (policy && !changes) {
    const plan = within([...BODY, 'policy'], () => reconcile(view, policy, { prune: prune === true }, mint))
    return { ...NOTHING_ELSE, ...plan }
  }
  if (!changes || policy)
    throw new ZerohopError('INPUT_INVALID', { reason: 'exactly one of policy and changes is required' }, { path: BODY })
  if (prune)
    throw new ZerohopError('INPUT_INVALID', { reason: 'changes say what they delete' }, { path: [...BODY, 'prune'] })
  const real = stageSent(view, changes, mint)
    .changes()
    .filter((change) => !isIdle(view, change))
  const named = new Set(changes.map(({ kind, key }) => `${kind} ${key}`))
  const { entries, cascade } = planEntries(view, real, (kind, key) => named.has(`${kind} ${key}`))
  return { ...NOTHING_ELSE, changes: real, entries: inOrder(entries), cascade, remembered: () => [] }
}

/** What a rule for groups of a directory would give and take. @throws INPUT_INVALID unless it is one write of one rule */
function decideGroupRule(view: View, wanted: WantedGroupRule, mint: Mint): DecidedPlan {
  const { create, update, delete: ref } = wanted
  if ([create, update, ref].filter((one) => one != null).length !== 1) {
    const reason = 'exactly one of create, update and delete is required'
    throw new ZerohopError('INPUT_INVALID', { reason }, { path: BODY })
  }
  const { changes } = create
    ? within([...BODY, 'create'], () => createGroupRule(view, create, mint))
    : update
      ? within([...BODY, 'update'], () => updateGroupRule(view, { ref: update.rule, fields: update.fields }, mint))
      : deleteGroupRule(view, { ref: ref ?? '' }, mint)
  const { entries, cascade } = planEntries(view, changes, (kind) => kind === 'role_assignment')
  return { ...NOTHING_ELSE, changes, entries: inOrder(entries), cascade, remembered: () => [] }
}

const NOTHING_ELSE = { tenantRoles: [], carried: [], suggested: [], conflicts: [], lost: [], secrets: [] }

/** What the plan says, in short. */
export function makeDigest({
  entries,
  tenantRoles,
  cascade,
  conflicts,
  lost,
}: Pick<DecidedPlan, 'entries' | 'tenantRoles' | 'cascade' | 'conflicts' | 'lost'>): string {
  return createHash('sha256')
    .update(JSON.stringify([entries, tenantRoles, cascade, conflicts, lost]))
    .digest('hex')
}

/** @throws PRUNE_CASCADES when deletes take facts along and that was not asked for */
export function requireCascade({ cascade }: Pick<DecidedPlan, 'cascade'>, wanted: Wanted): void {
  if (cascade.length === 0 || wanted.cascade || wanted.changes || wanted.revert || wanted.copy) return
  throw new ZerohopError('PRUNE_CASCADES', { what: countsText(cascade) })
}

/** `3 role assignments, 1 relationship tuple` */
const countsText = (counts: readonly KindCount[]): string =>
  counts.map(({ kind, count }) => counted(count, kind.replaceAll('_', ' '))).join(', ')
