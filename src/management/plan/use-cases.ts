// Applying a plan: one revision, all or nothing. What the plan says was decided in the thread of plans, together with
// its access diff; the writer decides it again and refuses when it came to something else.
import { ZerohopError } from '../../model/errors.ts'
import type { Decided, Mint, View } from '../../store/view.ts'
import { requireNoConflict } from '../differences/conflicts.ts'
import { countByOp, formatSummary } from '../differences/summary.ts'
import { decidePlan, makeDigest, requireCascade, type Wanted } from './decide-plan.ts'
import type { MadePlan } from './plan-task.ts'

export interface ApplyInput extends Wanted {
  /** of the plan whose access was compared */
  readonly digest: string
  /** id of the API key that applies it; null for the command line */
  readonly by: string | null
  /** what is answered, for a request that may come again; null when it cannot */
  readonly answer: MadePlan | null
}

/** @throws PLAN_MOVING when the changes are others than in the plan, PRUNE_CASCADES, and what single writes throw */
export function applyPlan(
  view: View,
  { digest, by, answer, ...wanted }: ApplyInput,
  mint: Mint,
): Decided<MadePlan | null> {
  const plan = decidePlan(view, wanted, mint)
  requireCascade(plan, wanted)
  if (makeDigest(plan) !== digest) throw new ZerohopError('PLAN_MOVING', { times: 1 })
  requireNoConflict(plan)
  const done = wanted.revert === undefined ? 'apply plan' : `revert revision ${wanted.revert.revision}`
  const changes = [...plan.changes, ...plan.remembered(by)]
  return { changes, secrets: plan.secrets, summary: formatSummary(done, countByOp(plan.entries)), result: answer }
}
