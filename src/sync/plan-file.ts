// What a plan in a file promises: the same rows, the same changes and the same access. Whoever writes by it plans again,
// and writes only if all three are as they were.
import { ZerohopError } from '../model/errors.ts'
import type { DifferencePlan } from './make-plan.ts'
import type { Review } from './review.ts'

export interface SyncPlanFile {
  readonly zerohop_sync_plan: 1
  readonly owner: string
  readonly environment: string
  readonly revision: number
  /** digests */
  readonly rows: string
  readonly changes: string
  readonly access: string
}

export const makeSyncPlanFile = (
  owner: string,
  environment: string,
  { revision, rowsDigest, digest }: DifferencePlan,
  review: Review,
): SyncPlanFile => ({
  zerohop_sync_plan: 1,
  owner,
  environment,
  revision,
  rows: rowsDigest,
  changes: digest,
  access: review.digest,
})

/**
 * What is not as it was planned; undefined when nothing is.
 * @throws CONFIG_INVALID for the plan of another sync or environment
 */
export function findPlanChange(saved: SyncPlanFile, now: SyncPlanFile): string | undefined {
  if (saved.owner !== now.owner || saved.environment !== now.environment)
    throw new ZerohopError('CONFIG_INVALID', {
      reason: `the plan is for sync \`${saved.owner}\` of ${saved.environment}, not for \`${now.owner}\` of ${now.environment}`,
    })
  /* canary: plans-of-other-rows */ if (saved.rows !== now.rows) return 'rows of the source changed'
  if (saved.changes !== now.changes) return `the environment changed (revision ${saved.revision} to ${now.revision})`
  return saved.access === now.access ? undefined : 'who gains and loses access by it changed'
}
