// The plan of a revert as the API answers it.
import type { MadePlan } from '../../../management/plan/plan-task.ts'
import { planRead } from '../../../management/plan/render-plan.ts'
import type { RevertPlan } from '../../../management/schemas/revert.ts'

/** @param nameOf the name of an API key by its id; null when it has none, or is deleted */
export function revertRead(made: MadePlan, reverts: number, nameOf: (id: string) => string | null): RevertPlan {
  return {
    ...planRead(made, nameOf),
    reverts,
    conflicts: made.conflicts.map(({ kind, key, reason, what, by, operation, revision, at }) => ({
      ...{ kind, key, reason, what },
      by: by ? (nameOf(by) ?? by) : (operation ?? null),
      revision: revision ?? null,
      at: at ? new Date(at).toISOString() : null,
    })),
    lost: made.lost.map(({ kind, key, what }) => ({ kind, key, what })),
  }
}
