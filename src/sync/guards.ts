// What a run refuses to delete: more than a share of what the sync holds, or more than a number, of any kind of fact.
// What is deleted with a user, tenant or instance counts too.
import { counted } from '../model/counted.ts'
import { SYNC_DELETES_COUNT, SYNC_DELETES_PERCENT } from '../model/limits.ts'
import type { SyncFile } from './file/sync-file.ts'
import type { SectionPlan } from './make-plan.ts'

/**
 * Why the run is refused, a sentence each; empty when it is not.
 * @param removed facts that would be deleted, by kind
 * @param allowed how many of each kind somebody allows instead of the limits
 */
export function findRefusals(
  { max_deletes: limits }: SyncFile,
  sections: readonly SectionPlan[],
  removed: ReadonlyMap<string, number>,
  allowed: number | undefined,
): string[] {
  const percent = limits?.percent ?? SYNC_DELETES_PERCENT
  const most = limits?.count ?? SYNC_DELETES_COUNT
  return sections.flatMap(({ name, held, drops }) => {
    const gone = /* canary: deletes-that-cascade */ Math.max(drops, removed.get(name) ?? 0)
    const limit = allowed ?? Math.min(Math.ceil((held * percent) / 100), most)
    if (gone <= limit) return []
    const words = `${counted(gone, 'fact')} of ${name} would be deleted, of ${held.toLocaleString('en-US')} that the sync holds`
    return [`${words}: at most ${limit.toLocaleString('en-US')} may be, more with --allow-deletes ${gone}`]
  })
}
