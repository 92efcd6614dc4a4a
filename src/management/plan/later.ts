// What a plan does later, by itself: it writes grants that only start then, or that have another end. Their access is
// compared at that instant, with and without them, beside everything else that the plan does.
import type { Image } from '../../image/image.ts'
import { isInForce, projectTimes, type StoredTimes, type TimesPolicy } from '../../kinds/times.ts'
import type { PolicyChange } from '../../log/delta.ts'
import type { AccessChange } from '../../model/access-diff.ts'
import { PLAN_LATER_MAX } from '../../model/limits.ts'
import type { View } from '../../store/view.ts'
import { diffAccess, imageAfter } from './access.ts'

/** The grants of a plan that make a difference from one instant on, and none before. */
export interface Later {
  /** ms since 1970 */
  readonly at: number
  readonly grants: readonly LaterGrant[]
  /** who gains and loses by them at that instant; undefined where that was not asked */
  readonly access?: { readonly gained: AccessChange; readonly lost: AccessChange }
}

export interface LaterGrant {
  readonly kind: 'role_assignment' | 'relationship_tuple'
  readonly key: string
  readonly times: TimesPolicy
}

/**
 * The instants in their order; access is compared at the first PLAN_LATER_MAX of them.
 * @param changes what decisions read of the plan
 * @param now ms since 1970
 */
export function findLater(
  image: Image,
  view: Pick<View, 'get'>,
  changes: readonly PolicyChange[],
  now: number,
): Later[] {
  const byInstant = new Map<number, LaterGrant[]>()
  const later = new Set<PolicyChange>()
  for (const change of changes) {
    const { op, kind, key } = change
    if (op !== 'put' || (kind !== 'role_assignment' && kind !== 'relationship_tuple')) continue
    const stored = view.get(kind, key)
    const times = projectTimes(change.value)
    const at = findDifference(stored === undefined ? undefined : projectTimes(stored as StoredTimes), times, now)
    if (at === undefined) continue
    later.add(change)
    byInstant.set(at, [...(byInstant.get(at) ?? []), { kind, key, times }])
  }
  if (later.size === 0) return []
  const others = changes.filter((change) => !later.has(change))
  const beside = others.length === 0 ? image : imageAfter(image, others)
  const found = [...byInstant].sort(([left], [right]) => left - right)
  return found.map(([at, grants], index) => {
    if (index >= PLAN_LATER_MAX) return { at, grants }
    const { gained, lost } = diffAccess(beside, [...later], { now: at }).access
    return { at, grants, access: { gained, lost } }
  })
}

/** The first instant from which the two differ; undefined where they do already, or never will. */
function findDifference(was: TimesPolicy | undefined, is: TimesPolicy, now: number): number | undefined {
  const differAt = (t: number): boolean => (was !== undefined && isInForce(was, t)) !== isInForce(is, t)
  if (differAt(now)) return undefined
  const instants = [was?.valid_from, was?.valid_until, is.valid_from, is.valid_until]
  const future = instants.filter((each) => each !== undefined && each > now) as number[]
  return future.sort((left, right) => left - right).find(differAt)
}
