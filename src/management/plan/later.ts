// What a plan does later, by itself: it writes grants and suspensions that only start then, or that have another end. Access
// is compared at that instant, with and without them, beside everything else that the plan does.
import type { Turn } from '../../image/access-diff/turns.ts'
import type { Image } from '../../image/image.ts'
import { projectSuspension } from '../../kinds/suspension.ts'
import { isInForce, projectTimes, type StoredTimes, type TimesPolicy } from '../../kinds/times.ts'
import type { PolicyChange } from '../../log/delta.ts'
import type { AccessChange } from '../../model/access-diff.ts'
import { PLAN_LATER_MAX } from '../../model/limits.ts'
import type { View } from '../../store/view.ts'
import { diffAccess, imageAfter } from './access.ts'

/** The grants and suspensions of a plan that make a difference from one instant on, and none before. */
export interface Later {
  /** ms since 1970 */
  readonly at: number
  readonly grants: readonly LaterGrant[]
  /** who gains and loses by them at that instant; undefined where that was not asked */
  readonly access?: { readonly gained: AccessChange; readonly lost: AccessChange }
}

export interface LaterGrant {
  readonly kind: Turn['kind']
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
  const later: PolicyChange[] = []
  const others: PolicyChange[] = []
  for (const change of changes) {
    const { kind, times, was, without } = findTimes(view, change) ?? {}
    const at = kind && findDifference(was, times, now)
    if (at === undefined) {
      others.push(change)
      continue
    }
    later.push(change)
    others.push(...without!)
    byInstant.set(at, [...(byInstant.get(at) ?? []), { kind: kind!, key: change.key, times: times ?? {} }])
  }
  if (later.length === 0) return []
  const beside = others.length === 0 ? image : imageAfter(image, others)
  const found = [...byInstant].sort(([left], [right]) => left - right)
  return found.map(([at, grants], index) => {
    if (index >= PLAN_LATER_MAX) return { at, grants }
    const { gained, lost } = diffAccess(beside, later, { now: at }).access
    return { at, grants, access: { gained, lost } }
  })
}

/** What a change writes that has times; undefined for what has none. */
interface Timed {
  readonly kind: Turn['kind']
  /** undefined where a suspension is taken away */
  readonly times: TimesPolicy | undefined
  /** as it is stored */
  readonly was: TimesPolicy | undefined
  /** what is left of the change without it */
  readonly without: readonly PolicyChange[]
}

function findTimes(view: Pick<View, 'get'>, change: PolicyChange): Timed | undefined {
  const { op, kind, key } = change
  if (op !== 'put') return undefined
  if (kind === 'user') {
    const { suspension: was } = projectSuspension(view.get('user', key)?.suspension)
    const { suspension: times, ...value } = change.value
    const kept = { ...value, ...(was === undefined ? {} : { suspension: was }) }
    return { kind: 'suspension', times, was, without: [{ op, kind, key, value: kept }] }
  }
  if (kind !== 'role_assignment' && kind !== 'relationship_tuple') return undefined
  const stored = view.get(kind, key)
  const was = stored === undefined ? undefined : projectTimes(stored as StoredTimes)
  return { kind, times: projectTimes(change.value), was, without: [] }
}

/** The first instant from which the two differ; undefined where they do already, or never will. */
function findDifference(was: TimesPolicy | undefined, is: TimesPolicy | undefined, now: number): number | undefined {
  const isAt = (times: TimesPolicy | undefined, t: number) => times !== undefined && isInForce(times, t)
  const differAt = (t: number): boolean => isAt(was, t) !== isAt(is, t)
  if (differAt(now)) return undefined
  const instants = [was?.valid_from, was?.valid_until, is?.valid_from, is?.valid_until]
  const future = instants.filter((each) => each !== undefined && each > now) as number[]
  return future.sort((left, right) => left - right).find(differAt)
}
