// What a run would do, as somebody looks at it before: who gains and loses access, what is deleted, what is refused. The
// server computes it with the claims of others; of more than it compares at once only what is deleted is asked.
import { createHash } from 'node:crypto'
import type { SyncPlan, SyncWritten } from '../management/schemas/syncs.ts'
import { isCounted } from '../model/change-words.ts'
import { PLAN_CHANGES_MAX } from '../model/limits.ts'
import { countItems, type DifferencePlan, isSyncedKind, sectionOfKind } from './make-plan.ts'
import type { RoleGroup } from './role-groups.ts'
import type { SyncServer } from './server.ts'

export interface Review {
  /** null where there was too much to compare: `groups` stands in its place */
  readonly access: Required<Pick<SyncPlan, 'policy' | 'access'>> | null
  readonly groups: readonly RoleGroup[]
  /** whether all access that changes is counted */
  readonly complete: boolean
  /** facts that would be deleted, by section */
  readonly removed: ReadonlyMap<string, number>
  /** refused puts, and objects that stay because of facts of others; the first of them */
  readonly problems: SyncWritten['problems']
  /** of what it says about access */
  readonly digest: string
}

/** @throws API_REFUSED, FEED_UNREACHABLE */
export async function reviewPlan(plan: DifferencePlan, server: SyncServer): Promise<Review> {
  const removed = new Map<string, number>()
  const problems: SyncWritten['problems'][number][] = []
  const take = ({ removed: gone, problems: more }: SyncWritten): void => {
    for (const [kind, count] of Object.entries(gone)) {
      if (!isSyncedKind(kind)) continue
      const name = sectionOfKind(kind)
      removed.set(name, (removed.get(name) ?? 0) + count)
    }
    problems.push(...more)
  }
  if (countItems(plan) <= PLAN_CHANGES_MAX) {
    const items = [...plan.slices()].flat()
    const made = items.length === 0 ? undefined : await server.plan(items, true)
    if (made !== undefined) take(made)
    const access = made === undefined ? null : { policy: made.policy!, access: made.access! }
    const complete = access === null || isCounted(access)
    return { access, groups: [], complete, removed, problems, digest: makeDigest(access) }
  }
  for (const items of plan.objectDrops()) take(await server.plan(items, false))
  const groups = plan.groups.largest()
  return { access: null, groups, complete: false, removed, problems, digest: makeDigest(groups) }
}

const makeDigest = (access: unknown): string => createHash('sha256').update(JSON.stringify(access)).digest('hex')
