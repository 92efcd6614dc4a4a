// `zerohop import`: a policy is applied to an environment as one revision, or only compared with it.
import { isDeepStrictEqual } from 'node:util'
import type { Change } from '../../log/change.ts'
import { BUNDLE_LINES_MAX } from '../../model/limits.ts'
import { Draft } from '../../store/draft.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { formatSummary } from '../differences/summary.ts'
import { applyPolicy } from '../policy-file/apply-policy.ts'
import { requireOnce, requirePolicy } from '../policy-file/versions.ts'
import { BODY } from '../rules/fields.ts'

export interface ImportInput {
  readonly bundle: unknown
  /** only reports what would change */
  readonly dryRun?: boolean
}

export interface Imported {
  /** number of objects by outcome */
  readonly created: number
  readonly changed: number
  readonly deleted: number
  /** `create role admin`, … : the first of them */
  readonly lines: readonly string[]
}

/** Validates and applies a policy. @throws INPUT_INVALID, and what single writes throw, with the place in the policy */
export function importBundle(view: View, { bundle, dryRun = false }: ImportInput, mint: Mint): Decided<Imported> {
  const draft = new Draft(view)
  const policy = requirePolicy(bundle, BODY)
  requireOnce(policy, BODY)
  applyPolicy(draft, policy, mint, { keepsTimes: true })
  const changes = realChanges(draft)
  const result = countedBy(view, changes)
  const summary = formatSummary('import', { create: result.created, update: result.changed, delete: result.deleted })
  return { changes: dryRun ? [] : changes, summary, result }
}

/** The staged changes that differ from the stored objects, apart from their times. */
export const realChanges = (draft: Draft): Change[] => [...realEdits(draft)].map(({ change }) => change)

/** The same, each with whether the object was there. */
export function* realEdits(draft: Draft): Iterable<{ readonly change: Change; readonly isNew: boolean }> {
  for (const { before, change } of draft.edits()) {
    const isSame =
      before !== undefined &&
      change.op === 'put' &&
      isDeepStrictEqual({ ...before, updated_at: 0 }, { ...change.value, updated_at: 0 })
    if (!isSame) yield { change, isNew: before === undefined }
  }
}

function countedBy(view: View, changes: readonly Change[]): Imported {
  const count = { create: 0, change: 0, delete: 0 }
  const lines: string[] = []
  for (const { op, kind, key } of changes) {
    const what = op === 'delete' ? 'delete' : view.get(kind, key) === undefined ? 'create' : 'change'
    count[what]++
    if (lines.length < BUNDLE_LINES_MAX) lines.push(`${what} ${kind.replaceAll('_', ' ')} ${key}`)
  }
  return { created: count.create, changed: count.change, deleted: count.delete, lines }
}
