// The access diff of a plan: the image before, the image after, and what comes of comparing them. Changes that
// decisions do not read need neither.
import { isDeepStrictEqual } from 'node:util'
import { accessDiff } from '../../image/access-diff/access-diff.ts'
import type { Renames } from '../../image/access-diff/renames.ts'
import type { Turns } from '../../image/access-diff/turns.ts'
import type { Image } from '../../image/image.ts'
import type { Objects } from '../../kinds/index.ts'
import { type Change, put } from '../../log/change.ts'
import { type PolicyChange, project } from '../../log/delta.ts'
import type { AccessChange, AccessDiff } from '../../model/access-diff.ts'
import type { View } from '../../store/view.ts'
import { AFTER_CHAIN } from './plan-images.ts'

/** The changes as decisions see them, without those that decisions cannot tell. */
export function decisive(view: Pick<View, 'get'>, changes: readonly Change[]): PolicyChange[] {
  const projected: PolicyChange[] = []
  for (const change of changes) {
    const now = project(change)
    if (now === undefined) continue
    const stored = view.get(change.kind, change.key)
    const then = stored === undefined ? undefined : project(put(change.kind, stored as Objects[typeof change.kind]))
    const isSame = then === undefined || then.op === 'delete' ? now.op === 'delete' : isDeepStrictEqual(then, now)
    if (!isSame) projected.push(now)
  }
  return projected
}

export interface AccessOptions {
  /** milliseconds since 1970 */
  readonly now: number
  /** `next` of an earlier answer */
  readonly page?: string | undefined
  /** what has another key afterwards */
  readonly renames?: Renames | undefined
  /** a second instant, in ms since 1970: that of the image afterwards */
  readonly nowAfter?: number | undefined
  /** what starts or ends between the two */
  readonly turns?: Turns | undefined
}

/** What the changes do to the access that the image gives. */
export function diffAccess(
  before: Image,
  changes: readonly PolicyChange[],
  { now, nowAfter, turns, page, renames }: AccessOptions,
): AccessDiff {
  const named = new Set(changes.map(toName))
  const turned = (turns?.first ?? []).flatMap(({ grant }) => (grant && !named.has(toName(grant)) ? [grant] : []))
  return accessDiff(before, imageAfter(before, changes), [...changes, ...turned], {
    now,
    nowAfter,
    isCut: turns !== undefined && turns.first.length < turns.count,
    renames,
    ...(page === undefined ? {} : { after: page }),
  })
}

const toName = ({ kind, key }: PolicyChange): string => `${kind} ${key}`

/** A copy of the image with changes that no log has. @throws DELTA_INVALID, IMAGE_FULL */
export function imageAfter(before: Image, changes: readonly PolicyChange[]): Image {
  const after = before.clone()
  const { revision } = before
  const { chain } = before.position
  const step = { environment: before.environment, from: revision, to: revision + 1, previous: chain }
  after.apply({ ...step, chain: AFTER_CHAIN, changes })
  return after
}

const NOBODY: AccessChange = { users: 0, decisions: 0, complete: true, groups: [], more_groups: 0, first: [] }

/** The access diff of changes that decisions do not read. */
export const NO_ACCESS_CHANGE: AccessDiff = {
  policy: { gained: [], lost: [], changed: [], complete: true },
  access: { gained: NOBODY, lost: NOBODY, conditional: [], overridable: [], conditional_complete: true },
}
